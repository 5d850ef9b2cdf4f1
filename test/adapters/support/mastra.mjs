import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { countersignTool } from '@countersign/mastra';
import { Agent } from '@mastra/core/agent';
import { Mastra } from '@mastra/core/mastra';
import {
  InMemoryDB,
  InMemoryStore,
  MastraCompositeStore,
  WorkflowsInMemory,
} from '@mastra/core/storage';
import { MastraLanguageModelV2Mock } from '@mastra/core/test-utils/llm-mock';
import { createTool } from '@mastra/core/tools';
import {
  approve,
  calls,
  client,
  isGuarded,
  isStart,
  rule,
  schema,
  stateFile,
  tell,
  transfer,
} from './agent.mjs';

const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
/** Calls the tools once, and then says what it heard of them. */
const model = new MastraLanguageModelV2Mock({
  doGenerate: async ({ prompt }) => {
    const heard = prompt.filter(({ role }) => role === 'tool');
    const content =
      heard.length === 0
        ? calls.map(({ id, amount }) => ({
            ...{ type: 'tool-call', toolCallId: id, toolName: 'transfer' },
            input: JSON.stringify({ amount }),
          }))
        : [{ type: 'text', text: JSON.stringify(heard) }];
    const finishReason = heard.length === 0 ? 'tool-calls' : 'stop';
    return { content, finishReason, usage, warnings: [] };
  },
});

const options = {
  ...{ id: 'transfer', description: 'Transfers money.', inputSchema: schema },
  execute: async (input) => transfer(input),
};
const tool = isGuarded
  ? countersignTool(client, options, rule)
  : createTool({ ...options, requireApproval: true });

/** Mastra's own store of suspended runs, in a file that outlives the process. */
const db = new InMemoryDB();
if (existsSync(stateFile))
  for (const [key, run] of JSON.parse(readFileSync(stateFile, 'utf8'))) {
    const [createdAt, updatedAt] = [new Date(run.createdAt), new Date(run.updatedAt)];
    db.workflows.set(key, { ...run, createdAt, updatedAt });
  }
const save = () => writeFileSync(stateFile, JSON.stringify([...db.workflows]));
const mastra = new Mastra({
  agents: {
    payer: new Agent({
      ...{ id: 'payer', name: 'Payer', instructions: 'Pay.' },
      ...{ model, tools: { transfer: tool } },
    }),
  },
  storage: new MastraCompositeStore({
    id: 'file',
    default: new InMemoryStore(),
    domains: { workflows: new WorkflowsInMemory({ db }) },
  }),
  logger: false,
});
const agent = mastra.getAgent('payer');

let result;
if (isStart) {
  result = await agent.generate('Pay.');
} else {
  // One call after the other: the next one suspends when the one before has ended.
  const answers = Array.isArray(approve) ? approve : [approve];
  for (const isApproved of answers) {
    const [run] = (await agent.listSuspendedRuns()).runs;
    const about = { runId: run.runId, toolCallId: run.toolCalls[0].toolCallId };
    if (isGuarded) result = await agent.resumeGenerate({ countersign: 'look' }, about);
    else if (isApproved) result = await agent.approveToolCallGenerate(about);
    else result = await agent.declineToolCallGenerate(about);
  }
}
save();
const waits = [];
for (const { toolCalls } of (await agent.listSuspendedRuns()).runs)
  for (const { toolCallId, suspendPayload } of toolCalls)
    waits.push(suspendPayload?.review_link ?? toolCallId);
tell(waits, result.text);
