// The face that all rivals in Node have: POST /file, POST /decide/<id>, GET /result/<id> (once it is there), GET /runs/<id>.
import { createServer } from 'node:http';
import pg from 'pg';

// Never outlives the bench.
process.on('disconnect', () => process.exit());

export const DATABASE_URL = process.env.DATABASE_URL;

export function pool(max) {
  const connections = new pg.Pool({ connectionString: DATABASE_URL, max });
  // The server ends before its clients do.
  connections.on('error', () => {});
  return connections;
}

/** Prepared once for each connection. */
export const query = (client, name, text, values) => client.query({ name, text, values });

/** The action that is approved: a row for each time that it ran. No constraint prevents the second one: that is what is counted. */
export async function action(connections) {
  await connections.query('CREATE TABLE run (id text NOT NULL, decision text NOT NULL)');
  await connections.query('CREATE INDEX ON run (id)');
  return {
    run: (id, decision) =>
      query(connections, 'run', 'INSERT INTO run VALUES ($1, $2)', [id, decision]),
    async runs(id) {
      const { rows } = await query(connections, 'runs', 'SELECT decision FROM run WHERE id = $1', [
        id,
      ]);
      return rows.map(({ decision }) => decision);
    },
  };
}

/** `decide` resolves to false when somebody else has decided. Tells the bench the origin. */
export function serve({ file, decide, result, runs }) {
  const operations = {
    file: async (_, body) => [200, { id: await file(body) }],
    decide: async (id, { decision }) => [(await decide(id, decision)) === false ? 409 : 200, {}],
    result: async (id) => [200, { decision: await result(id) }],
    runs: async (id) => [200, await runs(id)],
  };
  async function answer(request, response) {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const [, operation, id] = request.url.split('/');
    const body = chunks.length === 0 ? null : JSON.parse(Buffer.concat(chunks).toString());
    const [status, answered] = await operations[operation](id, body).catch((error) => [
      500,
      { error: error.message },
    ]);
    const text = JSON.stringify(answered);
    response.writeHead(status, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    });
    response.end(text);
  }
  const server = createServer((request, response) => void answer(request, response));
  server.keepAliveTimeout = 120_000;
  server.listen(0, '127.0.0.1', () =>
    process.send({ origin: `http://127.0.0.1:${server.address().port}` }),
  );
}

/** Promises by id, settled once. */
export function settlements() {
  const open = new Map();
  return {
    settle: (id, value) => open.get(id)?.(value),
    async of(id, read) {
      const told = new Promise((settle) => open.set(id, settle));
      // Read after the promise is there: nothing is missed between the two.
      const value = (await read()) ?? (await told);
      open.delete(id);
      return value;
    },
  };
}
