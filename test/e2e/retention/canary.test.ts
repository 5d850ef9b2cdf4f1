import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { loadTrust, valueDigest, verifyAnchorProof, verifyRecord } from '@countersign/protocol';
import type { AnchorProof, SignedRecord } from '@countersign/protocol';
import {
  decide,
  executionBinding,
  executionInput,
  reviewInput,
  until,
} from '../../support/requests.js';
import { Canaries, randomText } from './canaries.js';
import {
  count,
  executedRequest,
  newRequest,
  pass,
  startFixture,
  untilDone,
  untilGone,
  verifiedLedger,
} from './fixture.js';
import type { Fixture } from './fixture.js';

/**
 * Invariant I15, over everything that an instance has on disk: the database with its WAL, the files of Redis, NATS, the
 * logs of every process at the most detailed level, the anchor store, and the metrics.
 */
describe('after deletion no private byte is left', () => {
  const canaries = new Canaries();
  let fixture: Fixture;
  let redis: Redis;
  let ids: Awaited<ReturnType<typeof plant>>;

  beforeAll(async () => {
    fixture = await startFixture({
      split: true,
      env: {
        LOG_LEVEL: 'trace',
        HOUSEKEEPING_SECONDS: '1',
        MAIL_FROM: 'Countersign <no-reply@countersign.example>',
        // No server listens there: mail waits, and every attempt is logged.
        SMTP_URL: 'smtp://127.0.0.1:9',
      },
    });
    redis = new Redis(fixture.urls.REDIS_URL as string);
    // Otherwise old segments are renamed, and their content is kept until it is overwritten.
    await fixture.database.query('ALTER SYSTEM SET wal_recycle = off');
    await fixture.database.query('SELECT pg_reload_conf()');
    ids = await plant();
  });
  afterAll(async () => {
    redis?.disconnect();
    await fixture?.stop();
  });

  it('the search finds existing words', async () => {
    await settle();
    const found = search(await look());
    expect([...new Set(found.map(fieldOf))].sort()).toEqual([...PRIVATE, ...AUDITED].sort());
    // In tables and in the WAL, and as samples nowhere.
    expect(found.some((finding) => finding.includes('pg_wal'))).toBe(true);
    expect(found.filter((finding) => !/ in postgres\//.test(finding))).toEqual([]);
  });

  it('private deletion leaves nothing of material, candidates, mail and secrets', async () => {
    await pass(fixture, 'private_deletion', ...ids.all.filter((id) => id !== ids.discarded));
    expect((await fixture.operator.post(`/v2/requests/${ids.discarded}/discard`)).status).toBe(200);
    for (const id of ids.all) await untilDone(fixture, id, 'private_deletion');
    // Not before: housekeeping may take the HTML of an old bundle at any moment in which no request needs it.
    await fixture.database.query(`UPDATE bundle SET created_at = created_at - interval '1 hour'`);
    await until(
      () => count(fixture, 'bundle WHERE html IS NOT NULL'),
      (kept) => kept === 0,
    );
    await scrub();
    const found = search(await look());
    expect(found.filter((finding) => PRIVATE.includes(fieldOf(finding)))).toEqual([]);
    // The same search still finds the data that is kept until the audit is over.
    expect([...new Set(found.map(fieldOf))].sort()).toEqual([...AUDITED].sort());
    expect(found.filter((finding) => !/ in postgres\//.test(finding))).toEqual([]);
    // Mail that was being sent meanwhile, or is made later, ends when its turn comes.
    const unsent = `delivery WHERE kind = 'smtp' AND state = 'pending' AND request_id = ANY ($1)`;
    await until(
      () => count(fixture, unsent, [ids.all]),
      (left) => left === 0,
    );
  });

  it('receipts, proofs and the chain verify as before', async () => {
    const { demo, producer } = fixture;
    const trust = loadTrust(JSON.parse(readFileSync(demo.trust, 'utf8')), demo.origin);
    const exported = (await producer.get(`/v2/requests/${ids.executed}/export`)).body as {
      records: SignedRecord[];
      anchor: AnchorProof;
      material: unknown;
      audit: { record: string | null; record_digest: string }[];
    };
    expect(exported.material).toBeNull();
    expect(exported.records.map(({ protected: { type } }) => type)).toEqual([
      'DecisionReceipt',
      'ExecutionClaim',
      'AdmissionStatus',
      'ExecutionOutcome',
    ]);
    for (const record of exported.records) {
      const { type } = record.protected;
      const verified = verifyRecord(record, trust, {
        type: type as 'DecisionReceipt',
        audience: demo.producer.id,
        tenant: demo.tenant,
      });
      expect([type, verified.ok]).toEqual([type, true]);
      expect(exported.audit.map(({ record_digest }) => record_digest)).toContain(
        valueDigest(record),
      );
    }
    const proof = verifyAnchorProof(exported.anchor, trust, {
      recordDigest: valueDigest(exported.records[0] as SignedRecord),
      now: Date.now(),
    });
    expect(proof.ok).toBe(true);
    expect((await verifiedLedger(fixture)).every(({ record }) => record !== null)).toBe(true);
  });

  it('audit deletion leaves nothing at all', async () => {
    await pass(fixture, 'audit_deletion', ...ids.all);
    for (const id of ids.all) await untilGone(fixture, id);
    await scrub();
    expect(search(await look())).toEqual([]);
    await verifiedLedger(fixture);
  });

  const planted: readonly (readonly [string, string, string])[] = [
    ['material is not removed', 'material', 'DELETE ON material'],
    ['a candidate is not removed', 'response', 'DELETE ON candidate'],
    ['a stored answer is not cleared', 'response', 'UPDATE OF result ON idempotency'],
  ];
  it.each(planted)('would be found when %s', async (_, field, where) => {
    const { database, reviewer, demo } = fixture;
    await database.query(
      `CREATE FUNCTION planted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
         CREATE TRIGGER planted BEFORE ${where} FOR EACH ROW EXECUTE FUNCTION planted()`,
    );
    const own = new Canaries();
    try {
      const id = await newRequest(
        fixture,
        reviewInput(demo, { payload: own.of('material'), response_schema: ANY_NOTE }),
      );
      const proposal = { response: { note: own.of('response') }, decision: 'answer' };
      expect((await reviewer.post(`/v2/requests/${id}/candidates`, proposal)).status).toBe(201);
      await pass(fixture, 'private_deletion', id);
      await untilDone(fixture, id, 'private_deletion');
      await scrub();
      expect(search(await look(), own).map(fieldOf)).toContain(field);
    } finally {
      await database.query(
        `DROP TRIGGER planted ON ${where.split(' ON ')[1]}; DROP FUNCTION planted()`,
      );
    }
  });

  // ---------------------------------------------------------------------------------------------------

  /** Requests in every state that holds something private, and calls that are refused. */
  async function plant() {
    const { demo, producer, publisher, operator, reviewer, database } = fixture;
    const { rows } = await database.query<{ config: object }>(
      'SELECT config FROM principal WHERE tenant = $1 AND id = $2',
      [demo.tenant, fixture.reviewerId],
    );
    await put(operator, fixture.reviewerId, {
      kind: 'human',
      config: { ...rows[0]!.config, email: 'reviewer@countersign.example', email_verified: true },
    });
    const own = await database.query<{ config: object }>(
      'SELECT config FROM principal WHERE tenant = $1 AND id = $2',
      [demo.tenant, demo.producer.id],
    );
    const producerWith = (secret: string) =>
      put(operator, demo.producer.id, {
        kind: 'producer',
        config: { ...own.rows[0]!.config, webhook_secret: secret },
      });
    await producerWith(`whsec_${canaries.of('webhook secret')}`);

    const material = (changes: Record<string, unknown> = {}) => ({
      summary: canaries.of('summary'),
      metadata: { note: canaries.of('metadata') },
      payload: { [canaries.of('payload key')]: 1, text: canaries.of('payload') },
      response_schema: {
        ...ANY_NOTE,
        properties: {
          note: { type: 'string' },
          choice: { enum: [canaries.of('schema'), 'other'] },
        },
      },
      review_document: `# Is this right?\n\n${canaries.of('document')}\n`,
      ...changes,
    });
    const response = { note: canaries.of('response') };

    const pending = await newRequest(fixture, reviewInput(demo, material()));
    for (const note of ['first', canaries.of('response')]) {
      const answer = await reviewer.post(`/v2/requests/${pending}/candidates`, {
        response: { note },
        decision: 'answer',
      });
      expect(answer.status).toBe(201);
    }
    const bundle = await publisher.post('/v2/bundles', {
      html: `<p>${canaries.of('bundle')}</p>`,
      compatibility: { agent_ui: '2' },
      author: 'A',
      licence: 'MIT',
    });
    const app = await newRequest(
      fixture,
      reviewInput(demo, {
        ...material(),
        profiles: { 'proto.agent-ui': '2' },
        bundle_id: bundle.body.id,
      }),
    );
    expect((await decide(reviewer, app, 'answer', response)).status).toBe(200);
    // So large that it does not travel in a message.
    const large = await newRequest(
      fixture,
      reviewInput(
        demo,
        material({ payload: `${canaries.of('large payload')}${randomText(400_000)}` }),
      ),
    );
    const discarded = await newRequest(fixture, reviewInput(demo, material()));
    const { id: executed } = await executedRequest(fixture, {
      input: executionInput(demo, {
        ...material(),
        execution: executionBinding({
          provenance: {
            profile: 'proto.execution',
            version: '1-draft.1',
            references: { note: canaries.of('provenance') },
          },
        }),
      }),
      details: { note: canaries.of('outcome') },
    });
    const all = [pending, app, large, discarded, executed];

    // Read in every way there is.
    for (const id of all) {
      for (const path of ['', '/material', '/export']) {
        expect((await producer.get(`/v2/requests/${id}${path}`)).status).toBe(200);
      }
    }
    expect((await reviewer.get(`/v2/requests/${app}/app`)).status).toBe(200);
    expect((await producer.get(`/v2/hitl/${pending}`)).status).toBe(202);
    expect((await producer.get(`/v2/hitl/${app}`)).status).toBe(200);

    // Refused, with something private in hand.
    const refused = [
      await producer.post('/v2/requests', reviewInput(demo, material({ route: 'nowhere' }))),
      await producer.post('/v2/requests', reviewInput(demo, material({ unknown: 1 }))),
      await producer.post('/v2/requests', null, { raw: `{"payload":"${canaries.of('payload')}"` }),
      await reviewer.post(`/v2/requests/${pending}/candidates`, {
        response: { other: canaries.of('response') },
        decision: 'answer',
      }),
      await reviewer.post(`/v2/requests/${app}/candidates`, { response, decision: 'answer' }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([404, 400, 400, 400, 409]);

    await until(
      () => count(fixture, `delivery WHERE kind = 'smtp' AND request_id = ANY ($1)`, [all]),
      (mails) => mails >= all.length,
    );
    await producerWith(`whsec_${Buffer.from(randomUUID()).toString('base64')}`);
    // Postgres takes samples of its tables at such moments.
    await database.query('ANALYZE');
    return { all, pending, app, large, discarded, executed };
  }

  async function put(
    operator: Fixture['operator'],
    id: string,
    body: Record<string, unknown>,
  ): Promise<void> {
    const answer = await operator.put(`/v2/admin/principals/${id}`, { id, ...body });
    if (answer.status !== 200) throw new Error(`${id}: ${answer.status} ${answer.text}`);
  }

  /** Everything that is in memory reaches the disk. */
  async function settle(): Promise<void> {
    await fixture.database.query('CHECKPOINT');
    await redis.config('SET', 'rdbcompression', 'no');
    await redis.save();
  }

  /** The steps of an operator who wants nothing left: rewrites the tables and removes the WAL with their old content. */
  async function scrub(): Promise<void> {
    await fixture.database.query('VACUUM FULL ANALYZE');
    // A segment goes when a checkpoint after the next one began behind it.
    for (let times = 0; times < 3; times += 1) {
      await fixture.database.query('SELECT pg_switch_wal()');
      await fixture.database.query('CHECKPOINT');
    }
    await settle();
  }

  /** Writes the answers to callers beside the rest, so that one search is enough. */
  async function look(): Promise<Record<string, string>> {
    const { dataDirectory } = fixture.instance;
    const seen = join(dataDirectory, 'seen');
    mkdirSync(seen, { recursive: true });
    for (const path of ['/v2/admin/metrics', '/v2/admin/metrics.prom']) {
      const answer = await fixture.operator.get(path);
      expect(answer.status).toBe(200);
      writeFileSync(join(seen, path.replaceAll('/', '-')), answer.text);
    }
    writeFileSync(join(seen, 'launcher'), fixture.instance.output());
    const { rows } = await fixture.database.query<{ data_directory: string }>(
      'SHOW data_directory',
    );
    return { postgres: rows[0]!.data_directory, instance: dataDirectory };
  }

  function search(directories: Record<string, string>, of: Canaries = canaries): string[] {
    const { findings, files, bytes } = of.below(directories);
    expect(files).toBeGreaterThan(500);
    expect(bytes).toBeGreaterThan(20_000_000);
    return findings;
  }
});

const fieldOf = (finding: string): string => finding.slice(0, finding.indexOf(' in '));

const ANY_NOTE = {
  type: 'object',
  additionalProperties: false,
  required: ['note'],
  properties: { note: { type: 'string' } },
};

/** Gone with the private deletion, with its bundle, or with another secret. */
const PRIVATE: readonly string[] = [
  'payload',
  'payload key',
  'large payload',
  'schema',
  'document',
  'response',
  'bundle',
  'webhook secret',
];
/** The request's own content: gone with the audit. */
const AUDITED: readonly string[] = ['summary', 'metadata', 'provenance', 'outcome'];
