import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { createOwnerPool, fsckWithin } from '@countersign/database';
import type { FsckFault, FsckResult } from '@countersign/database';
import { loadTrust } from '@countersign/protocol';
import type { AnchorCopies } from '@countersign/protocol';
import { copiesIn } from '../../conformance/evidence/store.js';
import { newAttempts } from '../../fault/support/insist.js';
import { completeLifecycle } from '../../fault/support/lifecycles.js';
import { personOf, producerOf, operatorOf } from '../../support/client.js';
import { runCommand, startInstance } from '../../support/instance.js';
import type { Instance } from '../../support/instance.js';
import { authorisedRequest, reviewInput, until } from '../../support/requests.js';
import { connectTo, untilChained } from '../../support/truths.js';

/** A damage, and the fault to find. */
type Plant = readonly [fault: FsckFault, what: string, sql: string];

const LAST = `(SELECT max(sequence) FROM ledger_entry WHERE tenant = 'demo')`;
const ENTRY = `tenant = 'demo' AND sequence = 7`;
const OF_TYPE = (type: string) =>
  `(SELECT record_id FROM ledger_entry WHERE tenant = 'demo' AND type = '${type}' ORDER BY sequence LIMIT 1)`;
const CLAIMED = `(SELECT request_id FROM ledger_entry WHERE tenant = 'demo' AND type = 'ExecutionClaim' ORDER BY sequence LIMIT 1)`;
const EVENT = `tenant = 'demo' AND owner = (SELECT min(owner) FROM event WHERE tenant = 'demo') AND sequence = 3`;
const TILE = `tenant = 'demo' AND level = 0 AND index = 0`;
const CHECKPOINT = `tenant = 'demo' AND sequence = (SELECT min(sequence) FROM checkpoint WHERE tenant = 'demo' AND acceptance IS NOT NULL)`;
const SECURITY = `tenant = 'demo' AND sequence = 2`;
const HASH = `'sha256:' || repeat('0', 64)`;

const PLANTS: readonly Plant[] = [
  ['chain_gap', 'an entry deleted', `DELETE FROM ledger_entry WHERE ${ENTRY}`],
  [
    'chain_link',
    'an entry that continues something else',
    `UPDATE ledger_entry SET previous_head = ${HASH} WHERE ${ENTRY}`,
  ],
  ['chain_head', 'a head', `UPDATE ledger_entry SET head = ${HASH} WHERE ${ENTRY}`],
  ['chain_head', 'a digest', `UPDATE ledger_entry SET record_digest = ${HASH} WHERE ${ENTRY}`],
  [
    'chain_head',
    'two entries swapped',
    `UPDATE ledger_entry SET sequence = -sequence WHERE false;
     ALTER TABLE ledger_entry DROP CONSTRAINT ledger_entry_sequence_check;
     UPDATE ledger_entry SET sequence = -sequence WHERE tenant = 'demo' AND sequence IN (7, 8);
     UPDATE ledger_entry SET sequence = 15 + sequence WHERE tenant = 'demo' AND sequence IN (-7, -8)`,
  ],
  [
    'ledger_end',
    'the end cut off',
    `DELETE FROM ledger_entry WHERE tenant = 'demo' AND sequence = ${LAST}`,
  ],
  [
    'ledger_end',
    'an entry put after the end',
    `INSERT INTO ledger_entry SELECT tenant, sequence + 1, request_id, type, head, ${HASH}, record_digest, record_id, created_at
     FROM ledger_entry WHERE tenant = 'demo' AND sequence = ${LAST}`,
  ],
  [
    'ledger_end',
    'another head of the ledger',
    `UPDATE ledger_head SET head = ${HASH} WHERE tenant = 'demo'`,
  ],
  [
    'record_missing',
    'a record deleted',
    `DELETE FROM record WHERE id = ${OF_TYPE('RequestChangedEvent')}`,
  ],
  [
    'record_text',
    'a letter of a record',
    `UPDATE record SET record = replace(record, '"decision":"authorise"', '"decision":"authorisd"') WHERE id = ${OF_TYPE('DecisionReceipt')}`,
  ],
  [
    'record_text',
    'a digest of a record',
    `UPDATE record SET digest = ${HASH} WHERE id = ${OF_TYPE('ExecutionClaim')}`,
  ],
  [
    'record_header',
    'a record under another request',
    `UPDATE record SET request_id = gen_random_uuid() WHERE id = ${OF_TYPE('DecisionReceipt')}`,
  ],
  [
    'record_header',
    'an entry of another type',
    `UPDATE ledger_entry SET type = 'AdmissionStatus' WHERE record_id = ${OF_TYPE('ExecutionClaim')}`,
  ],
  [
    'record_lost',
    'a record that was never chained',
    `INSERT INTO record SELECT tenant, gen_random_uuid(), request_id, type, digest, issued_at, record FROM record
     WHERE id = ${OF_TYPE('ExecutionClaim')}`,
  ],
  [
    'record_twice',
    'a chained record that waits again',
    `INSERT INTO outbox (tenant, record_id, request_id, type, digest, audience)
     SELECT tenant, id, request_id, type, digest, 'x' FROM record WHERE id = ${OF_TYPE('ExecutionClaim')}`,
  ],
  [
    'text_missing',
    'a text cleared before its time',
    `UPDATE record SET record = NULL WHERE id = ${OF_TYPE('DecisionReceipt')}`,
  ],
  ['request_missing', 'a request deleted', `DELETE FROM lifecycle WHERE request_id = ${CLAIMED}`],
  [
    'request_altered',
    'a letter of a request',
    `UPDATE request SET canonical = replace(canonical, 'summary', 'Summary') WHERE id = ${CLAIMED}`,
  ],
  [
    'request_altered',
    'a request and its digest',
    `UPDATE request SET canonical = replace(canonical, '"metadata":{', '"metadata":{"a":1') WHERE id = ${CLAIMED};
     UPDATE request SET digest = 'sha256:' || encode(sha256(convert_to(canonical, 'UTF8')), 'hex') WHERE id = ${CLAIMED}`,
  ],
  [
    'material_differs',
    'a letter of a document',
    `UPDATE material SET review_document = review_document || 'x'::bytea`,
  ],
  [
    'material_differs',
    'material that is gone',
    `DELETE FROM material WHERE request_id = ${CLAIMED}`,
  ],
  [
    'state_differs',
    'a decision',
    `UPDATE lifecycle SET decision = 'cancelled' WHERE request_id = ${CLAIMED}`,
  ],
  [
    'state_differs',
    'a grant given back',
    `UPDATE lifecycle SET grant_state = 'available' WHERE request_id = ${CLAIMED}`,
  ],
  [
    'state_differs',
    'an execution',
    `UPDATE lifecycle SET execution = 'failed' WHERE request_id = ${CLAIMED}`,
  ],
  [
    'state_differs',
    'an audit state',
    `UPDATE lifecycle SET audit = 'pending' WHERE request_id = ${CLAIMED}`,
  ],
  [
    'state_differs',
    'a revision',
    `UPDATE lifecycle SET revision = revision + 1 WHERE request_id = ${CLAIMED}`,
  ],
  [
    'state_differs',
    'an invalidation',
    `UPDATE lifecycle SET invalidated = 'revoked' WHERE request_id = ${CLAIMED}`,
  ],
  [
    'state_differs',
    'a count of admissions',
    `UPDATE lifecycle SET admissions = 0 WHERE request_id = ${CLAIMED}`,
  ],
  [
    'state_differs',
    'the states of two requests swapped',
    `UPDATE lifecycle l SET decision = o.decision, revision = o.revision FROM lifecycle o
     WHERE l.request_id = ${CLAIMED} AND o.decision = 'pending' AND o.tenant = 'demo'`,
  ],
  [
    'pointer_differs',
    'a receipt',
    `UPDATE lifecycle SET receipt_id = claim_id WHERE request_id = ${CLAIMED}`,
  ],
  [
    'pointer_differs',
    'a claim',
    `UPDATE lifecycle SET claim_id = NULL WHERE request_id = ${CLAIMED}`,
  ],
  [
    'pointer_differs',
    'an anchor',
    `UPDATE lifecycle SET anchor_sequence = anchor_sequence + 1 WHERE request_id = ${CLAIMED}`,
  ],
  [
    'pointer_differs',
    'a deadline',
    `UPDATE lifecycle SET grant_deadline = grant_deadline + '1 s'::interval WHERE request_id = ${CLAIMED}`,
  ],
  ['nonce_differs', 'a nonce forgotten', `DELETE FROM nonce WHERE request_id = ${CLAIMED}`],
  [
    'occurrence_differs',
    'an occurrence given back',
    `UPDATE occurrence SET consumed_by = NULL WHERE request_id = ${CLAIMED}`,
  ],
  [
    'event_revision',
    'an event left out, chain and records mended',
    `UPDATE record SET record = replace(record, '"revision":2', '"revision":3') WHERE id = (SELECT record_id FROM ledger_entry
      WHERE request_id = ${CLAIMED} AND type = 'RequestChangedEvent' ORDER BY sequence OFFSET 1 LIMIT 1)`,
  ],
  [
    'event_state',
    'an event of a state that cannot follow',
    `UPDATE record SET record = replace(record, '"decision":"pending"', '"decision":"expired"') WHERE id = (SELECT record_id FROM ledger_entry
      WHERE request_id = ${CLAIMED} AND type = 'RequestChangedEvent' ORDER BY sequence LIMIT 1)`,
  ],
  ['feed_missing', 'an event out of its feed', `DELETE FROM event WHERE ${EVENT}`],
  [
    'feed_unknown',
    'an event of another in a feed',
    `UPDATE event SET request_id = gen_random_uuid() WHERE ${EVENT}`,
  ],
  [
    'feed_order',
    'two events of a feed swapped',
    `UPDATE event SET sequence = -sequence WHERE tenant = 'demo' AND sequence IN (3, 4);
     UPDATE event SET sequence = 7 + sequence WHERE tenant = 'demo' AND sequence IN (-3, -4)`,
  ],
  [
    'feed_numbers',
    'a number given that no event has',
    `UPDATE event_head SET sequence = sequence + 1 WHERE tenant = 'demo'`,
  ],
  [
    'checkpoint_altered',
    'a letter of a checkpoint',
    `UPDATE checkpoint SET record = replace(record, '"purpose":"service"', '"purpose":"review"') WHERE ${CHECKPOINT}`,
  ],
  ['checkpoint_gap', 'a checkpoint deleted', `DELETE FROM checkpoint WHERE ${CHECKPOINT}`],
  [
    'checkpoint_off_chain',
    'a checkpoint of another head',
    `UPDATE checkpoint SET record = regexp_replace(record, 'sha256:[0-9a-f]{64}', ${HASH}) WHERE ${CHECKPOINT}`,
  ],
  [
    'acceptance_altered',
    'an acceptance',
    `UPDATE checkpoint SET acceptance = regexp_replace(acceptance, 'sha256:[0-9a-f]{64}', ${HASH}) WHERE ${CHECKPOINT}`,
  ],
  [
    'anchor_differs',
    'a checkpoint signed again',
    `UPDATE checkpoint SET record = record || ' ' WHERE ${CHECKPOINT}`,
  ],
  [
    'tree_size',
    'a tree that says it is larger',
    `UPDATE tree SET size = size + 100 WHERE tenant = 'demo'`,
  ],
  [
    'tree_tile',
    'a bit of a tile',
    `UPDATE tree_tile SET hashes = set_byte(hashes, 40, get_byte(hashes, 40) # 1) WHERE ${TILE}`,
  ],
  ['tree_tile', 'a tile that is gone', `DELETE FROM tree_tile WHERE ${TILE}`],
  [
    'tree_tile',
    'a tile too many',
    `INSERT INTO tree_tile SELECT tenant, level, index + 9, hashes FROM tree_tile WHERE ${TILE}`,
  ],
  [
    'tree_head',
    'a checkpoint of the tree over another root',
    `UPDATE tree_head SET note = regexp_replace(note, '\\n[A-Za-z0-9+/]{43}=\\n', E'\\n' || repeat('A', 43) || E'=\\n') WHERE tenant = 'demo'`,
  ],
  [
    'tree_head',
    'a signature under a checkpoint of the tree',
    `UPDATE tree_head SET note = left(note, -12) || 'AAAAAAAAA==' || E'\\n' WHERE tenant = 'demo'`,
  ],
  [
    'security_chain',
    'a letter of an entry of the security log',
    `UPDATE security_entry SET entry = replace(entry, '"source":"', '"source":"x') WHERE ${SECURITY}`,
  ],
  [
    'security_chain',
    'an entry of the security log deleted',
    `DELETE FROM security_entry WHERE ${SECURITY}`,
  ],
  [
    'security_end',
    'the end of the security log cut off',
    `DELETE FROM security_entry WHERE tenant = 'demo' AND sequence =
      (SELECT max(sequence) FROM security_entry WHERE tenant = 'demo')`,
  ],
  [
    'security_end',
    'another end of the log of the installation',
    `UPDATE security_head SET sequence = sequence + 1 WHERE tenant = ''`,
  ],
  [
    'security_columns',
    'an entry of the security log under another actor',
    `UPDATE security_entry SET actor = 'nobody' WHERE ${SECURITY}`,
  ],
  [
    'security_checkpoint',
    'a checkpoint of the security log deleted',
    `DELETE FROM security_checkpoint WHERE tenant = 'demo'`,
  ],
  [
    'security_checkpoint',
    'a signature of the security log',
    `UPDATE security_checkpoint SET checkpoint =
       regexp_replace(checkpoint, '"signature":"[^"]{4}', '"signature":"AAAA') WHERE tenant = 'demo'`,
  ],
  [
    'security_anchor',
    'a checkpoint of the security log signed again',
    `UPDATE security_checkpoint SET checkpoint = checkpoint || ' ' WHERE tenant = 'demo'`,
  ],
];

/** Texts by key, as the anchor store has them. */
function filesIn(store: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(store, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.json'))
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path.slice(store.length + 1), readFileSync(path, 'utf8')]),
  );
}

describe('countersign fsck', () => {
  let instance: Instance;
  let pool: pg.Pool;
  let client: pg.PoolClient;
  let store: string;
  const attempts = newAttempts();

  beforeAll(async () => {
    instance = await startInstance({ env: { SECURITY_CHECKPOINT_SECONDS: '1' } });
    const { demo, dataDirectory } = instance;
    const producer = producerOf(demo);
    const reviewer = await personOf(demo, dataDirectory, demo.people[1]!.id);
    const cast = { demo, producer, reviewer, operator: operatorOf(demo) };
    await completeLifecycle(cast, attempts);
    await completeLifecycle(cast, attempts);
    const pending = await producer.post('/v2/requests', reviewInput(demo));
    const discarded = await producer.post('/v2/requests', reviewInput(demo));
    await producer.post(`/v2/requests/${discarded.body.request.id}/discard`);
    const revoked = await authorisedRequest(demo, producer, reviewer);
    await producer.post(`/v2/requests/${revoked.body.request.id}/revoke`);
    expect(pending.status).toBe(201);
    const database = await connectTo(instance);
    await untilChained(database);
    // Checkpoints come within 5 s, and the tree a second later.
    await until(
      async () =>
        (
          await database.query(
            `SELECT bool_and(h.sequence = r.size) AS all FROM ledger_head h LEFT JOIN tree r USING (tenant)`,
          )
        ).rows[0].all,
      (all) => all === true,
      30_000,
    );
    await until(
      async () =>
        (
          await database.query(
            `SELECT bool_and(k.acceptance IS NOT NULL) AS all FROM security_head h LEFT JOIN security_checkpoint k
               ON k.tenant = h.tenant AND k.sequence = h.sequence
             WHERE h.tenant = 'demo' AND NOT EXISTS (SELECT FROM security_event)`,
          )
        ).rows[0].all,
      (all) => all === true,
      30_000,
    );
    await database.end();
    const { urls } = JSON.parse(readFileSync(join(dataDirectory, 'stores.json'), 'utf8'));
    pool = createOwnerPool({ url: urls.DATABASE_URL, application: 'fsck test', max: 1 });
    client = await pool.connect();
    store = mkdtempSync(join(tmpdir(), 'countersign-fsck-'));
    cpSync(join(dataDirectory, 'anchor'), store, { recursive: true });
  });
  afterAll(async () => {
    attempts.end();
    client?.release();
    await pool?.end();
    await instance?.stop();
    rmSync(store, { recursive: true, force: true });
  });

  /** The findings with the damage done, which is then undone. */
  async function checked(sql: string, copies: AnchorCopies = copiesIn(filesIn(store))) {
    // One snapshot, as the command takes one: the workers go on meanwhile.
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    try {
      await client.query(sql);
      const trust = loadTrust(JSON.parse(readFileSync(instance.demo.trust, 'utf8')));
      const { findings, ahead } = await fsckWithin(client, { trust, copies });
      return { ...findings.result(), ahead };
    } finally {
      await client.query('ROLLBACK');
    }
  }

  it('finds no fault in an intact database, and lists its comparisons', async () => {
    const { code, stdout, stderr } = await runCommand([
      ...['fsck', '--data', instance.dataDirectory, '--json'],
    ]);
    expect([code, stderr]).toEqual([0, '']);
    const result = JSON.parse(stdout) as FsckResult & { not_checked: string[] };
    expect(result).toMatchObject({ consistent: true, findings: [], faults: {}, not_checked: [] });
    const { entries, signatures, requests, events, checkpoints, anchors, tiles, treeHeads } =
      result.counts;
    expect(result.counts.securityEntries).toBeGreaterThan(1);
    expect(requests).toBe(5);
    expect(signatures).toBe(entries + checkpoints);
    expect(anchors).toBe(checkpoints);
    for (const count of [events, checkpoints, tiles, treeHeads]) expect(count).toBeGreaterThan(1);
  });

  it('finds and names every planted damage', async () => {
    const missed: string[] = [];
    for (const [fault, what, sql] of PLANTS) {
      const { faults } = await checked(sql);
      if (faults[fault] === undefined) missed.push(`${what}: ${Object.keys(faults).join()}`);
    }
    const caught = PLANTS.length - missed.length;
    console.info(`planted bugs caught: ${caught} of ${PLANTS.length}`);
    expect(missed).toEqual([]);
  });

  it('finds damage to the anchor store', async () => {
    const folder = readdirSync(store, { recursive: true, withFileTypes: true });
    const files = folder
      .filter((entry) => entry.isFile() && entry.name.endsWith('.json'))
      .map((entry) => join(entry.parentPath, entry.name))
      .sort();
    const [first = '', second = ''] = files;
    const text = readFileSync(first, 'utf8');
    const damaged = async (change: () => void) => {
      // As it is now: the instance may have written a checkpoint since.
      rmSync(store, { recursive: true });
      cpSync(join(instance.dataDirectory, 'anchor'), store, { recursive: true });
      change();
      return checked('SELECT 1');
    };
    const altered = await damaged(() => {
      rmSync(first);
      writeFileSync(first, text.replace('"sequence":', '"sequence": '));
    });
    expect(altered.faults).toEqual({ anchor_differs: 1 });
    expect((await damaged(() => rmSync(first))).faults).toEqual({ anchor_missing: 1 });
    const other = await damaged(() => {
      rmSync(second);
      writeFileSync(second, text);
    });
    expect(other.faults).toEqual({ anchor_differs: 1 });
    const ahead = await damaged(() =>
      writeFileSync(first.replace(/\d{16}\.json$/, '0000000000099999.json'), text),
    );
    expect(ahead.ahead.map(({ sequence }) => sequence)).toEqual([99_999]);
    const security = files.find((file) => file.startsWith(join(store, 'security'))) as string;
    expect((await damaged(() => rmSync(security))).faults).toEqual({ security_anchor: 1 });
    const strange = await damaged(() =>
      cpSync(security, security.replace(/\d{16}\.json$/, '0000000000099999.json')),
    );
    expect(strange.ahead.map(({ log, sequence }) => [log, sequence])).toEqual([
      ['security', 99_999],
    ]);
  });

  it('exits with 1 for findings, with 2 for an unreadable input', async () => {
    await client.query(
      `UPDATE lifecycle SET version = version, admissions = 63 WHERE request_id = ${CLAIMED}`,
    );
    const found = await runCommand(['fsck', '--data', instance.dataDirectory]);
    await client.query(
      `UPDATE lifecycle SET version = version, admissions = 1 WHERE request_id = ${CLAIMED}`,
    );
    expect(found.code).toBe(1);
    expect(found.stdout).toMatch(/^INCONSISTENT\n[^]*state_differs: [^]*demo: [0-9a-f-]{36}/);
    expect((await runCommand(['fsck', '--data', store])).code).toBe(2);
    expect((await runCommand(['fsck', '--database', 'postgres://127.0.0.1:1/x'])).code).toBe(2);
    expect((await runCommand(['fsck', '--what'])).code).toBe(2);
  });

  it('finds no fault while callers write', async () => {
    const { demo, dataDirectory } = instance;
    const producer = producerOf(demo);
    const reviewer = await personOf(demo, dataDirectory, demo.people[1]!.id);
    const cast = { demo, producer, reviewer, operator: operatorOf(demo) };
    const made = newAttempts();
    let checking = true;
    const write = async () => {
      let lifecycles = 0;
      for (; checking; lifecycles += 1) await completeLifecycle(cast, made);
      return lifecycles;
    };
    const writing = Promise.all([write(), write()]);
    const args = ['fsck', '--data', dataDirectory, '--json'];
    try {
      for (let check = 0; check < 3; check += 1) {
        const { stdout } = await runCommand(args);
        expect(JSON.parse(stdout)).toMatchObject({ consistent: true, findings: [], faults: {} });
      }
    } finally {
      checking = false;
    }
    const lifecycles = (await writing).reduce((sum, count) => sum + count);
    made.end();
    expect(lifecycles).toBeGreaterThan(0);
  });
});
