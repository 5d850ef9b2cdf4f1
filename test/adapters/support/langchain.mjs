import { countersign } from '@countersign/langgraph/middleware';
import { resume } from '@countersign/langgraph';
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage } from '@langchain/core/messages';
import { Command } from '@langchain/langgraph';
import { createAgent, humanInTheLoopMiddleware, tool } from 'langchain';
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
import { FileSaver } from './file-saver.mjs';

/** Calls the tools once, and then says what it heard of them. */
class Scripted extends BaseChatModel {
  _llmType() {
    return 'scripted';
  }
  bindTools() {
    return this;
  }
  async _generate(messages) {
    const heard = messages.filter((message) => message.getType() === 'tool');
    const message =
      heard.length === 0
        ? new AIMessage({
            content: '',
            tool_calls: calls.map(({ id, amount }) => ({ id, name: 'transfer', args: { amount } })),
          })
        : new AIMessage(JSON.stringify(heard.map(({ content }) => content)));
    return { generations: [{ text: '', message }] };
  }
}

const agent = createAgent({
  model: new Scripted({}),
  tools: [
    tool(async (input) => transfer(input), {
      ...{ name: 'transfer', description: 'Transfers money.', schema },
    }),
  ],
  middleware: [
    isGuarded
      ? countersign(client, { transfer: rule })
      : humanInTheLoopMiddleware({ interruptOn: { transfer: true } }),
  ],
  checkpointer: new FileSaver(stateFile),
});
const config = { configurable: { thread_id: stateFile } };
const result = isStart
  ? await agent.invoke({ messages: [{ role: 'user', content: 'Pay.' }] }, config)
  : isGuarded
    ? await resume(agent.graph ?? agent, stateFile)
    : await agent.invoke(
        new Command({
          resume: {
            decisions: (Array.isArray(approve) ? approve : [approve]).map((yes) => ({
              type: yes ? 'approve' : 'reject',
            })),
          },
        }),
        config,
      );
const waits = (result.__interrupt__ ?? []).map(({ value }) => value.review_link ?? 'interrupt');
tell(waits, String(result.messages?.at(-1)?.content));
