// A graph of LangGraph with its saver for Postgres: one node, which interrupts for the decision and then acts.
import { randomUUID } from 'node:crypto';
import { Annotation, Command, END, START, StateGraph, interrupt } from '@langchain/langgraph';
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres';
import { action, pool, serve } from './face.mjs';

const connections = pool(20);
const { run, runs } = await action(connections);
const saver = new PostgresSaver(connections);
await saver.setup();
const state = Annotation.Root({ id: Annotation(), payload: Annotation(), decision: Annotation() });
const graph = new StateGraph(state)
  .addNode('ask', async ({ id, payload }) => {
    const decision = interrupt('approve?');
    if (payload.acts) await run(id, decision);
    return { decision };
  })
  .addEdge(START, 'ask')
  .addEdge('ask', END)
  .compile({ checkpointer: saver });
const threadOf = (id) => ({ configurable: { thread_id: id } });
serve({
  async file(payload) {
    const id = randomUUID();
    await graph.invoke({ id, payload }, threadOf(id));
    return id;
  },
  decide: (id, decision) => graph.invoke(new Command({ resume: decision }), threadOf(id)),
  result: async (id) => (await graph.getState(threadOf(id))).values.decision,
  runs,
});
