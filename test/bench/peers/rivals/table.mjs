// A table alone: no queue and no history. The action is lost when the process ends between the decision and the action.
import { action, pool, serve } from './face.mjs';
import { approvals } from './approvals.mjs';

const connections = pool(20);
const { run, runs } = await action(connections);
const { file, take, read } = await approvals(connections);
serve({
  file,
  async decide(id, decision) {
    const payload = await take(connections, id, decision);
    if (payload === null) return false;
    if (payload.acts) await run(id, decision);
    return true;
  },
  result: (id) => read('decision', id),
  runs,
});
