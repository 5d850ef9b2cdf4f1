import type pg from 'pg';
import {
  AUDIT_STATES,
  DECISION_STATES,
  EXECUTION_STATES,
  GRANT_STATES,
} from '@countersign/protocol';
import { startTestServer } from './server.js';
import type { TestServer } from './server.js';

// The database knows the words of the four machines by itself: the last thing between a wrong one and a request's row.

let server: TestServer;
let pool: pg.Pool;
beforeAll(async () => {
  server = await startTestServer();
  pool = server.pool(await server.migratedDatabase());
});
afterAll(() => server.stop());

const WORDS = {
  decision: DECISION_STATES,
  audit: AUDIT_STATES,
  grant_state: GRANT_STATES,
  execution: EXECUTION_STATES,
} as const;
const ALL = [...new Set(Object.values(WORDS).flat())];

/** Stores a request's row with another word in that column, and undoes it; the broken rule, or null. */
async function refusal(column: string, word: string): Promise<string | null> {
  const states: Record<string, string> = {
    decision: 'pending',
    audit: 'unanchored',
    grant_state: 'none',
    execution: 'unclaimed',
    [column]: word,
  };
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await client.query(
      `INSERT INTO lifecycle (tenant, request_id, owner, route, decision, audit, grant_state, execution, revision, version,
        accepted_at, review_deadline, private_delete_at, audit_delete_at)
      SELECT 't', gen_random_uuid(), 'o', 'r', $1, $2, $3, $4, 1, 1, n, n, n, n FROM clock_timestamp() n`,
      ['decision', 'audit', 'grant_state', 'execution'].map((name) => states[name]),
    );
    return null;
  } catch (error) {
    return (error as { constraint?: string }).constraint ?? String(error);
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
}

it.each(Object.entries(WORDS))(
  'takes every word of %s, and no other one',
  async (column, words) => {
    for (const word of [...ALL, '', 'Pending', 'pending ']) {
      const known = (words as readonly string[]).includes(word);
      expect([word, await refusal(column, word)]).toEqual([
        word,
        known ? null : 'lifecycle_states',
      ]);
    }
  },
);
