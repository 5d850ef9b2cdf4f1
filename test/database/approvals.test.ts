import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { askOne } from '@countersign/database';
import type { PointQuery } from '@countersign/database';
import { deletionStatements } from '@countersign/request';
import { REFUSED, sqlState, startTestServer } from './server.js';
import type { TestPool, TestServer } from './server.js';

/** SQLSTATE of a decision without its quorum. */
const WITHOUT_QUORUM = 'CSQ03';
const TENANT = 't';

let server: TestServer;
let owner: pg.Pool;
let review: TestPool;
let deletion: TestPool;

beforeAll(async () => {
  server = await startTestServer();
  const url = await server.migratedDatabase();
  owner = server.pool(url);
  review = server.pool(url, 'review');
  deletion = server.pool(url, 'deletion');
});
afterAll(() => server.stop());

type Asks = (text: string, values: unknown[]) => Promise<unknown>;
const asOwner: Asks = (text, values) => owner.query(text, values);
const asReview: Asks = (text, values) => review.query(text, values);

/** A pending request that needs so many people, with live votes of these; null: one reviewer confirms. */
async function pending(
  needed: number | null,
  votes: readonly { person: string; decision?: string; state?: string }[] = [],
): Promise<string> {
  const id = randomUUID();
  await owner.query(
    `INSERT INTO lifecycle (tenant, request_id, owner, route, decision, audit, grant_state, execution, revision, version,
       accepted_at, review_deadline, private_delete_at, audit_delete_at, approvals_needed)
     SELECT $1, $2::uuid, 'owner', 'route', 'pending', 'unanchored', 'not_applicable', 'not_applicable', 1, 1, t, t, t, t, $3::smallint
     FROM now() AS t`,
    [TENANT, id, needed],
  );
  await owner.query(
    'INSERT INTO quorum_state (tenant, request_id, needed) SELECT $1, $2::uuid, $3::smallint WHERE $3 IS NOT NULL',
    [TENANT, id, needed],
  );
  for (const [at, vote] of votes.entries()) await cast(asOwner, id, { number: at + 1, ...vote });
  return id;
}

const CAST = `INSERT INTO approval (tenant, id, request_id, number, candidate_id, candidate_digest, decision, reviewer, person,
    stage, groups, mode, state, record_id, record_digest, approved_at)
  SELECT '${TENANT}', gen_random_uuid(), $1::uuid, $2::integer, gen_random_uuid(), 'd', $3::text, $4::text, $4::text, 1, '{g}', 'normal', $5::text,
    gen_random_uuid(), 'd', now()`;

async function cast(
  by: Asks,
  request: string,
  vote: { number: number; person: string; decision?: string; state?: string },
): Promise<void> {
  const { number, person, decision = 'approve', state = 'live' } = vote;
  await by(CAST, [request, number, decision, person, state]);
}

/** The one statement of a vote that decides: state, its own vote, the counted ones, and the receipt. */
const complete = (request: string, person: string, decision = 'approve'): PointQuery => ({
  name: 'complete',
  text: `WITH l AS (
    UPDATE lifecycle SET decision = 'confirmed', receipt_id = $6::uuid, version = version + 1
    WHERE tenant = '${TENANT}' AND request_id = $1::uuid AND decision = 'pending' RETURNING request_id
  ), v AS (${CAST} FROM l), counted AS (
    UPDATE approval SET state = 'counted' FROM l
    WHERE approval.tenant = '${TENANT}' AND approval.request_id = l.request_id AND approval.state = 'live'
  ), q AS (
    UPDATE quorum_state SET number = $2, receipt_id = $6::uuid FROM l
    WHERE quorum_state.tenant = '${TENANT}' AND quorum_state.request_id = l.request_id
  ) SELECT count(*)::integer AS saved FROM l`,
  values: [request, 9, decision, person, 'counted', randomUUID()],
  holds: `${TENANT} ${request}`,
});

const confirmAlone = (request: string) =>
  owner.query(
    `UPDATE lifecycle SET decision = 'confirmed', receipt_id = gen_random_uuid() WHERE request_id = $1`,
    [request],
  );

async function decisionOf(request: string): Promise<string> {
  const { rows } = await owner.query<{ decision: string }>(
    'SELECT decision FROM lifecycle WHERE request_id = $1',
    [request],
  );
  return rows[0]?.decision ?? '';
}

describe('a decision of a request that several people decide', () => {
  it('needs as many people, counted in its own statement', async () => {
    const request = await pending(2, [{ person: 'a' }]);
    await review.pointQuery(complete(request, 'b'));
    expect(await decisionOf(request)).toBe('confirmed');
  });

  it('is not had by one person twice', async () => {
    const request = await pending(2, [{ person: 'a' }]);
    expect(await sqlState(review.pointQuery(complete(request, 'a')))).toBe(WITHOUT_QUORUM);
    expect(await decisionOf(request)).toBe('pending');
  });

  it('is not had by more people than it needs, or by votes that ended', async () => {
    const more = await pending(2, [{ person: 'a' }, { person: 'b' }]);
    expect(await sqlState(review.pointQuery(complete(more, 'c')))).toBe(WITHOUT_QUORUM);
    const ended = await pending(2, [{ person: 'a', state: 'ended' }]);
    expect(await sqlState(review.pointQuery(complete(ended, 'b')))).toBe(WITHOUT_QUORUM);
  });

  it('is not had by a yes and a no together, and is had by a no alone', async () => {
    const mixed = await pending(2, [{ person: 'a' }]);
    expect(await sqlState(review.pointQuery(complete(mixed, 'b', 'reject')))).toBe(WITHOUT_QUORUM);
    const refused = await pending(2);
    await review.pointQuery(complete(refused, 'b', 'reject'));
    expect(await decisionOf(refused)).toBe('confirmed');
  });

  it('is refused to a process that confirms as one reviewer does', async () => {
    const request = await pending(2, [
      { person: 'a', state: 'counted' },
      { person: 'b', state: 'counted' },
    ]);
    expect(await sqlState(confirmAlone(request))).toBe(WITHOUT_QUORUM);
  });

  it('is left alone where one reviewer confirms', async () => {
    const request = await pending(null);
    await confirmAlone(request);
    expect(await decisionOf(request)).toBe('confirmed');
  });

  it('fails alone in a batch of statements', async () => {
    const ready = async () => pending(2, [{ person: 'a' }]);
    // Prepared on the connection, so that the next ones travel together.
    await review.pointQuery(complete(await ready(), 'b'));
    const requests = [await ready(), await ready(), await ready()];
    const answers = await Promise.all(
      requests.map((request, at) =>
        sqlState(review.pointQuery(complete(request, at === 1 ? 'a' : 'b'))),
      ),
    );
    expect(answers).toEqual([null, WITHOUT_QUORUM, null]);
    expect(await Promise.all(requests.map(decisionOf))).toEqual([
      'confirmed',
      'pending',
      'confirmed',
    ]);
  });
});

it('goes with its request, and all that it left', async () => {
  const request = await pending(2, [{ person: 'a' }]);
  await asOwner(
    `INSERT INTO request_evidence VALUES ('${TENANT}', $1, 'd', 'MembershipConfigured', '{}')`,
    [request],
  );
  await asOwner(
    `INSERT INTO approval_person VALUES ('${TENANT}', $1, 'decision', 'a', gen_random_uuid())`,
    [request],
  );
  await askOne(deletion, deletionStatements.DELETE_REQUEST, {
    tenant: TENANT,
    request_id: request,
  });
  for (const table of ['approval', 'approval_person', 'quorum_state', 'request_evidence']) {
    const { rowCount } = await owner.query(`SELECT FROM ${table} WHERE request_id = $1`, [request]);
    expect([table, rowCount]).toEqual([table, 0]);
  }
});

describe('a vote', () => {
  it('takes the place of one person', async () => {
    const request = await pending(2);
    const take = () =>
      review.query(
        `INSERT INTO approval_person (tenant, request_id, phase, person, approval_id)
         VALUES ('${TENANT}', $1, 'decision', 'a', gen_random_uuid())`,
        [request],
      );
    await take();
    expect(await sqlState(take())).toBe('23505');
  });

  it('has a number of its own', async () => {
    const request = await pending(2, [{ person: 'a' }]);
    const again = cast(asReview, request, { number: 1, person: 'b' });
    expect(await sqlState(again)).toBe('23505');
  });

  it('is not given as one that ended, and does not come back after its end', async () => {
    const request = await pending(2, [{ person: 'a', state: 'ended' }]);
    const ended = cast(asReview, request, { number: 2, person: 'b', state: 'ended' });
    expect(await sqlState(ended)).toBe(REFUSED);
    await review.query(`UPDATE approval SET state = 'live' WHERE request_id = $1`, [request]);
    const { rows } = await owner.query('SELECT state FROM approval WHERE request_id = $1', [
      request,
    ]);
    expect(rows).toEqual([{ state: 'ended' }]);
  });
});
