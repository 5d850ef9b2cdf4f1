import { Refusal } from '@countersign/protocol';
import { createLogger } from './log.js';
import { inTrace, newTrace } from './telemetry.js';

const lines: string[] = [];
const log = createLogger({ name: 'test', destination: { write: (line) => void lines.push(line) } });
const last = (): Record<string, unknown> => JSON.parse(lines.at(-1) ?? '');
beforeEach(() => {
  lines.length = 0;
});

it('writes one JSON line with name, level, ISO time and the trace of the call', () => {
  const trace = newTrace();
  inTrace(trace, () => log.info({ count: 2 }, 'drained'));
  expect(last()).toMatchObject({
    name: 'test',
    level: 'info',
    msg: 'drained',
    count: 2,
    trace: trace.traceId,
  });
  expect(last()['time']).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
  log.info('outside');
  expect(last()).not.toHaveProperty('trace');
});

it('replaces members named after secrets, also one level down', () => {
  const authorization = 'Bearer canary';
  log.info({
    authorization,
    request: { headers: { authorization }, cookie: 'canary', body: 'canary' },
    token: 'canary',
  });
  expect(lines.join('')).not.toContain('canary');
});

it.each([
  ['a parser', () => JSON.parse('{"canary": canary}')],
  [
    'a database value',
    () => {
      throw Object.assign(new Error('invalid input syntax for type uuid: "canary"'), {
        severity: 'ERROR',
        code: '22P02',
      });
    },
  ],
  [
    'a duplicate key',
    () => {
      throw Object.assign(new Error('duplicate key value violates unique constraint "k"'), {
        severity: 'ERROR',
        code: '23505',
        constraint: 'k',
        detail: 'Key (token)=(canary) already exists.',
        where: 'canary',
      });
    },
  ],
  [
    'a database client',
    () => {
      throw Object.assign(new Error('Invalid `create()` invocation: { token: "canary" }'), {
        name: 'PrismaClientValidationError',
      });
    },
  ],
  [
    'a cause',
    () => {
      try {
        JSON.parse('canary');
      } catch (cause) {
        throw new Refusal('service_unavailable', { cause });
      }
    },
  ],
])('keeps the words of %s to itself', (_name, work) => {
  try {
    work();
  } catch (error) {
    log.error({ err: error }, 'failed');
  }
  expect(lines.join('')).not.toContain('canary');
  expect(last()['err']).toMatchObject({ type: expect.any(String), stack: expect.any(Array) });
});

it('describes other errors by their kind and place', () => {
  const cause = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  log.error({ err: new Refusal('service_unavailable', { cause }) }, 'failed');
  expect(last()['err']).toMatchObject({
    type: 'Refusal',
    code: 'service_unavailable',
    status: 503,
    cause: { type: 'Error', message: 'connect ECONNREFUSED', code: 'ECONNREFUSED' },
  });
  log.error({ err: 'thrown text' }, 'failed');
  expect(last()['err']).toEqual({ type: 'string' });
});

it('does not follow causes for ever', () => {
  const error: Error & { cause?: unknown } = new Error('loop');
  error.cause = error;
  log.error({ err: error }, 'failed');
  expect(lines).toHaveLength(1);
});
