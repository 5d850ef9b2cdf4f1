import { readFileSync, writeFileSync } from 'node:fs';
import { countersignTool, settleInterruptions } from '@countersign/openai-agents';
import { Agent, RunState, Usage, run, setTracingDisabled, tool } from '@openai/agents-core';
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

setTracingDisabled(true);
/** Calls the tools once, and then says what it heard of them. */
const model = {
  async getResponse({ input }) {
    const heard = Array.isArray(input)
      ? input.filter(({ type }) => type === 'function_call_result')
      : [];
    const output =
      heard.length === 0
        ? calls.map(({ id, amount }) => ({
            ...{ type: 'function_call', callId: id, name: 'transfer', status: 'completed' },
            arguments: JSON.stringify({ amount }),
          }))
        : [
            {
              ...{ type: 'message', role: 'assistant', status: 'completed' },
              content: [{ type: 'output_text', text: JSON.stringify(heard) }],
            },
          ];
    return { usage: new Usage(), output };
  },
};

const options = {
  ...{ name: 'transfer', description: 'Transfers money.', parameters: schema, strict: true },
  execute: async (input) => transfer(input),
};
const tools = [
  isGuarded ? countersignTool(client, options, rule) : tool({ ...options, needsApproval: true }),
];
const agent = new Agent({ name: 'Payer', instructions: 'Pay.', model, tools });

let result;
if (isStart) {
  result = await run(agent, 'Pay.');
} else {
  const state = await RunState.fromString(agent, readFileSync(stateFile, 'utf8'));
  const interruptions = state.getInterruptions();
  if (isGuarded) {
    const waits = await settleInterruptions(client, { interruptions, state }, { transfer: rule });
    if (waits.length > 0)
      tell(
        waits.map(({ review_link: link }) => link),
        '',
      );
  } else {
    for (const [at, item] of interruptions.entries())
      if (Array.isArray(approve) ? approve[at] : approve) state.approve(item);
      else state.reject(item);
  }
  result = await run(agent, state);
}
writeFileSync(stateFile, result.state.toString());
const asked = isGuarded
  ? (await settleInterruptions(client, result, { transfer: rule })).map(
      ({ review_link: link }) => link,
    )
  : result.interruptions.map(({ rawItem }) => rawItem.callId);
tell(asked, String(result.finalOutput));
