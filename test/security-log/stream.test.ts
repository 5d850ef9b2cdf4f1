import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  statSync,
} from 'node:fs';
import { constants } from 'node:fs';
import { closeSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { saveSecurityEvents } from '@countersign/database';
import {
  SecurityStore,
  SecurityStreamStore,
  fileSink,
  otlpSink,
  securityStreamMetrics,
  securityStreamModule,
  syslogSink,
} from '@countersign/ledger';
import type { Sink, StreamBounds } from '@countersign/ledger';
import { createLogger, createMetrics } from '@countersign/platform';
import type { Module } from '@countersign/platform';
import { until } from '@countersign/dev-servers/testing';
import { INSTALLATION, chainHead, textDigest } from '@countersign/protocol';
import { insertTenant, startTestServer } from '../database/server.js';
import type { TestPool, TestServer } from '../database/server.js';
import { selfSigned } from '../e2e/deliveries/support/certificate.js';
import { newFolder } from '../support/folder.js';
import { startOtlpReceiver } from './otlp-receiver.js';
import type { OtlpReceiver } from './otlp-receiver.js';
import { startSyslogServer } from './syslog-server.js';
import type { SyslogServer } from './syslog-server.js';

// The security log leaves the installation (protocol R41): to real receivers, from a real database.

const ORIGIN = 'https://review.example';
const GENEROUS: StreamBounds = { entries: 1_000_000, hours: 168 };
const SOON_MS = 20_000;
const collector = selfSigned(['localhost']);
const stranger = selfSigned(['localhost']);

let server: TestServer;
let owner: pg.Pool;
let request: TestPool;
let chain: SecurityStore;
let stream: TestPool;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

// Sinks and chains of one test are nothing to the next.
beforeEach(async () => {
  const url = await server.migratedDatabase();
  owner = server.pool(url);
  request = server.pool(url, 'request');
  chain = new SecurityStore(server.pool(url, 'ledger'));
  stream = server.pool(url, 'security-log', 8);
});

const newTenant = () => insertTenant(owner);

/** That many reads by people of these names, chained. */
async function note(tenant: string, ...actors: readonly string[]): Promise<void> {
  await saveSecurityEvents(
    tenant === INSTALLATION ? owner : request,
    actors.map((id) => ({ tenant, kind: 'material.read', actor: { id, kind: 'human' } }) as const),
  );
  while ((await chain.drain(tenant, 100)) > 0);
}

const named = (count: number, prefix = 'p'): string[] =>
  Array.from({ length: count }, (_, n) => `${prefix}${n}`);

const running = new Set<Module>();
afterEach(async () => {
  await Promise.all([...running].map((module) => module.stop()));
  running.clear();
});

async function started(sink: Sink, bounds = GENEROUS): Promise<Module> {
  const module = securityStreamModule({
    store: new SecurityStreamStore(stream),
    sinks: [sink],
    bounds,
    log: createLogger({ name: 'test', level: 'silent' }),
  });
  running.add(module);
  await module.start();
  return module;
}

async function stopped(module: Module): Promise<void> {
  running.delete(module);
  await module.stop();
}

/** The text of `/metrics`, unchanged. */
async function metricsText(sink: Sink['name']): Promise<string> {
  const metrics = createMetrics('test');
  const log = createLogger({ name: 'test', level: 'silent' });
  securityStreamMetrics(metrics, log, new SecurityStreamStore(stream), [sink]);
  return metrics.metrics();
}

interface Line {
  readonly entry: {
    readonly actor: { readonly id: string };
    readonly kind: string;
    readonly tenant: string;
  };
  readonly head: string;
  readonly ledger_id: string;
  readonly previous_head: string;
  readonly sequence: number;
}

const actorsOf = (lines: readonly Line[]) => lines.map(({ entry }) => entry.actor.id);

describe('JSON lines in a file', () => {
  const linesIn = (path: string): Line[] =>
    existsSync(path)
      ? readFileSync(path, 'utf8')
          .split('\n')
          .slice(0, -1)
          .map((line) => JSON.parse(line) as Line)
      : [];

  it('are every entry of every chain once, each chain in its order and provably without a gap', async () => {
    const path = join(newFolder('lines'), 'security.jsonl');
    const tenants = [await newTenant(), await newTenant(), INSTALLATION];
    for (const tenant of tenants) await note(tenant, ...named(130));
    await started(fileSink(path));
    await until(() => linesIn(path).length >= 390, SOON_MS);
    const raw = readFileSync(path, 'utf8').split('\n').slice(0, -1);
    for (const tenant of tenants) {
      let [sequence, head] = [0, ''];
      for (const text of raw.filter((line) => (JSON.parse(line) as Line).entry.tenant === tenant)) {
        const line = JSON.parse(text) as Line;
        expect([line.sequence, line.previous_head]).toEqual([sequence + 1, head]);
        // The entry stands in the line as it was chained.
        const entry = text.slice('{"entry":'.length, text.indexOf(',"head":'));
        expect(line.head).toBe(chainHead(head, textDigest(entry), line.sequence));
        [sequence, head] = [line.sequence, line.head];
      }
      expect(sequence).toBe(130);
    }
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('go on in a new file when the old one was renamed', async () => {
    const folder = newFolder('lines');
    const path = join(folder, 'security.jsonl');
    const tenant = await newTenant();
    await note(tenant, 'ann');
    await started(fileSink(path));
    await until(() => linesIn(path).length === 1, SOON_MS);
    renameSync(path, join(folder, 'security.1.jsonl'));
    await note(tenant, 'bob');
    await until(() => linesIn(path).length === 1, SOON_MS);
    expect(actorsOf(linesIn(path))).toEqual(['bob']);
    expect(actorsOf(linesIn(join(folder, 'security.1.jsonl')))).toEqual(['ann']);
  });

  it('begin a new line behind one that a process left unfinished', async () => {
    const path = join(newFolder('lines'), 'security.jsonl');
    appendFileSync(path, '{"entry":{"act');
    await note(await newTenant(), 'ann');
    await started(fileSink(path));
    await until(() => readFileSync(path, 'utf8').endsWith('}\n'), SOON_MS);
    const [torn, whole] = readFileSync(path, 'utf8').split('\n');
    expect(torn).toBe('{"entry":{"act');
    expect((JSON.parse(whole as string) as Line).entry.actor.id).toBe('ann');
  });

  it('wait in front of a named pipe until a reader opens it', async () => {
    const path = join(newFolder('lines'), 'pipe');
    execFileSync('mkfifo', [path]);
    await note(await newTenant(), 'ann', 'bob');
    await started(fileSink(path));
    await until(async () => (await failuresSeen('lines')) > 0, SOON_MS);
    const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      let text = '';
      await until(() => {
        text += readAvailable(reader);
        return text.split('\n').length === 3;
      }, SOON_MS);
      const lines = text.split('\n').slice(0, -1);
      expect(actorsOf(lines.map((line) => JSON.parse(line) as Line))).toEqual(['ann', 'bob']);
    } finally {
      closeSync(reader);
    }
  });
});

/** Rounds that had something to send and sent nothing: the lag grows while nothing moves. */
async function failuresSeen(sink: Sink['name']): Promise<number> {
  const { rows } = await owner.query<{ waiting: number }>(
    `SELECT count(*)::integer AS waiting FROM security_position p JOIN security_head h USING (tenant)
     WHERE p.sink = $1 AND p.sequence < h.sequence`,
    [sink],
  );
  return rows[0]?.waiting ?? 0;
}

function readAvailable(file: number): string {
  const buffer = Buffer.alloc(65_536);
  try {
    return buffer.toString('utf8', 0, readSync(file, buffer, 0, buffer.length, null));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return '';
    throw error;
  }
}

describe('OTLP over HTTP', () => {
  let receiver: OtlpReceiver;
  beforeEach(async () => {
    receiver = await startOtlpReceiver();
  });
  afterEach(() => receiver.close());

  const sink = (headers: Readonly<Record<string, string>> = {}): Sink =>
    otlpSink({ url: `http://127.0.0.1:${receiver.port}/v1/logs`, headers, origin: ORIGIN });
  const actors = () => receiver.logs.map(({ attributes }) => attributes['countersign.actor.id']);

  it('sends an entry as the reads show it, under an id that stays the same', async () => {
    const tenant = await newTenant();
    await note(tenant, 'ann');
    await started(sink({ authorization: 'Bearer of-the-collector' }));
    await until(() => receiver.logs.length === 1, SOON_MS);
    const { rows } = await owner.query<{ entry: string; head: string; ledger_id: string }>(
      `SELECT e.entry, e.head, h.ledger_id FROM security_entry e JOIN security_head h USING (tenant) WHERE e.tenant = $1`,
      [tenant],
    );
    const [kept] = rows;
    const { time } = JSON.parse(kept?.entry as string) as { time: string };
    expect(receiver.logs[0]).toEqual({
      timeUnixNano: `${Date.parse(time)}000000`,
      observedTimeUnixNano: `${Date.parse(time)}000000`,
      severityNumber: 9,
      severityText: 'INFO',
      eventName: 'material.read',
      body: kept?.entry,
      attributes: {
        'log.record.uid': kept?.head,
        'countersign.kind': 'material.read',
        'countersign.source': 'request',
        'countersign.tenant': tenant,
        'countersign.actor.id': 'ann',
        'countersign.actor.kind': 'human',
        'countersign.ledger_id': kept?.ledger_id,
        'countersign.sequence': '1',
        'countersign.head': kept?.head,
        'countersign.previous_head': '',
      },
    });
    expect(receiver.headers[0]).toMatchObject({
      authorization: 'Bearer of-the-collector',
      'content-type': 'application/json',
    });
    expect(receiver.resource()).toEqual({
      'service.name': 'countersign',
      'countersign.origin': ORIGIN,
    });
  });

  it('sends again the entries that the collector did not take, and the others only once', async () => {
    receiver.answer({ status: 503, retryAfter: '1' });
    await note(await newTenant(), 'ann', 'bob');
    await started(sink());
    await until(() => receiver.calls() >= 2, SOON_MS);
    expect(receiver.logs).toEqual([]);
    receiver.answer({ status: 200 });
    await until(() => receiver.logs.length > 0, SOON_MS);
    expect(actors()).toEqual(['ann', 'bob']);
  });

  it('counts entries that the collector refuses for good, and does not send them again', async () => {
    receiver.answer({
      status: 200,
      body: { partialSuccess: { rejectedLogRecords: '1', errorMessage: 'too old' } },
    });
    const tenant = await newTenant();
    await note(tenant, 'ann', 'bob');
    await started(sink());
    await until(
      async () => /unsent_total\{.*sink="otlp".*\} 1$/m.test(await metricsText('otlp')),
      SOON_MS,
    );
    receiver.answer({ status: 200 });
    await note(tenant, 'carl');
    await until(() => receiver.logs.length === 3, SOON_MS);
    expect(actors()).toEqual(['ann', 'bob', 'carl']);
  });

  it('continues behind the sent entries when the process starts again', async () => {
    const tenant = await newTenant();
    await note(tenant, 'ann');
    const first = await started(sink());
    await until(() => receiver.logs.length === 1, SOON_MS);
    await stopped(first);
    await note(tenant, 'bob');
    await started(sink());
    await until(() => receiver.logs.length === 2, SOON_MS);
    expect(actors()).toEqual(['ann', 'bob']);
  });

  it('sends each entry once from two replicas, and from the other one when the first is stopped', async () => {
    const tenants = [await newTenant(), await newTenant()];
    const replicas = [await started(sink()), await started(sink())];
    for (let round = 0; round < 5; round += 1) {
      for (const tenant of tenants) await note(tenant, ...named(20, `${round}-`));
    }
    await until(() => receiver.logs.length >= 200, SOON_MS);
    await stopped(replicas[0] as Module);
    await note(tenants[0] as string, 'last');
    await until(() => actors().includes('last'), SOON_MS);
    expect(receiver.logs).toHaveLength(201);
    expect(new Set(receiver.logs.map(({ attributes }) => attributes['log.record.uid'])).size).toBe(
      201,
    );
  });

  it('skips and counts the entries beyond the bound, and sends the rest', async () => {
    const tenant = await newTenant();
    receiver.answer('hang');
    const bounds = { entries: 10, hours: 168 };
    await note(tenant, 'first');
    await started(sink(), bounds);
    await until(() => receiver.calls() === 1, SOON_MS);
    await note(tenant, ...named(49));
    receiver.answer({ status: 200 });
    await until(() => receiver.logs.length === 10, SOON_MS + 15_000);
    expect(actors()).toEqual(named(49).slice(39));
    expect(await metricsText('otlp')).toMatch(
      /^countersign_security_log_unsent_total\{.*sink="otlp".*\} 40$/m,
    );
  });

  it('skips and counts old entries, and reports the lag before', async () => {
    const tenant = await newTenant();
    receiver.answer({ status: 503 });
    await note(tenant, ...named(5, 'old-'));
    const away = await started(sink());
    await until(() => receiver.calls() > 0, SOON_MS);
    await stopped(away);
    await owner.query(
      `UPDATE security_entry SET created_at = created_at - interval '3 hours' WHERE tenant = $1`,
      [tenant],
    );
    await note(tenant, 'new');
    const [, lag] = /lag_seconds\{.*sink="otlp".*\} (\S+)$/m.exec(await metricsText('otlp')) ?? [];
    expect(Number(lag)).toBeGreaterThan(10_000);
    receiver.answer({ status: 200 });
    await started(sink(), { entries: 1000, hours: 2 });
    await until(() => receiver.logs.length > 0, SOON_MS);
    expect(actors()).toEqual(['new']);
    expect(await metricsText('otlp')).toMatch(/unsent_total\{.*sink="otlp".*\} 5$/m);
  });

  it('gives a new collector the entries within the bounds, and counts nothing as unsent', async () => {
    await note(await newTenant(), ...named(12));
    await started(sink(), { entries: 4, hours: 168 });
    await until(() => receiver.logs.length > 0, SOON_MS);
    expect(actors()).toEqual(named(12).slice(8));
    expect(await metricsText('otlp')).toMatch(/unsent_total\{.*sink="otlp".*\} 0$/m);
  });
});

describe('a collector behind TLS', () => {
  it('gets nothing over OTLP when its authority is another one', async () => {
    const receiver = await startOtlpReceiver(collector);
    const url = `https://localhost:${receiver.port}/v1/logs`;
    const to = (ca: string) => otlpSink({ url, headers: {}, origin: ORIGIN, ca });
    await note(await newTenant(), 'ann');
    const [entry] = await nextEntries('otlp');
    await expect(to(stranger.cert).send([entry])).rejects.toThrow('DEPTH_ZERO_SELF_SIGNED_CERT');
    expect(receiver.calls()).toBe(0);
    await to(collector.cert).send([entry]);
    expect(receiver.logs).toHaveLength(1);
    await receiver.close();
  });
});

async function nextEntries(sink: Sink['name']) {
  const store = new SecurityStreamStore(stream);
  await store.hold(sink, randomUUID(), 1);
  await store.begin(sink, GENEROUS);
  const entries = await store.next(sink, 100);
  return entries as [(typeof entries)[number], ...typeof entries];
}

describe('syslog over TLS', () => {
  const servers: SyslogServer[] = [];
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((each) => each.close()));
  });

  async function listening(
    options: Parameters<typeof startSyslogServer>[0],
  ): Promise<SyslogServer> {
    const one = await startSyslogServer(options);
    servers.push(one);
    return one;
  }
  const sinkTo = (
    { port }: SyslogServer,
    tls: { ca: string; cert?: string; key?: string; host?: string } = { ca: collector.cert },
  ): Sink => syslogSink({ host: 'localhost', port, hostname: 'review.example', ...tls });
  const linesOf = ({ messages }: SyslogServer) =>
    messages.map(({ text }) => JSON.parse(text) as Line);

  it('sends each entry as a message of RFC 5424 in a frame of RFC 5425', async () => {
    const siem = await listening(collector);
    const tenant = await newTenant();
    await note(tenant, 'ann', 'Bärbel');
    await started(sinkTo(siem));
    await until(() => siem.messages.length === 2, SOON_MS);
    expect(siem.faults).toEqual([]);
    expect(actorsOf(linesOf(siem))).toEqual(['ann', 'Bärbel']);
    const [{ text, timestamp, ...header }] = siem.messages as [SyslogServer['messages'][number]];
    expect(header).toEqual({
      facility: 13,
      severity: 6,
      version: '1',
      hostname: 'review.example',
      appName: 'countersign',
      procId: '-',
      msgId: 'material.read',
      structuredData: '-',
    });
    expect((JSON.parse(text) as { entry: { time: string } }).entry.time).toBe(timestamp);
  });

  it('sends a large backlog in whole frames', async () => {
    const siem = await listening(collector);
    await note(await newTenant(), ...named(1200));
    await started(sinkTo(siem));
    await until(() => siem.messages.length >= 1200, SOON_MS);
    expect(siem.faults).toEqual([]);
    expect(actorsOf(linesOf(siem))).toEqual(named(1200));
  });

  it('sends everything again when the connection breaks in the middle of a frame', async () => {
    const siem = await listening(collector);
    siem.breakNext();
    await note(await newTenant(), ...named(400));
    await started(sinkTo(siem));
    await until(() => siem.messages.length >= 401, SOON_MS);
    expect(siem.broken()).toBe(1);
    // At least once: the frame that came before the break came twice, and its head says so.
    const lines = linesOf(siem);
    expect(actorsOf(lines)).toEqual(['p0', ...named(400)]);
    expect(new Set(lines.map(({ head }) => head)).size).toBe(400);
  });

  it.each([
    ['is signed by another authority', { ca: stranger.cert }, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    [
      'is for another name',
      { ca: collector.cert, host: '127.0.0.1' },
      'ERR_TLS_CERT_ALTNAME_INVALID',
    ],
  ])('tells nothing to a collector whose certificate %s', async (_, tls, reason) => {
    const siem = await listening(collector);
    await note(await newTenant(), 'ann');
    const [entry] = await nextEntries('syslog');
    await expect(sinkTo(siem, tls).send([entry])).rejects.toThrow(reason);
    expect(siem.messages).toEqual([]);
    expect(siem.faults).toEqual([]);
  });

  it('shows its certificate to a collector that asks for one, which refuses senders without', async () => {
    const client = selfSigned(['countersign']);
    const siem = await listening({ ...collector, senders: client.cert });
    await note(await newTenant(), 'ann');
    const [entry] = await nextEntries('syslog');
    await expect(sinkTo(siem).send([entry])).rejects.toThrow();
    expect(siem.messages).toEqual([]);
    await sinkTo(siem, { ca: collector.cert, ...client }).send([entry]);
    expect(actorsOf(linesOf(siem))).toEqual(['ann']);
    expect(siem.shown).toEqual(['test receiver']);
  });
});
