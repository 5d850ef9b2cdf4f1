// A workflow of DBOS Transact that waits for a message.
import { DBOS } from '@dbos-inc/dbos-sdk';
import { DATABASE_URL, action, pool, serve } from './face.mjs';

const { run, runs } = await action(pool(4));
const approval = DBOS.registerWorkflow(
  async ({ acts }) => {
    const decision = await DBOS.recv('decision', 3600);
    if (acts) await DBOS.runStep(() => run(DBOS.workflowID, decision), { name: 'act' });
    return decision;
  },
  { name: 'approval' },
);
DBOS.setConfig({
  name: 'rival',
  applicationVersion: '1',
  systemDatabaseUrl: DATABASE_URL,
  systemDatabasePoolSize: 20,
  logLevel: 'error',
});
await DBOS.launch();
// Handles of this process: the fastest way to the result that DBOS has.
const handles = new Map();
serve({
  async file(payload) {
    const handle = await DBOS.startWorkflow(approval)(payload);
    handles.set(handle.workflowID, handle);
    return handle.workflowID;
  },
  decide: (id, decision) => DBOS.send(id, decision, 'decision'),
  async result(id) {
    const decision = await handles.get(id).getResult();
    handles.delete(id);
    return decision;
  },
  runs,
});
