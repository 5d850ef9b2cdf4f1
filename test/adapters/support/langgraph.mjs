import { guardNode, resume } from '@countersign/langgraph';
import { Annotation, Command, END, START, StateGraph, interrupt } from '@langchain/langgraph';
import {
  approve,
  calls,
  client,
  isGuarded,
  isStart,
  rule,
  stateFile,
  tell,
  transfer,
} from './agent.mjs';
import { FileSaver } from './file-saver.mjs';

const State = Annotation.Root({ amount: Annotation(), said: Annotation() });
const guarded = () =>
  guardNode(client, {
    ...rule,
    name: 'transfer',
    args: ({ amount }) => ({ amount }),
    act: transfer,
    put: (end) => ({ said: end.value ?? end.sentence }),
  });
const own = ({ amount }) =>
  interrupt({ amount }) ? { said: transfer({ amount }) } : { said: 'not approved' };

const graph = new StateGraph(State)
  .addNode('pay', isGuarded ? guarded() : own)
  .addEdge(START, 'pay')
  .addEdge('pay', END)
  .compile({ checkpointer: new FileSaver(stateFile) });
const config = { configurable: { thread_id: stateFile } };
const result = isStart
  ? await graph.invoke({ amount: calls[0].amount }, config)
  : isGuarded
    ? await resume(graph, stateFile)
    : await graph.invoke(new Command({ resume: approve }), config);
const waits = (result.__interrupt__ ?? []).map(({ value }) => value.review_link ?? 'interrupt');
tell(waits, String(result.said));
