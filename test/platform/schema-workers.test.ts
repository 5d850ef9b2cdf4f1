import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Refusal } from '@countersign/protocol';
import type { JsonValue } from '@countersign/protocol';
import type * as Platform from '@countersign/platform';
import { until } from '../support/requests.js';
import {
  HUNGRY_RESPONSE,
  HUNGRY_SCHEMA,
  slowResponse,
  slowSchema,
} from '../support/slow-schemas.js';

// As it is built: a thread loads JavaScript, and there is none beside the sources.
const ofPlatform = createRequire(join(__dirname, '../../packages/platform/package.json'));
const { SCHEMA_WORKER_LIMITS, SchemaWorkers } = ofPlatform(
  './dist/schema-workers/pool.js',
) as typeof Platform;

/** For whatever does not have to wait for the real time to pass. */
const IMPATIENT = { ...SCHEMA_WORKER_LIMITS, totalMs: 400 };

const now = () => performance.now();
/** As if no job ever waited for the machine, whatever else runs on it. */
const UNDISTURBED: Platform.SchemaWorkerMeters = { now, used: now };

let pool: Platform.SchemaWorkers;
let salts = 0;

async function started(limits = SCHEMA_WORKER_LIMITS, meters = UNDISTURBED): Promise<void> {
  pool = new SchemaWorkers(limits, meters);
  await pool.start();
}
afterEach(() => pool.stop());

interface Verdict {
  /** 'ok' or the code of the refusal. */
  readonly code: string;
  readonly ms: number;
}

async function judged(tenant: string, schemaText: string, responseText: string | null) {
  const begin = performance.now();
  const code = await pool.check(tenant, { schemaText, responseText }).then(
    () => 'ok',
    (error: unknown) => (error instanceof Refusal ? error.code : String(error)),
  );
  return { code, ms: performance.now() - begin } satisfies Verdict;
}

const newTitle = () => `schema ${(salts += 1)}`;
const check = (tenant: string, schema: object, response: JsonValue = null) =>
  judged(tenant, JSON.stringify(schema), JSON.stringify(response));
/** A good job that no worker has seen. */
const quick = (tenant: string) => check(tenant, { title: newTitle() });
/** A job that ends by its time alone. */
const slow = (tenant: string) => check(tenant, slowSchema(newTitle()), slowResponse(newTitle()));
const many = (count: number, start: () => Promise<Verdict>) => Array.from({ length: count }, start);
const codesOf = async (verdicts: Promise<Verdict>[]) =>
  (await Promise.all(verdicts)).map(({ code }) => code);

/** Nothing that is refused at once waited for anybody. */
const AT_ONCE_MS = 200;

it('works within the limits of contract §10', () => {
  pool = new SchemaWorkers();
  expect(SCHEMA_WORKER_LIMITS).toEqual({
    workers: 2,
    queued: 8,
    totalMs: 1500,
    jobBytes: 524_544,
    resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 },
  });
});

describe('a job', () => {
  it('is judged in a worker, with the code of the rule that it breaks', async () => {
    await started();
    const schema = { type: 'object', required: ['a'] };
    expect((await check('t', schema, { a: 1 })).code).toBe('ok');
    expect((await check('t', schema, {})).code).toBe('response_schema_mismatch');
    expect((await check('t', schema, null)).code).toBe('response_schema_mismatch');
    expect((await judged('t', '{"type":"object","required":["a"]}', null)).code).toBe('ok');
    expect((await check('t', { format: 'date' })).code).toBe('unsupported_schema_keyword');
    expect((await check('t', { type: 'nothing' })).code).toBe('invalid_response_schema');
  });

  it('has 524544 bytes at most, of schema and response together', async () => {
    await started();
    const schema = '{"type":"string"}';
    const response = (bytes: number) => `"é${'x'.repeat(bytes - schema.length - 4)}"`;
    expect((await judged('t', schema, response(524_544))).code).toBe('ok');
    expect((await judged('t', schema, response(524_545))).code).toBe('schema_validation_too_large');
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
    // The worker that was stopped is replaced.
    expect((await quick('t')).code).toBe('ok');
  });

  it('has the memory of its worker at most, and takes nothing from the next one', async () => {
    await started({ ...SCHEMA_WORKER_LIMITS, totalMs: 20_000 });
    const hungry = await check('t', HUNGRY_SCHEMA, HUNGRY_RESPONSE);
    expect(hungry.code).toBe('schema_resource_limit');
    expect(await codesOf(many(3, () => quick('t')))).toEqual(['ok', 'ok', 'ok']);
  });

  it('that breaks its worker is refused, and the worker replaced', async () => {
    await started();
    // No caller can send it: what is not even JSON was refused long before.
    for (const tenant of ['t', 't', 'u']) {
      expect((await judged(tenant, 'no JSON', null)).code).toBe('schema_validation_unavailable');
    }
    expect(await codesOf(many(3, () => quick('t')))).toEqual(['ok', 'ok', 'ok']);
  });

  it('that the machine never let run is not blamed for it', async () => {
    let used = 0;
    await started(IMPATIENT, { now, used: () => used });
    expect((await slow('t')).code).toBe('schema_validation_busy');
    const blamed = slow('t');
    used += 0.6 * IMPATIENT.totalMs;
    expect((await blamed).code).toBe('schema_validation_timeout');
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
  it('has one worker and six places at most, and what does not fit is refused at once', async () => {
    await started(IMPATIENT);
    const running = slow('a');
    const waiting = many(6, () => quick('a'));
    const refused = await quick('a');
    expect(refused.code).toBe('schema_validation_busy');
    expect(refused.ms).toBeLessThan(AT_ONCE_MS);
    // The other worker and the other places are there for others.
    const other = await quick('b');
    expect(other.code).toBe('ok');
    expect(other.ms).toBeLessThan(AT_ONCE_MS);
    expect((await running).code).toBe('schema_validation_timeout');
    expect(await codesOf(waiting)).toEqual(Array(6).fill('schema_validation_busy'));
  });

  it('shares eight places with all others', async () => {
    await started(IMPATIENT);
    const running = [slow('a'), slow('b')];
    const waiting = [...many(6, () => quick('a')), ...many(2, () => quick('b'))];
    for (const tenant of ['a', 'b', 'c']) {
      const refused = await quick(tenant);
      expect([refused.code, refused.ms < AT_ONCE_MS]).toEqual(['schema_validation_busy', true]);
    }
    expect(await codesOf(running)).toEqual(Array(2).fill('schema_validation_timeout'));
    await Promise.all(waiting);
    // As soon as the machine has started threads in the place of the two.
    const again = async () => codesOf(['a', 'b', 'c'].map((tenant) => quick(tenant)));
    await until(again, (codes) => codes.every((code) => code === 'ok'));
  });

  it('whose turn comes is served before those that may not run, in the order of their coming', async () => {
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
    expect(order).toEqual(['b1', 'b2', 'c1']);
    expect((await blocked).code).toBe('schema_validation_timeout');
  });

  it('needs no worker for what was good before, and learns nothing of what was good for others', async () => {
    await started(IMPATIENT);
    const known = { title: newTitle() };
    expect((await check('a', known, 1)).code).toBe('ok');
    const blocked = [slow('x'), slow('y')];
    const again = await check('a', known, 1);
    expect([again.code, again.ms < AT_ONCE_MS]).toEqual(['ok', true]);
    // Other responses, schemas alone and other tenants wait like everybody.
    const others = [check('a', known, 2), judged('a', JSON.stringify(known), null)];
    const foreign = check('b', known, 1);
    expect(await codesOf([...others, foreign])).toEqual(Array(3).fill('schema_validation_busy'));
    await Promise.all(blocked);
  });

  it('asks once when it asks the same many times at once', async () => {
    await started(IMPATIENT);
    const schema = { title: newTitle(), type: 'string' };
    expect(await codesOf(many(40, () => check('a', schema, 'x')))).toEqual(Array(40).fill('ok'));
    expect(await codesOf(many(40, () => check('a', schema, 1)))).toEqual(
      Array(40).fill('response_schema_mismatch'),
    );
    const blocked = slow('b');
    expect(await codesOf([...many(40, () => check('b', schema, 'x')), blocked])).toEqual([
      ...Array(40).fill('schema_validation_busy'),
      'schema_validation_timeout',
    ]);
    expect((await check('b', schema, 'x')).code).toBe('ok');
  });

  it('is told anew what was wrong before', async () => {
    await started();
    const schema = { title: newTitle(), type: 'string' };
    expect((await check('a', schema, 1)).code).toBe('response_schema_mismatch');
    expect((await check('a', schema, 1)).code).toBe('response_schema_mismatch');
  });
});

describe('a pool', () => {
  it('serves nobody before its start and after its end', async () => {
    pool = new SchemaWorkers();
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
