import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Refusal } from '@countersign/protocol';
import type { JsonValue } from '@countersign/protocol';
import { createLogger } from '@countersign/platform';
import type * as Check from '@countersign/platform/schema-check';
import { until } from '../support/requests.js';
import {
  HUNGRY_RESPONSE,
  HUNGRY_SCHEMA,
  slowResponse,
  slowSchema,
} from '../support/slow-schemas.js';

// As it is built: a process loads JavaScript, and there is none beside the sources.
const ofPlatform = createRequire(join(__dirname, '../../packages/platform/package.json'));
const { SCHEMA_CHECK_LIMITS, SchemaPool, confined } = ofPlatform(
  './dist/schema-check/index.js',
) as typeof Check;

/** Where it does not matter how often a tenant was too slow. */
const FORGIVING = { ...SCHEMA_CHECK_LIMITS, breaks: 1000 };
/** For tests that do not have to wait for the real time to pass. */
const IMPATIENT = { ...FORGIVING, totalMs: 400 };

const now = () => performance.now();
/** As if no job ever waited for the machine, under any other load. */
const UNDISTURBED: Check.SchemaPoolMeters = { now, used: now };

let pool: Check.SchemaPool;
let salts = 0;

async function started(
  limits: Check.SchemaCheckLimits = FORGIVING,
  meters = UNDISTURBED,
): Promise<void> {
  pool = new SchemaPool(createLogger({ name: 'test', level: 'silent' }), limits, meters);
  await pool.start();
}
afterEach(() => pool.stop());

interface Verdict {
  /** 'ok' or the code of the refusal. */
  readonly code: string;
  readonly ms: number;
}

async function checked(tenant: string, schemaText: string, responseText: string | null) {
  const begin = performance.now();
  const code = await pool.check(tenant, { schemaText, responseText }).then(
    () => 'ok',
    (error: unknown) => (error instanceof Refusal ? error.code : String(error)),
  );
  return { code, ms: performance.now() - begin } satisfies Verdict;
}

const newTitle = () => `schema ${(salts += 1)}`;
const check = (tenant: string, schema: object, response: JsonValue = null) =>
  checked(tenant, JSON.stringify(schema), JSON.stringify(response));
/** A good job that no process has seen. */
const quick = (tenant: string) => check(tenant, { title: newTitle() });
/** A job that ends by its time alone. */
const slow = (tenant: string) => check(tenant, slowSchema(newTitle()), slowResponse(newTitle()));
const many = (count: number, start: () => Promise<Verdict>) => Array.from({ length: count }, start);
const codesOf = async (verdicts: Promise<Verdict>[]) =>
  (await Promise.all(verdicts)).map(({ code }) => code);

/** Nothing that is refused at once waited for anybody. */
const AT_ONCE_MS = 200;

it('works within the limits of protocol §10', () => {
  pool = new SchemaPool(createLogger({ name: 'test', level: 'silent' }));
  expect(SCHEMA_CHECK_LIMITS).toMatchObject({
    seats: 2,
    queued: 8,
    totalMs: 1500,
    jobBytes: 524_544,
    oldHeapMb: 64,
  });
});

describe('a job', () => {
  it('is checked in a process, with the code of the rule that it breaks', async () => {
    await started();
    const schema = { type: 'object', required: ['a'] };
    expect((await check('t', schema, { a: 1 })).code).toBe('ok');
    expect((await check('t', schema, {})).code).toBe('response_schema_mismatch');
    expect((await check('t', schema, null)).code).toBe('response_schema_mismatch');
    expect((await checked('t', '{"type":"object","required":["a"]}', null)).code).toBe('ok');
    expect((await check('t', { format: 'date' })).code).toBe('unsupported_schema_keyword');
    expect((await check('t', { type: 'nothing' })).code).toBe('invalid_response_schema');
  });

  it('has 1.5 s in total: one that runs is stopped, one that waits is sent away', async () => {
    await started();
    const [running, waiting] = await Promise.all([slow('t'), quick('t')]);
    expect([running.code, waiting.code]).toEqual([
      'schema_validation_timeout',
      'schema_validation_busy',
    ]);
    for (const { ms } of [running, waiting]) {
      expect(ms).toBeGreaterThan(1450);
      expect(ms).toBeLessThan(3000);
    }
    // The process that was stopped is replaced.
    await until(
      () => quick('t'),
      ({ code }) => code === 'ok',
    );
  });

  it('has the memory of its process at most, and takes nothing from the next one', async () => {
    await started({ ...FORGIVING, totalMs: 20_000 });
    const hungry = await check('t', HUNGRY_SCHEMA, HUNGRY_RESPONSE);
    expect(hungry.code).toBe('schema_resource_limit');
    expect(await codesOf(many(3, () => quick('t')))).toEqual(['ok', 'ok', 'ok']);
  });

  it('that breaks its process is refused, and the process replaced', async () => {
    await started({ ...FORGIVING, totalMs: 20_000 });
    // No caller can send it: a text that is no JSON was refused long before.
    for (const tenant of ['t', 't', 'u']) {
      expect((await checked(tenant, 'no JSON', null)).code).toBe('schema_validation_unavailable');
    }
    expect(await codesOf(many(3, () => quick('t')))).toEqual(['ok', 'ok', 'ok']);
  });

  it('that the machine never let run is not blamed for it', async () => {
    let used = 0;
    await started(IMPATIENT, { now, used: () => used });
    expect((await slow('t')).code).toBe('schema_validation_busy');
    // Until the process has started again it counts for its tenant.
    await until(
      () => quick('t'),
      ({ code }) => code === 'ok',
    );
    const blamed = slow('t');
    used += 0.6 * IMPATIENT.totalMs;
    expect((await blamed).code).toBe('schema_validation_timeout');
  });

  it('that got its process too late to show anything is not blamed for it', async () => {
    let clock = 0;
    const meters = { now: () => clock, used: () => clock };
    await started(IMPATIENT, meters);
    const late = slow('t');
    clock += 50;
    expect((await late).code).toBe('schema_validation_busy');
  });

  it('that was done in time is good though this thread stood still meanwhile', async () => {
    await started(IMPATIENT);
    const done = quick('t');
    const end = performance.now() + 2 * IMPATIENT.totalMs;
    while (performance.now() < end);
    expect((await done).code).toBe('ok');
  });
});

describe('a tenant', () => {
  it('has one process at most, and jobs without a place are refused at once', async () => {
    await started(IMPATIENT);
    const running = slow('a');
    const waiting = many(8, () => quick('a'));
    const refused = await quick('a');
    expect(refused.code).toBe('schema_validation_busy');
    expect(refused.ms).toBeLessThan(AT_ONCE_MS);
    // The other process is there for others.
    const other = await quick('b');
    expect(other.code).toBe('ok');
    expect(other.ms).toBeLessThan(AT_ONCE_MS);
    expect((await running).code).toBe('schema_validation_timeout');
    expect(await codesOf(waiting)).toEqual(Array(8).fill('schema_validation_busy'));
  });

  it('that fills the queue gives way to others', async () => {
    await started(IMPATIENT);
    const running = [slow('a'), slow('b')];
    const crowded = many(8, () => quick('a'));
    const waiting = quick('c');
    const first = await Promise.race(crowded);
    expect([first.code, first.ms < AT_ONCE_MS]).toEqual(['schema_validation_busy', true]);
    await Promise.all([...running, ...crowded, waiting]);
  });

  it('that was too slow three times waits, gets the waiting time, and no other waits', async () => {
    await started({ ...IMPATIENT, breaks: 3 });
    for (let time = 0; time < 3; time += 1) {
      // A process that starts again counts for who broke it.
      const { code } = await until(
        () => slow('a'),
        (verdict) => verdict.code !== 'schema_validation_busy',
      );
      expect(code).toBe('schema_validation_timeout');
    }
    const refusal = await pool
      .check('a', { schemaText: '{}', responseText: '1' })
      .catch((error: unknown) => error as Refusal);
    expect(refusal).toMatchObject({ code: 'schema_validation_busy' });
    expect(refusal?.retryAfter).toBeGreaterThan(30);
    expect(refusal?.retryAfter).toBeLessThanOrEqual(60);
    // Its producers' schemas do not delay its reviewers, nor the other way round.
    const alone = () => checked('a', JSON.stringify({ title: newTitle() }), null);
    expect((await until(alone, ({ code }) => code === 'ok')).code).toBe('ok');
    expect((await quick('b')).code).toBe('ok');
  });

  it('whose turn comes is served before those that may not run, and those with less before those with more', async () => {
    await started();
    const order: string[] = [];
    const noted = async (name: string, verdict: Promise<Verdict>) => {
      const { code } = await verdict;
      if (code === 'ok') order.push(name);
    };
    const blocked = slow('a');
    const waiting = [
      noted('a1', quick('a')),
      noted('b1', quick('b')),
      noted('b2', quick('b')),
      noted('c1', quick('c')),
    ];
    await Promise.all(waiting);
    expect(order).toEqual(['b1', 'c1', 'b2']);
    expect((await blocked).code).toBe('schema_validation_timeout');
  });

  it('gets the fault of an earlier refusal again', async () => {
    await started();
    const schema = { title: newTitle(), type: 'string' };
    expect((await check('a', schema, 1)).code).toBe('response_schema_mismatch');
    expect((await check('a', schema, 1)).code).toBe('response_schema_mismatch');
  });
});

describe('a pool', () => {
  it('refuses every job before its start and after its end', async () => {
    pool = new SchemaPool(createLogger({ name: 'test', level: 'silent' }));
    expect((await quick('t')).code).toBe('schema_validation_unavailable');
    await pool.start();
    expect((await quick('t')).code).toBe('ok');
    const [running, waiting] = [slow('t'), quick('t')];
    await pool.stop();
    for (const { code, ms } of await Promise.all([running, waiting, quick('t')])) {
      expect([code, ms < AT_ONCE_MS]).toEqual(['schema_validation_unavailable', true]);
    }
  });
});

describe('a process', () => {
  const LIMITS = SCHEMA_CHECK_LIMITS;

  /** The output of a program that Node runs as it runs those that check schemas. */
  function said(program: string): string {
    const { command, args, env } = confined(['--input-type=module', '--eval', program], LIMITS);
    const { stdout, stderr, status } = spawnSync(command, [...args], { env, encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
    return stdout.trim();
  }

  it('may not read files, write any, or start processes, threads and addons', () => {
    const attempts = {
      'read the system': `fs.readFileSync('/etc/passwd')`,
      'read the environment of its parent': `fs.readFileSync('/proc/' + process.ppid + '/environ')`,
      'read the project': `fs.readFileSync(${JSON.stringify(join(__dirname, '../../package.json'))})`,
      'list a folder': `fs.readdirSync('/')`,
      write: `fs.writeFileSync('/tmp/countersign-was-here', '')`,
      'start a process': `child.spawnSync('true')`,
      'start a thread': `new threads.Worker('', { eval: true })`,
      'load an addon': `process.dlopen({ exports: {} }, '/nothing.node')`,
      'be debugged': `inspector.open(0)`,
    };
    const program = `
      import fs from 'node:fs';
      import child from 'node:child_process';
      import threads from 'node:worker_threads';
      import inspector from 'node:inspector';
      const found = {};
      const refused = (name, attempt) => {
        try { attempt(); found[name] = 'done'; } catch (error) { found[name] = error.code; }
      };
      ${Object.entries(attempts)
        .map(([name, code]) => `refused(${JSON.stringify(name)}, () => ${code});`)
        .join('\n')}
      console.log(JSON.stringify(found));`;
    const found = JSON.parse(said(program)) as Record<string, string>;
    expect(Object.keys(found)).toEqual(Object.keys(attempts));
    for (const [name, code] of Object.entries(found)) {
      const refusal = name === 'load an addon' ? 'ERR_DLOPEN_DISABLED' : 'ERR_ACCESS_DENIED';
      expect([name, code]).toEqual([name, refusal]);
    }
  });

  it('has no environment', () => {
    process.env['COUNTERSIGN_TEST_SECRET'] = 'secret';
    try {
      expect(said('console.log(JSON.stringify(process.env))')).toBe('{}');
    } finally {
      delete process.env['COUNTERSIGN_TEST_SECRET'];
    }
  });
});
