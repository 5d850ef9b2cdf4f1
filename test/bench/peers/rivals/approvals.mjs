// The table that a careful developer writes for approvals, and the decision that only one of two gets.
import { randomUUID } from 'node:crypto';
import { query } from './face.mjs';

export async function approvals(connections) {
  await connections.query(
    'CREATE TABLE approval (id uuid PRIMARY KEY, payload jsonb NOT NULL, decision text, result text)',
  );
  /** Resolves to the payload, or to null when somebody else has decided. */
  async function take(client, id, decision) {
    const { rows } = await query(
      client,
      'take',
      'UPDATE approval SET decision = $2 WHERE id = $1 AND decision IS NULL RETURNING payload',
      [id, decision],
    );
    return rows[0]?.payload ?? null;
  }

  return {
    take,
    async file(payload) {
      const id = randomUUID();
      await query(connections, 'file', 'INSERT INTO approval (id, payload) VALUES ($1, $2)', [
        id,
        payload,
      ]);
      return id;
    },
    async read(column, id) {
      const { rows } = await query(
        connections,
        `read ${column}`,
        `SELECT ${column} AS value FROM approval WHERE id = $1`,
        [id],
      );
      return rows[0].value;
    },
    deliver: (id, decision) =>
      query(connections, 'deliver', 'UPDATE approval SET result = $2 WHERE id = $1', [
        id,
        decision,
      ]),
    /** Decides and puts a job into the queue, in one transaction. */
    async decide(id, decision, enqueue) {
      const client = await connections.connect();
      try {
        await client.query('BEGIN');
        const payload = await take(client, id, decision);
        if (payload !== null) await enqueue(client, { id, decision, acts: payload.acts });
        await client.query(payload === null ? 'ROLLBACK' : 'COMMIT');
        return payload !== null;
      } finally {
        client.release();
      }
    },
  };
}
