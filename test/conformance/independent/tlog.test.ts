import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client, operatorOf, producerOf } from '../../support/client.js';
import { runCommand, startInstance } from '../../support/instance.js';
import type { Instance } from '../../support/instance.js';
import { reviewInput, until } from '../../support/requests.js';
import { connectTo, untilChained } from '../../support/truths.js';
import { newDataFolder } from '../../support/folder.js';
import { buildTlog, hasGo } from './tlog-program.js';

const there = hasGo() ? describe : describe.skip;

/** Independent programs read our published trees: `tlog/main.go`. */
there('a tree of a running ledger, read and witnessed by Go libraries', () => {
  const dataDirectory = newDataFolder('tlog');
  const program = join(dataDirectory, 'tlog');
  let instance: Instance | null = null;
  let operator: Client;
  let witness: ChildProcess | null = null;
  let vkey: string;
  let prefix: string;
  let path: string;

  interface Told {
    access: string;
    origin: string;
    prefix: string;
    size: number;
    verifier_keys: string[];
  }
  async function tree(...args: string[]): Promise<Told> {
    const { code, stdout, stderr } = await runCommand([
      ...['tree', '--tenant', 'demo', '--trust', join(dataDirectory, 'trust.json')],
      ...['--data', dataDirectory, ...args],
    ]);
    expect([code, stderr]).toEqual([0, '']);
    return JSON.parse(stdout) as Told;
  }

  function tlog(args: readonly string[], env: Record<string, string> = {}) {
    const { status, stdout, stderr } = spawnSync(program, args, {
      encoding: 'utf8',
      env: { ...process.env, ...env },
    });
    return { status, lines: stdout.trim().split('\n'), stderr };
  }
  const bearer = () => ({ TLOG_BEARER: instance!.demo.operator.token });

  async function start(env: Record<string, string> = {}): Promise<void> {
    instance = await startInstance({ dataDirectory, env });
    operator = operatorOf(instance.demo);
  }
  async function add(many: number): Promise<void> {
    const { demo } = instance as Instance;
    const created = await Promise.all(
      Array.from({ length: many }, () => producerOf(demo).post('/v2/requests', reviewInput(demo))),
    );
    expect(created.map(({ status }) => status)).toEqual(created.map(() => 201));
  }
  /** Until the tree has all that is in the ledger now. */
  async function untilGrown(): Promise<number> {
    const database = await connectTo(instance as Instance);
    try {
      await untilChained(database);
      const entries = async (sql: string): Promise<number> =>
        Number((await database.query(`SELECT ${sql} AS n`)).rows[0].n);
      const all = await entries(`(SELECT sequence FROM ledger_head WHERE tenant = 'demo')`);
      return await until(
        () => entries(`coalesce((SELECT size FROM tree WHERE tenant = 'demo'), 0)`),
        (size) => size >= all,
        30_000,
      );
    } finally {
      await database.end();
    }
  }

  beforeAll(async () => {
    buildTlog(program);
    await start();
    await add(3);
    await untilGrown();
    const told = await tree();
    expect(told.verifier_keys).toHaveLength(1);
    [vkey = ''] = told.verifier_keys;
    prefix = told.prefix;
    path = new URL(prefix).pathname;
  });
  afterAll(async () => {
    witness?.stdin?.end();
    await instance?.stop();
    rmSync(dataDirectory, { recursive: true, force: true });
  });

  it('has every record of the ledger in its order, under a root of its own reckoning', async () => {
    const { status, lines, stderr } = tlog(['follow', prefix, vkey], bearer());
    expect([status, stderr]).toEqual([0, '']);
    const [head = '', ...entries] = lines;
    const page = (await operator.get('/v2/admin/ledger?after=0')).body as {
      record_digest: string;
    }[];
    expect(head.split(' ')[0]).toBe(String(entries.length));
    expect(entries).toEqual(
      page.slice(0, entries.length).map(({ record_digest }) => record_digest.slice(7)),
    );
    expect(entries.length).toBeGreaterThan(3);
  });

  it('proves one record in one file, and no other', async () => {
    const [, entry] = (await operator.get('/v2/admin/ledger?after=0')).body;
    const file = join(dataDirectory, 'record.tlog-proof');
    writeFileSync(file, (await operator.get(`${path}/proof/2`)).text);
    const digest = entry.record_digest.slice(7);
    expect(tlog(['proof', file, vkey, digest])).toMatchObject({ status: 0, stderr: '' });
    expect(tlog(['proof', file, vkey, '0'.repeat(64)]).status).toBe(1);
  });

  it('is not there for anybody but operators of its tenant, until it is public', async () => {
    const { demo } = instance as Instance;
    const nobody = new Client(demo.origin, null);
    const ask = async (client: Client, of = `${path}/checkpoint`): Promise<unknown[]> => {
      const { status, body } = await client.get(of);
      return [status, body?.error];
    };
    const missing = `${path.replace(/[^/]+$/, '00000000-0000-4000-8000-000000000000')}/checkpoint`;
    expect(await ask(nobody)).toEqual([401, 'unauthenticated']);
    expect(await ask(nobody, missing)).toEqual([401, 'unauthenticated']);
    expect(await ask(producerOf(demo))).toEqual([403, 'operator_required']);
    const stranger = new Client(demo.origin, { token: demo.other.operator.token });
    expect(await ask(stranger)).toEqual([404, 'not_found']);
    expect(await ask(operator, missing)).toEqual([404, 'not_found']);
    expect((await operator.get(`${path}/checkpoint`)).headers.get('cache-control')).toBe(
      'no-store',
    );
    for (const wrong of ['tile/0/001', 'tile/0/000', 'tile/9/000.p/1', 'proof/0', 'proof/99999']) {
      expect(await ask(operator, `${path}/${wrong}`)).toEqual([404, 'not_found']);
    }

    expect((await tree('--access', 'public')).access).toBe('public');
    const { status, headers } = await nobody.get(`${path}/checkpoint`);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(tlog(['follow', prefix, vkey]).status).toBe(0);
    await tree('--access', 'operators');
    expect(await ask(nobody)).toEqual([401, 'unauthenticated']);
  });

  it('goes on after a restart from where it was, and a witness signs that it does', async () => {
    const { origin } = await tree();
    const [before = ''] = tlog(['follow', prefix, vkey], bearer()).lines;
    const tracked = () =>
      tlog(['track', prefix, vkey, join(dataDirectory, 'tracked')], bearer()).lines[0];
    expect(tracked()).toBe(before.split(' ')[0]);
    await instance?.stop();
    const started = spawn(program, ['witness', 'witness.example/w1', origin, vkey], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    witness = started;
    const lines = createInterface({ input: started.stdout });
    const line = await new Promise<string>((settle) => lines.once('line', settle));
    await start({ WITNESSES: line });
    const cosigner = line.split(' ')[0] as string;

    await add(2);
    await untilGrown();
    // No witness is configured yet.
    const cosigned = { ...bearer(), TLOG_COSIGNERS: cosigner };
    expect(tlog(['follow', prefix, vkey], cosigned).status).toBe(1);
    await tree('--access', 'witnesses');
    const follow = () => tlog(['follow', prefix, vkey, ...before.split(' ')], cosigned);
    await until(
      async () => follow().status,
      (status) => status === 0,
      30_000,
    );
    // From a tree that it has signed to one that it has not.
    await add(300);
    const size = await untilGrown();
    expect(size).toBeGreaterThan(300);
    const found = await until(
      async () => follow(),
      ({ status, lines }) => status === 0 && Number(lines[0]?.split(' ')[0]) >= size,
      30_000,
    );
    expect(found.stderr).toBe('');
    // Tessera's client proves by itself that the tree grew out of the one before the restart.
    expect(Number(tracked())).toBeGreaterThanOrEqual(size);
    const database = await connectTo(instance as Instance);
    const { rows } = await database.query(
      `SELECT count(DISTINCT size)::integer AS n FROM tree_cosignature WHERE tenant = 'demo'`,
    );
    await database.end();
    expect(rows[0].n).toBeGreaterThan(1);
  });
});
