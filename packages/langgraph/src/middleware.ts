import type { Client } from '@countersign/client';
import { toolCall } from '@countersign/guard/tool';
import type { ToolRules } from '@countersign/guard/tool';
import { ToolMessage, createMiddleware } from 'langchain';

import { untilDecided } from './index.js';

/**
 * Middleware for `createAgent`: calls of tools with a rule run once people authorised exactly these arguments. `allow` lets a
 * tool run without people; a tool that is not named is denied.
 */
export function countersign(client: Client, rules: ToolRules | { [tool: string]: 'allow' }) {
  return createMiddleware({
    name: 'Countersign',
    async wrapToolCall(request, handler) {
      const { name, args, id } = request.toolCall;
      const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
      if (rule === 'allow') return handler(request);
      const failed = (content: string) =>
        new ToolMessage({ tool_call_id: id as string, name, status: 'error', content });
      if (rule === undefined) return failed(`No rule allows the tool ${name}. It did not run.`);
      const about = { tool: name, call: `${request.runtime.configurable?.thread_id}:${id}`, args };
      const call = toolCall(client, rule, about, async (approved: typeof args) => {
        const toolRequest = { ...request.toolCall, args: approved };
        return textOf(await handler({ ...request, toolCall: toolRequest }));
      });
      await untilDecided(call);
      const end = await call.settle(request.runtime.signal);
      if (end.state !== 'completed') return failed(end.sentence);
      return new ToolMessage({ tool_call_id: id as string, name, content: end.value });
    },
  });
}

/** What the tool said, so that a later process has it too: a result that is kept is JSON. */
function textOf(result: unknown): string {
  if (!(result instanceof ToolMessage))
    throw new TypeError('countersign: a guarded tool has to give a result, and no command');
  return typeof result.content === 'string' ? result.content : JSON.stringify(result.content);
}
