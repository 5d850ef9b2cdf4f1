import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { createLogger, inSpan, openCall, recordedTraceparent } from '@countersign/platform';
import { startTracing } from '@countersign/platform/tracing';
import type { Tracing, TracingOptions } from '@countersign/platform/tracing';
import { startCollector } from '../support/collector.js';
import { keyFilesOf } from '../support/key-files.js';
import { runCommand } from '../support/instance.js';
import { until } from '../support/requests.js';

const SAMPLED = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const UNSAMPLED = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00';
/** A collector has this long at the end, and the machine may be busy. */
const END_WITHIN_MS = 6000;

let tracing: Tracing | null = null;

function start(options: Pick<TracingOptions, 'sampler' | 'ratio'>): void {
  tracing = startTracing({
    exporter: 'otlp',
    // No server listens there, and none is needed.
    url: 'http://127.0.0.1:1/v1/traces',
    headers: {},
    serviceName: 'test',
    log: createLogger({ name: 'test', level: 'silent' }),
    ...options,
  });
}
afterEach(async () => {
  await tracing?.stop();
  tracing = null;
});

/** Whether a call that comes with this, through a trusted proxy, is recorded. */
function isRecorded(traceparent?: string, trusted = true): boolean {
  const { span } = openCall(traceparent, trusted);
  const recorded = span.run(() => recordedTraceparent()) !== null;
  span.end();
  return recorded;
}

describe('the sampler', () => {
  it.each([
    ['parentbased_traceidratio', 0, [true, false, false]],
    ['parentbased_traceidratio', 1, [true, false, true]],
    ['parentbased_always_off', 1, [true, false, false]],
    ['parentbased_always_on', 0, [true, false, true]],
    ['always_off', 1, [false, false, false]],
    ['always_on', 0, [true, true, true]],
    // The producer is not asked.
    ['traceidratio', 0, [false, false, false]],
    ['traceidratio', 1, [true, true, true]],
  ] as const)('%s with %d: of sampled, unsampled and new traces %j', (sampler, ratio, expected) => {
    start({ sampler, ratio });
    expect([isRecorded(SAMPLED), isRecorded(UNSAMPLED), isRecorded()]).toEqual(expected);
  });

  it.each([
    ['parentbased_traceidratio', 0, false],
    ['parentbased_traceidratio', 1, true],
    ['parentbased_always_off', 1, false],
    ['parentbased_always_on', 0, true],
    ['always_off', 1, false],
    ['always_on', 0, true],
    ['traceidratio', 0, false],
    ['traceidratio', 1, true],
  ] as const)('%s with %d: does not let strangers decide', (sampler, ratio, expected) => {
    start({ sampler, ratio });
    const recorded = [SAMPLED, UNSAMPLED].map((given) => isRecorded(given, false));
    expect(recorded).toEqual([expected, expected]);
    const { trace, span } = openCall(SAMPLED, false);
    span.end();
    expect([trace.traceId, trace.flags]).toEqual([SAMPLED.split('-')[1], expected ? '01' : '00']);
  });

  it.each(['parentbased_traceidratio', 'traceidratio'] as const)(
    '%s records its part of the traces of strangers, who cannot choose an id that always is',
    (sampler) => {
      start({ sampler, ratio: 0.25 });
      for (const id of ['0'.repeat(31) + '1', 'f'.repeat(24) + '0'.repeat(8)]) {
        const given = `00-${id}-b7ad6b7169203331-01`;
        const calls = Array.from({ length: 4000 }, () => isRecorded(given, false));
        expect(Math.abs(calls.filter(Boolean).length - 1000)).toBeLessThan(330);
      }
    },
  );

  it('records the configured part of new traces', () => {
    start({ sampler: 'parentbased_traceidratio', ratio: 0.25 });
    const recorded = Array.from({ length: 4000 }, () => isRecorded()).filter(Boolean).length;
    // Twelve standard deviations.
    expect(Math.abs(recorded - 1000)).toBeLessThan(330);
  });
});

it('gives work without a call no span, and a call only one when tracing is on', async () => {
  expect(isRecorded(SAMPLED)).toBe(false);
  start({ sampler: 'always_on', ratio: 1 });
  await inSpan('alone', {}, async ({ traceparent }) => expect(traceparent).toBeNull());
});

describe('a collector', () => {
  it('gets the kind and code of a failure, never its words', async () => {
    const collector = await startCollector();
    await trace(`${collector.url}/v1/traces`, 1);
    expect(collector.spans().map(({ name, attributes }) => [name, attributes])).toEqual([
      ['failing', { 'error.type': 'RangeError' }],
      ['HTTP', {}],
    ]);
    const bytes = Buffer.concat(collector.bodies);
    expect([bytes.includes('error.type'), bytes.includes('words')]).toEqual([true, false]);
    await collector.close();
  });

  it('that hangs costs no call any time, and the end a bounded one', async () => {
    const collector = await startCollector();
    collector.hang();
    const { madeMs, stopMs } = await trace(`${collector.url}/v1/traces`, 5000);
    expect(madeMs).toBeLessThan(5000);
    expect(stopMs).toBeLessThan(END_WITHIN_MS);
    await collector.close();
  });

  it('that refuses is logged once, by a code alone', async () => {
    const { stopMs, lines } = await trace(
      'http://name:collector-secret@127.0.0.1:1/v1/traces',
      10,
      'complaint',
    );
    expect(stopMs).toBeLessThan(END_WITHIN_MS);
    expect(lines.map(({ msg }) => msg)).toEqual(['the trace collector did not take spans']);
    expect(JSON.stringify(lines)).not.toContain('collector-secret');
  });
});

describe('the SDK', () => {
  it.each([
    ['off', {}, ['@opentelemetry/api']],
    [
      'on',
      { OTEL_TRACES_EXPORTER: 'console' },
      expect.arrayContaining(['@opentelemetry/sdk-trace-node']),
    ],
  ])('with tracing %s', async (_, env, expected) => {
    const loaded = await modulesLoadedBy(env);
    expect([...new Set(loaded)]).toEqual(expected);
  });
});

const ROOT = resolve(__dirname, '../..');

interface Run {
  readonly madeMs: number;
  readonly stopMs: number;
  /** Its log. */
  readonly lines: readonly { readonly msg: string }[];
}

/** A process that makes so many spans. */
async function trace(url: string, many: number, until = 'sent'): Promise<Run> {
  const script = join(ROOT, 'test', 'platform', 'traced.mjs');
  const { stdout } = await promisify(execFile)(process.execPath, [
    script,
    url,
    String(many),
    until,
  ]);
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const last = lines.pop() as Pick<Run, 'madeMs' | 'stopMs'>;
  return { ...last, lines };
}

/** The OpenTelemetry imports of a process of all targets until it waits for its missing database. */
async function modulesLoadedBy(env: Record<string, string>): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-modules-'));
  const seen = join(folder, 'seen');
  writeFileSync(seen, '');
  const { code } = await runCommand([
    ...['keygen', '--dir', folder, '--issuer', 'http://localhost:8080'],
  ]);
  expect(code).toBe(0);
  const keys = ['request', 'review', 'execution-authority', 'ledger', 'notifier'].map((name) => [
    `${name.toUpperCase().replaceAll('-', '_')}_SIGNING_KEY_FILE`,
    join(folder, `${name}.pem`),
  ]);
  const child = spawn(
    process.execPath,
    [
      ...['--import', pathToFileURL(join(ROOT, 'test', 'platform', 'seen-modules.mjs')).href],
      ...['deploy/dist/main.js', '--target=all'],
    ],
    {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        PATH: process.env['PATH'],
        SEEN_MODULES: seen,
        MODE: 'development',
        ORIGIN: 'http://localhost:8080',
        SANDBOX_ORIGIN: 'http://localhost:8081',
        OIDC_ISSUER: 'http://localhost:8082',
        DEVELOPMENT_PROVIDER_PORT: '8082',
        DEVELOPMENT_PEOPLE: '[{"subject":"ruth","name":"Ruth"}]',
        DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing',
        TRUST_FILE: join(folder, 'trust.json'),
        ...keyFilesOf(folder),
        ...Object.fromEntries(keys),
        ...env,
      },
    },
  );
  let log = '';
  child.stdout.on('data', (chunk: Buffer) => (log += chunk.toString()));
  const exited = once(child, 'exit');
  try {
    await Promise.race([
      until(
        async () => log,
        () => log.includes('waiting for the database'),
        40_000,
      ),
      exited.then(() => Promise.reject(new Error(`it ended:\n${log}`))),
    ]);
    return readFileSync(seen, 'utf8').trim().split('\n');
  } finally {
    child.kill('SIGKILL');
    await exited;
    rmSync(folder, { recursive: true, force: true });
  }
}
