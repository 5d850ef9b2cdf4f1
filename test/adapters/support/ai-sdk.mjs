import { readFileSync, writeFileSync } from 'node:fs';
import { countersignTools } from '@countersign/ai-sdk';
import { generateText, isStepCount, jsonSchema, tool } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
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

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};
/** Calls the tools once, and then says what it heard of them. */
const model = new MockLanguageModelV4({
  doGenerate: async ({ prompt }) => {
    const heard = prompt.filter(({ role }) => role === 'tool');
    const content =
      heard.length === 0
        ? calls.map(({ id, amount }) => ({
            ...{ type: 'tool-call', toolCallId: id, toolName: 'transfer' },
            input: JSON.stringify({ amount }),
          }))
        : [{ type: 'text', text: JSON.stringify(heard) }];
    const unified = heard.length === 0 ? 'tool-calls' : 'stop';
    return { content, finishReason: { unified, raw: undefined }, usage, warnings: [] };
  },
});

const own = {
  tools: {
    transfer: tool({
      description: 'Transfers money.',
      inputSchema: jsonSchema(schema),
      execute: async (input) => transfer(input),
    }),
  },
  toolApproval: { transfer: 'user-approval' },
};
const guarded = isGuarded
  ? countersignTools(client, own.tools, { transfer: rule }, stateFile)
  : null;

/** The messages and what waits, as an application keeps them. */
let { messages, content } = isStart
  ? { messages: [{ role: 'user', content: 'Pay.' }], content: [] }
  : JSON.parse(readFileSync(stateFile, 'utf8'));
if (!isStart) {
  const responses = isGuarded
    ? await guarded.responses(content)
    : content
        .filter(({ type }) => type === 'tool-approval-request')
        .map(({ approvalId }, at) => ({
          ...{ type: 'tool-approval-response', approvalId },
          approved: Array.isArray(approve) ? approve[at] : approve,
        }));
  if (responses === null) tell(['open'], '');
  messages.push({ role: 'tool', content: responses });
}
const { tools, toolApproval } = guarded ?? own;
const result = await generateText({
  model,
  tools,
  toolApproval,
  messages,
  stopWhen: isStepCount(3),
});
messages.push(...result.responseMessages);
content = result.content;
writeFileSync(stateFile, JSON.stringify({ messages, content }));
tell(
  content
    .filter(({ type }) => type === 'tool-approval-request')
    .map(({ reason, approvalId }) => reason ?? approvalId),
  result.text,
);
