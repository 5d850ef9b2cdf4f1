// The table, and graphile-worker to act on the decision.
import { Logger, run as work, runMigrations } from 'graphile-worker';
import { action, pool, query, serve, settlements } from './face.mjs';
import { approvals } from './approvals.mjs';

const connections = pool(20);
const { run, runs } = await action(connections);
const { file, decide, deliver, read } = await approvals(connections);
const results = settlements();
await runMigrations({ pgPool: connections });
await work({
  pgPool: connections,
  concurrency: 10,
  noHandleSignals: true,
  logger: new Logger(() => () => {}),
  taskList: {
    async act({ id, decision, acts }) {
      if (acts) await run(id, decision);
      await deliver(id, decision);
      results.settle(id, decision);
    },
  },
});
serve({
  file,
  decide: (id, decision) =>
    decide(id, decision, (client, job) =>
      query(client, 'job', "SELECT graphile_worker.add_job('act', $1::json)", [
        JSON.stringify(job),
      ]),
    ),
  result: (id) => results.of(id, () => read('result', id)),
  runs,
});
