import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  cosignaturesOf,
  noteText,
  readCheckpoint,
  readTilePath,
  readVerifierKey,
} from '@countersign/protocol';
import type { NoteKey } from '@countersign/protocol';
import { operatorOf, producerOf } from '../support/client.js';
import type { Client } from '../support/client.js';
import { newDataFolder, newFolder } from '../support/folder.js';
import { runCommand, startInstance } from '../support/instance.js';
import type { Instance } from '../support/instance.js';
import { reviewInput, until } from '../support/requests.js';
import { entriesOf, keyPairOf, logOf } from './support/own-log.js';
import type { OwnLog } from './support/own-log.js';
import { startCommand, startWitness } from './support/process.js';
import type { RunningWitness } from './support/process.js';
import { takeRequests } from './support/requests-taken.js';
import type { Taken } from './support/requests-taken.js';
import { honest, startTreeProxy } from './support/tree-proxy.js';
import type { Tamper, TreeProxy } from './support/tree-proxy.js';

const text = (of: string): Uint8Array => new TextEncoder().encode(of);

describe('the tree of a running ledger', () => {
  const dataDirectory = newDataFolder('watch');
  const folder = newFolder('watch-files');
  const at = (name: string): string => join(folder, name);
  let instance: Instance;
  let operator: Client;
  let origin: string;
  let prefix: string;
  let witness: RunningWitness | null = null;
  let cosigner: NoteKey;
  /** Between the log and its witness: times the witness's answers. */
  let between: Taken;
  const times: number[] = [];
  let proxy: TreeProxy;
  /** The entry of a request, and its evidence. */
  let entry: { sequence: string; record_digest: string };

  async function tree(...args: string[]) {
    const { code, stdout, stderr } = await runCommand([
      ...['tree', '--tenant', 'demo', '--trust', join(dataDirectory, 'trust.json')],
      ...['--data', dataDirectory, ...args],
    ]);
    expect([code, stderr]).toEqual([0, '']);
    return JSON.parse(stdout) as { origin: string; prefix: string; verifier_keys: string[] };
  }
  const checkpoint = async () =>
    (await operator.get(`${new URL(prefix).pathname}/checkpoint`)).text;
  const headOf = (of: string) => readCheckpoint(of)?.head ?? { size: 0, root: Buffer.alloc(0) };
  const cosigned = (of: string) => {
    const { body = '', signatures = [] } = readCheckpoint(of)?.note ?? {};
    return cosignaturesOf(body, signatures, [cosigner]);
  };

  async function add(many: number): Promise<string> {
    const before = headOf(await checkpoint()).size;
    const created = await Promise.all(
      Array.from({ length: many }, () =>
        producerOf(instance.demo).post('/v2/requests', reviewInput(instance.demo)),
      ),
    );
    expect(created.map(({ status }) => status)).toEqual(created.map(() => 201));
    await until(
      async () => headOf(await checkpoint()).size,
      (size) => size >= before + many,
    );
    return created[0]?.body.request.id as string;
  }

  /** Looks once, by way of the proxy. */
  const watch = (args: readonly string[] = [], state = 'state') =>
    runCommand([
      ...['watch', '--once', '--trust', instance.demo.trust, '--origin', origin],
      ...['--prefix', proxy.prefix, '--token-file', at('token'), '--state', at(state), ...args],
    ]);

  beforeAll(async () => {
    const made = await runCommand([
      ...['witness', '--key', at('w.key'), '--new-key', 'witness.example/w'],
    ]);
    cosigner = readVerifierKey(made.stdout.trim()) as NoteKey;
    between = await takeRequests(async (body) => {
      if (witness === null) return { status: 503, type: 'text/plain', text: '' };
      const begun = performance.now();
      const answer = await witness.add(body);
      times.push(performance.now() - begun);
      return answer;
    });
    const env = { WITNESSES: `${made.stdout.trim()} ${between.url}` };
    instance = await startInstance({ dataDirectory, env });
    operator = operatorOf(instance.demo);
    writeFileSync(at('token'), instance.demo.operator.token);
    ({ origin, prefix } = await tree());
    proxy = await startTreeProxy(prefix);
    await add(3);
    [, entry] = (await operator.get('/v2/admin/ledger?after=0')).body;
  });
  afterEach(() => proxy.tamper(honest));
  afterAll(async () => {
    witness?.child.kill('SIGTERM');
    await witness?.ended;
    await proxy.stop();
    await between.stop();
    await instance.stop();
    for (const gone of [dataDirectory, folder]) rmSync(gone, { recursive: true, force: true });
  });

  it('is signed by a witness of ours, as it grows', async () => {
    const { verifier_keys: keys } = await tree('--access', 'witnesses');
    witness = await startWitness(
      folder,
      keys.flatMap((key) => ['--log', key]),
    );
    await until(checkpoint, (now) => cosigned(now).length === 1);
    for (let round = 0; round < 5; round += 1) {
      await add(1);
      await until(checkpoint, (now) => cosigned(now).length === 1);
    }
    // Past the first full tile.
    await add(300);
    await until(checkpoint, (now) => cosigned(now).length === 1 && headOf(now).size > 300);
    const sorted = [...times].sort((a, b) => a - b);
    const [median, longest] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
    console.info(
      `round trip of a witness: ${median?.toFixed(1)} ms at the median of ${sorted.length}, ${longest?.toFixed(1)} ms at most`,
    );
  });

  it('holds for a monitor, which goes on from what it has seen', async () => {
    const first = await watch();
    expect([first.code, first.stderr]).toEqual([0, '']);
    expect(first.stdout).toMatch(/^HOLDS: .* has \d+ entries; \d+ hashes verified, root \S+=\n$/);
    copyFileSync(at('state'), at('earlier'));
    await add(2);
    const second = await watch();
    expect([second.code, second.stderr]).toEqual([0, '']);
    expect(second.stdout).toMatch(/which continue the \d+ seen before; \d+ hashes verified/);
    const third = await watch();
    expect([third.code, third.stdout, third.stderr]).toEqual([0, '', '']);
    const { verifier_keys: keys } = await tree();
    const byKey = ['--trust', keys[0] ?? '', '--prefix', prefix, '--token-file', at('token')];
    expect((await runCommand(['watch', '--once', ...byKey])).code).toBe(0);
  });

  it('holds the records of a request, and no others', async () => {
    const id = await add(1);
    const file = at('evidence.json');
    const evidence = await until(
      () => operator.get(`/v2/requests/${id}/evidence`),
      ({ status }) => status === 200,
    );
    writeFileSync(file, evidence.text);
    const { sequence, record_digest: digest } = entry;
    const looks = async (record: string) => {
      const { code, stderr } = await watch(['--include', record]);
      return [code, stderr];
    };
    expect(await looks(`${sequence}=${digest}`)).toEqual([0, '']);
    expect(await looks(file)).toEqual([0, '']);
    const another = `sha256:${'0'.repeat(64)}`;
    expect(await looks(`${sequence}=${another}`)).toEqual([
      1,
      `VIOLATION: Entry ${sequence} of ${origin} is another record than ${another}.\n`,
    ]);
    expect(await looks(`99999=${digest}`)).toEqual([
      3,
      'NOT CHECKED: the log has no entry 99999 yet.\n',
    ]);
    const altered = evidence.text.replace(/"record_digest":"sha256:[0-9a-f]{64}/, (found) =>
      found.replace(/.{4}$/, 'beef'),
    );
    writeFileSync(file, altered);
    expect((await looks(file))[0]).toBe(1);
    expect((await looks(at('nothing')))[0]).toBe(2);
  });

  it('is looked at again where it limits the rate', async () => {
    const refused: string[] = [];
    proxy.tamper((path, content) => {
      if (refused.length > 0) return content;
      refused.push(path);
      return { status: 429, body: text('') };
    });
    expect((await watch()).code).toBe(0);
    expect(refused).toEqual(['checkpoint']);
  });

  it('is not judged where it gives no answer', async () => {
    const open = ['watch', '--once', '--trust', instance.demo.trust, '--origin', origin];
    expect(await runCommand(open)).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/^NOT CHECKED: .* answers 401: this log is not public;/),
    });
    proxy.tamper(() => ({ status: 503, body: text('') }));
    expect((await watch()).code).toBe(3);
    expect((await watch(['--interval', '0'])).code).toBe(2);
    expect((await watch(['--trust', at('nothing')])).code).toBe(2);
    writeFileSync(at('damaged'), '{');
    expect((await watch([], 'damaged')).code).toBe(2);
  });

  describe('seen through a proxy that lies', () => {
    /** Of a thief of the ledger's key. */
    let other: OwnLog;
    let now: ReturnType<typeof headOf>;

    beforeAll(async () => {
      await watch();
      now = headOf(await checkpoint());
      const pem = readFileSync(join(dataDirectory, 'keys', 'ledger.pem'), 'utf8');
      other = logOf(keyPairOf(origin, pem), entriesOf('x', now.size + 50));
    });
    const served =
      (log: OwnLog, size: number): Tamper =>
      (path) => {
        if (path === 'checkpoint') return { status: 200, body: text(log.checkpoint(size)) };
        const asked = readTilePath(path);
        const hashes = asked?.kind === 'tile' ? log.tile(asked.tile) : undefined;
        const width = asked?.kind === 'tile' ? asked.width : 0;
        return { status: 200, body: (hashes ?? text('')).subarray(0, width * 32) };
      };
    const tile =
      (which: RegExp, change: (body: Uint8Array) => Uint8Array | null): Tamper =>
      (path, content) => {
        const changed = which.test(path) ? change(content.body) : content.body;
        return changed === null
          ? { status: 404, body: text('') }
          : { status: content.status, body: changed };
      };
    const flipped = (body: Uint8Array) =>
      body.map((byte, place) => (place === 40 ? byte ^ 1 : byte));

    // Each begins with the state of the honest log, or, of `fresh`, with none.
    it.each<[string, () => Tamper, RegExp, string?]>([
      [
        'a rollback',
        () => {
          const { checkpoint: older } = JSON.parse(readFileSync(at('earlier'), 'utf8'));
          return (path, content) =>
            path === 'checkpoint' ? { status: 200, body: text(older) } : content;
        },
        /was rolled back: it had \d+ entries before and has \d+ now\.$/,
      ],
      [
        'a fork: two heads of one size',
        () => served(other, now.size),
        /has forked: it signed two trees of \d+ entries, with the roots \S+ and \S+\.$/,
      ],
      [
        'a fork: a larger tree that does not continue the one before',
        () => served(other, now.size + 50),
        /has forked: its tree of \d+ entries does not continue the one of \d+ entries that it showed before\.$/,
      ],
      [
        'a truncated tree',
        () => tile(/^tile\/0\/001/, (body) => body.subarray(0, -32)),
        /The tree of \S+ is truncated: tile\/0\/001\.p\/\d+ has \d+ of \d+ hashes\.$/,
      ],
      [
        'a missing tile',
        () => tile(/^tile\/1\/000/, () => null),
        /does not serve tile\/1\/000\.p\/1, which belongs to its checkpoint of \d+ entries\.$/,
      ],
      [
        'a tile changed at the edge',
        () => tile(/^tile\/0\/001/, flipped),
        /do not lead to the root of its checkpoint of \d+ entries\.$/,
      ],
      [
        'a full tile that was changed',
        () => tile(/^tile\/0\/000$/, flipped),
        /^VIOLATION: tile\/0\/000 of \S+ was changed: it does not belong to the checkpoint/,
        'fresh',
      ],
      [
        'a checkpoint that another key signed',
        () => served(logOf(keyPairOf(origin), entriesOf('y', 9)), 9),
        /is not signed with a key that --trust names\.$/,
      ],
      [
        'a checkpoint of another log',
        () => served(logOf(keyPairOf('log.example/two'), entriesOf('y', 9)), 9),
        /answers with a checkpoint of log\.example\/two, not of/,
      ],
      [
        'a page',
        () => () => ({ status: 200, body: text('<html>Log in</html>') }),
        /no checkpoint\.$/,
      ],
    ])('names %s in one sentence', async (_, how, says, state = 'state') => {
      proxy.tamper(how());
      rmSync(at('copy'), { force: true });
      if (state !== 'fresh') copyFileSync(at(state), at('copy'));
      const { code, stdout, stderr } = await watch([], 'copy');
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr.trimEnd().split('\n')).toHaveLength(1);
      expect(stderr.trimEnd()).toMatch(/^VIOLATION: /);
      expect(stderr.trimEnd()).toMatch(says);
      expect(stderr).not.toContain(instance.demo.operator.token);
    });

    it('tells the webhook once, counts each look, and holds again with the honest log', async () => {
      const hook = await takeRequests(async () => ({ status: 200, type: 'text/plain', text: '' }));
      copyFileSync(at('state'), at('followed'));
      const running = startCommand([
        ...['watch', '--trust', instance.demo.trust, '--origin', origin, '--interval', '1'],
        ...['--prefix', proxy.prefix, '--token-file', at('token'), '--state', at('followed')],
        ...['--webhook', `${hook.url}/secret-path`, '--metrics-listen', '127.0.0.1:0'],
      ]);
      try {
        const [, url = ''] = /at (\S+)$/.exec(await running.firstLine) ?? [];
        const metric = async (name: string) => {
          const found = await (await fetch(url)).text();
          return Number(
            found
              .split('\n')
              .find((line) => line.startsWith(name))
              ?.split(' ')[1],
          );
        };
        const held = 'countersign_watch_looks_total{outcome="held"';
        await until(
          () => metric(held),
          (many) => many >= 1,
        );
        proxy.tamper(served(other, now.size));
        const forked = 'countersign_watch_violations_total{violation="forked"';
        await until(
          () => metric(forked),
          (many) => many >= 3,
        );
        expect(hook.bodies).toHaveLength(1);
        const {
          checkpoint: of,
          seen_checkpoint: seen,
          at: _,
          ...alarm
        } = JSON.parse(hook.bodies[0] ?? '');
        expect(alarm).toEqual({
          violation: 'forked',
          sentence: expect.stringContaining('has forked'),
          origin,
        });
        // Both are signed by the log: proof for everybody.
        expect([of, seen].map((one) => headOf(one).size)).toEqual([now.size, now.size]);
        expect(of).toBe(other.checkpoint(now.size));
        proxy.tamper(honest);
        const before = await metric(held);
        await until(
          () => metric(held),
          (many) => many > before,
        );
        expect(await metric('countersign_watch_size')).toBe(now.size);
        running.child.kill('SIGTERM');
        expect(await running.ended).toBe(1);
        expect(running.stderr().match(/VIOLATION/g)).toHaveLength(1);
        expect(running.stdout() + running.stderr()).not.toContain('secret-path');
      } finally {
        running.child.kill('SIGKILL');
        await hook.stop();
      }
    });
  });

  it('holds with signatures of keys that are unknown', async () => {
    const now = await checkpoint();
    const { note } = readCheckpoint(now)!;
    const lines = note.signatures.map(({ line }) => line);
    const stranger = '— stranger.example AAAAAAAA';
    proxy.tamper((path, content) =>
      path === 'checkpoint'
        ? { status: 200, body: text(noteText(note.body, [stranger, ...lines])) }
        : content,
    );
    expect((await watch()).code).toBe(0);
  });
});
