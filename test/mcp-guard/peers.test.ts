import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { personOf } from '../support/client.js';
import type { Client as HttpClient } from '../support/client.js';
import type { Installed } from '../cli/support/packed.js';
import { installed } from '../cli/support/packed.js';
import type { Instance } from '../support/instance.js';
import { startInstance } from '../support/instance.js';
import { decide, until } from '../support/requests.js';
import { BANK, POLICY, newBank } from './support/bank.js';
import type { Bank, BankOptions } from './support/bank.js';
import { programOf } from './support/reference.js';
import type { Json } from './support/session.js';

// The clients of both generations of the official SDK, and the reference servers, with the guard between them.

let instance: Instance;
let cli: Installed;
let reviewer: HttpClient;

beforeAll(async () => {
  instance = await startInstance();
  cli = await installed(instance);
  const { demo, dataDirectory } = instance;
  reviewer = await personOf(demo, dataDirectory, demo.people[1]!.id);
});
afterAll(async () => {
  cli?.remove();
  await instance?.stop();
});

interface Peer {
  call(name: string, args: object): Promise<Json>;
  list(): Promise<string[]>;
  close(): Promise<void>;
}
const ABOUT = { name: 'test', version: '1' };
const namesIn = ({ tools }: Json): string[] => tools.map(({ name }: { name: string }) => name);

async function newer(mode: 'auto' | 'legacy', bank: Bank, options?: BankOptions): Promise<Peer> {
  const client = new Client(ABOUT, { versionNegotiation: { mode } });
  await client.connect(new StdioClientTransport({ ...bank.command(options), stderr: 'ignore' }));
  expect(client.getNegotiatedProtocolVersion()).toBe(mode === 'auto' ? '2026-07-28' : '2025-11-25');
  return {
    call: (name, args) => client.callTool({ name, arguments: args as Record<string, unknown> }),
    list: async () => namesIn(await client.listTools()),
    close: () => client.close(),
  };
}
async function older(bank: Bank, options?: BankOptions): Promise<Peer> {
  const client = new OldClient(ABOUT);
  await client.connect(new OldTransport({ ...bank.command(options), stderr: 'ignore' }));
  return {
    call: (name, args) => client.callTool({ name, arguments: args as Record<string, unknown> }),
    list: async () => namesIn(await client.listTools()),
    close: () => client.close(),
  };
}
const PEERS: [string, (bank: Bank, options?: BankOptions) => Promise<Peer>][] = [
  ['SDK 2, 2026-07-28', (bank, options) => newer('auto', bank, options)],
  ['SDK 2, 2025-11-25', (bank, options) => newer('legacy', bank, options)],
  ['SDK 1', older],
];

/** Asks, has it authorised, and calls again. */
async function authorised({ call }: Peer, name: string, args: object): Promise<Json> {
  const asked = await call(name, args);
  const { state, request_id: id } = asked._meta['countersign/call'];
  expect([asked.isError, state]).toEqual([true, 'pending']);
  await decide(reviewer, id, 'authorise', {});
  return until(
    () => call(name, args),
    ({ _meta: meta }) => meta?.['countersign/call']?.state !== 'running',
  );
}

describe.each(PEERS)('%s', (_, connect) => {
  it('works as without a guard, and its asked call runs once', async () => {
    const bank = await newBank(instance, cli);
    const peer = await connect(bank);
    expect(await peer.list()).toEqual(['get_balance', 'get_environment', 'transfer']);
    expect((await peer.call('get_balance', {})).content[0].text).toBe('100');
    const done = await authorised(peer, 'transfer', { amount: 50 });
    expect(done.content).toEqual([{ type: 'text', text: 'transferred 50' }]);
    expect(bank.effects()).toEqual(['{"amount":50}']);
    await peer.close();
  });

  it('reaches a server at an address', async () => {
    const bank = await newBank(instance, cli);
    const { command, env } = bank.command();
    expect(command).toBe(cli.program);
    const server = spawn(BANK[0], [BANK[1], 'http'], { env: { ...env, TOKEN: 'secret' } });
    try {
      const port = await new Promise<string>((settle) =>
        server.stdout.once('data', (chunk: Buffer) => settle(chunk.toString().trim())),
      );
      const peer = await connect(bank, {
        server: ['--upstream', `http://127.0.0.1:${port}/`, '--upstream-token', 'BANK_TOKEN'],
        env: { BANK_TOKEN: 'secret' },
      });
      expect(await peer.list()).toContain('transfer');
      // Since 2026-07-28 the server wants the memo in a header too.
      const done = await authorised(peer, 'transfer', { amount: 60, memo: 'für Ann' });
      expect(done.content[0].text).toBe('transferred 60');
      expect(bank.effects()).toHaveLength(1);
      await peer.close();
    } finally {
      server.kill();
    }
  });
});

describe('the reference servers', () => {
  const files = (bank: Bank) => {
    const folder = join(bank.folder, 'files');
    mkdirSync(folder, { recursive: true });
    return {
      folder,
      server: [process.execPath, programOf('@modelcontextprotocol/server-filesystem'), folder],
    };
  };
  const relock = async (bank: Bank, server: readonly string[]) => {
    const { env } = bank.command();
    const args = ['mcp-guard', 'lock', '--policy', bank.policy, '--', ...server];
    expect(await cli.run(args, env)).toMatchObject({ code: 0 });
  };

  it.each(PEERS.slice(1))('%s writes a file once people authorised it', async (_, connect) => {
    const text = POLICY.replaceAll('tool: transfer', 'tool: write_file').replace(
      '{/amount}',
      '{/path}',
    );
    const bank = await newBank(instance, cli, text);
    const { folder, server } = files(bank);
    await relock(bank, server);
    const peer = await connect(bank, { server });
    const path = join(folder, 'note.txt');
    const asked = await peer.call('write_file', { path, content: 'two\nlines' });
    const { request_id: id } = asked._meta['countersign/call'];
    expect(existsSync(path)).toBe(false);
    const { body } = await reviewer.get(`/v2/requests/${id}/material`);
    expect(body.review_document).toContain('    /content\n      | two\n      | lines\n');
    await decide(reviewer, id, 'authorise', {});
    expect((await peer.call('write_file', { path, content: 'two\nlines' })).isError).toBeFalsy();
    expect(readFileSync(path, 'utf8')).toBe('two\nlines');
    await peer.close();
  });

  it('everything: lists and calls as without a guard', async () => {
    const bank = await newBank(instance, cli, POLICY.replace('get_*', 'echo'));
    const server = [
      process.execPath,
      programOf('@modelcontextprotocol/server-everything'),
      'stdio',
    ];
    await relock(bank, server);
    const peer = await newer('legacy', bank, { server });
    expect(await peer.list()).toEqual(['echo']);
    expect((await peer.call('echo', { message: 'hello' })).content[0].text).toContain('hello');
    await peer.close();
  });
});
