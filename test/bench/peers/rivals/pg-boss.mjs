// The table, and pg-boss (10 is its last line for Node 20) to act on the decision. It looks for jobs every half second, at best.
import PgBoss from 'pg-boss';
import { DATABASE_URL, action, pool, serve, settlements } from './face.mjs';
import { approvals } from './approvals.mjs';

const connections = pool(16);
const { run, runs } = await action(connections);
const { file, decide, deliver, read } = await approvals(connections);
const results = settlements();
const boss = new PgBoss({ connectionString: DATABASE_URL, max: 8 });
boss.on('error', () => {});
await boss.start();
await boss.createQueue('act');
await boss.work('act', { pollingIntervalSeconds: 0.5, batchSize: 100 }, async (jobs) => {
  for (const { data } of jobs) {
    const { id, decision, acts } = data;
    if (acts) await run(id, decision);
    await deliver(id, decision);
    results.settle(id, decision);
  }
});
serve({
  file,
  decide: (id, decision) =>
    decide(id, decision, (client, job) =>
      boss.send('act', job, {
        db: { executeSql: (text, values) => client.query(text, values) },
      }),
    ),
  result: (id) => results.of(id, () => read('result', id)),
  runs,
});
