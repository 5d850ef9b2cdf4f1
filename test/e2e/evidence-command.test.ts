import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { personOf, producerOf } from '../support/client.js';
import { startInstance } from '../support/instance.js';
import type { Instance } from '../support/instance.js';
import { authorisedRequest } from '../support/requests.js';

// `countersign evidence`, against the service (docs/verify.md).

const COMMAND = resolve(__dirname, '../../deploy/countersign.mjs');

let instance: Instance;
let folder: string;
let id: string;
let store: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-evidence-command-'));
  instance = await startInstance();
  const { demo, dataDirectory } = instance;
  store = join(dataDirectory, 'anchor');
  const reviewer = await personOf(demo, dataDirectory, demo.people[1]!.id);
  const status = await authorisedRequest(demo, producerOf(demo), reviewer);
  id = status.body.request.id;
  file('token', `${demo.producer.token}\n`);
  const connected = await run(
    ['connection', '--producer', demo.producer.id, '--tenant', demo.tenant],
    ['--data', dataDirectory, '--out', 'connection.json'],
  );
  expect(connected.code).toBe(0);
});
afterAll(async () => {
  await instance?.stop();
  rmSync(folder, { recursive: true, force: true });
});

function file(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return name;
}

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function run(...args: readonly (readonly string[])[]): Promise<Ran> {
  return new Promise((settle) => {
    const env = { ...process.env, COUNTERSIGN_TOKEN: undefined };
    execFile(
      process.execPath,
      [COMMAND, ...args.flat()],
      { cwd: folder, env },
      (error, stdout, stderr) =>
        settle({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

const access = (origin = instance.demo.origin, token = 'token') => [
  ...['--origin', origin, '--token-file', token],
];
const evidence = (...args: readonly (readonly string[])[]) => run(['evidence', id], ...args);

describe('countersign evidence', () => {
  it('waits for the ledger, verifies, and writes a file that `verify` takes', async () => {
    // The request was decided a moment ago: at first the ledger’s tree does not reach so far.
    const { code, stderr, stdout } = await evidence(access(), ['--trust', instance.demo.trust]);
    expect([code, stderr]).toEqual([0, '']);
    const out = `evidence-${id}.json`;
    expect(stdout).toContain(`countersign verify ${out}`);
    const trusted = ['--trust', instance.demo.trust];
    expect((await run(['verify', out], trusted)).code).toBe(3);
    const whole = await run(['verify', out], trusted, ['--store', store]);
    expect([whole.code, whole.stdout]).toEqual([0, expect.stringMatching(/^HOLDS/)]);
    expect(whole.stdout).not.toContain('--store');
  });

  it.each([
    ['with --html', ['--html'], () => `evidence-${id}.html`],
    ['by the name of the file', ['--out', 'case.html'], () => 'case.html'],
  ])('writes a page %s, which `verify` takes as it is', async (_, args, out) => {
    const { code, stdout } = await evidence(access(), ['--trust', instance.demo.trust], args);
    expect([code, stdout]).toEqual([0, expect.stringContaining(`countersign verify ${out()}`)]);
    const page = readFileSync(join(folder, out()), 'utf8');
    expect(page).toMatch(/^<!doctype html>/);
    const given = ['--trust', instance.demo.trust, '--store', store];
    const verified = await run(['verify', out()], given);
    expect([verified.code, verified.stdout]).toEqual([0, expect.stringMatching(/^HOLDS/)]);
    const altered = page.replace('Pay invoice 17', 'Pay invoice 18');
    expect((await run(['verify', file('altered.html', altered)], given)).code).toBe(1);
  });

  it('writes it for its owner alone, since it holds private material', async () => {
    // As of a command that was killed; everybody may read it.
    file('private.json.new', 'half');
    await evidence(access(), ['--out', 'private.json']);
    expect(statSync(join(folder, 'private.json')).mode & 0o777).toBe(0o600);
  });

  it('takes origin, token and manifest from a connection file', async () => {
    // Its token is in a file beside it.
    const connection = join(instance.dataDirectory, 'countersign.json');
    const args = ['--connection', connection, '--out', 'by-connection.json'];
    expect((await evidence(args)).code).toBe(0);
    const missing = await evidence(['--connection', 'connection.json']);
    expect([missing.code, missing.stderr]).toEqual([
      1,
      expect.stringContaining('the environment variable COUNTERSIGN_TOKEN: it holds no'),
    ]);
  });

  it('takes an origin with a slash behind it', async () => {
    const out = ['--out', 'slash.json'];
    expect((await evidence(access(`${instance.demo.origin}/`), out)).code).toBe(0);
  });

  it('writes nothing when the evidence fails under the manifest', async () => {
    const forged = readFileSync(join(folder, `evidence-${id}.json`), 'utf8');
    const answer = forged.replaceAll('Pay invoice 17', 'Pay invoice 18');
    const server = createServer((_, response) => response.end(answer));
    await new Promise<void>((listens) => server.listen(0, '127.0.0.1', listens));
    const { port } = server.address() as AddressInfo;
    const forger = access(`http://127.0.0.1:${port}`);
    const args = ['--trust', instance.demo.trust, '--out', 'forged.json'];
    const { code, stderr } = await evidence(forger, args);
    server.close();
    expect([code, stderr]).toEqual([1, expect.stringContaining('FAILS')]);
    expect(existsSync(join(folder, 'forged.json'))).toBe(false);
  });

  it.each<[string, () => readonly string[], RegExp]>([
    ['no access', () => [], /Name a --connection file/],
    ['an origin that is none', () => access('localhost'), /--origin: an origin is wanted/],
    ['an origin with a path', () => access('http://localhost/v2'), /--origin: an origin is wanted/],
    ['a service that is not there', () => access('http://127.0.0.1:9'), /does not answer/],
    ['a token file that is not there', () => access(undefined, 'none'), /none: there is no such/],
    ['an empty token', () => access(undefined, file('empty', '')), /empty: it holds no bearer/],
    [
      'a token of two lines',
      () => access(undefined, file('two', 'secret-one\nsecret-two\n')),
      /two: it holds no bearer/,
    ],
    [
      'a token that the service does not know',
      () => access(undefined, file('unknown', 'secret-three')),
      /401 unauthenticated/,
    ],
    ['a connection file that is none', () => ['--connection', file('c.json', '{}')], /manifest/],
    [
      'an output that cannot be written',
      () => [...access(), '--out', 'none/evidence.json'],
      /none\/evidence\.json: cannot be written \(ENOENT\)/,
    ],
  ])('names what is wrong with %s, and shows neither token nor stack', async (_, args, says) => {
    const { code, stderr } = await evidence(args());
    expect([code, stderr]).toEqual([1, expect.stringMatching(says)]);
    expect(stderr).not.toMatch(/secret|^\s+at /m);
  });

  it('says of an unknown request what the service says', async () => {
    const { code, stderr } = await run(['evidence', 'nope'], access());
    expect([code, stderr]).toEqual([1, expect.stringContaining('404 not_found')]);
  });
});
