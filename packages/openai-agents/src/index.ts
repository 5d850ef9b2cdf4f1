import type { Client } from '@countersign/client';
import { toolCall } from '@countersign/guard/tool';
import type { ToolRule, ToolRules } from '@countersign/guard/tool';
import { tool } from '@openai/agents-core';
import type { RunToolApprovalItem } from '@openai/agents-core';

type Options = Parameters<typeof tool>[0];

/**
 * A tool that runs once people authorised exactly these arguments. What the framework keeps of an approval decides nothing:
 * the tool asks the service.
 */
export function countersignTool<A>(
  client: Client,
  options: Omit<Options, 'execute' | 'needsApproval'> & {
    readonly name: string;
    execute(args: A, ...more: unknown[]): unknown;
  },
  rule: ToolRule<A>,
) {
  const { name, execute } = options;
  const guarded = {
    ...options,
    needsApproval: true,
    async execute(
      input: unknown,
      context: unknown,
      details?: { toolCall?: { callId: string }; signal?: AbortSignal },
    ) {
      const { toolCall: made, signal } = details ?? {};
      if (made === undefined) throw new TypeError('countersign: the call has no id');
      const about = { tool: name, call: made.callId, args: input as A };
      const call = toolCall(client, rule, about, (args) => execute(args, context, details));
      const end = await call.settle(signal);
      return end.state === 'completed' ? end.value : end.sentence;
    },
  };
  return tool(guarded as unknown as Options);
}

interface Result {
  readonly interruptions: readonly RunToolApprovalItem[];
  readonly state: {
    approve(item: RunToolApprovalItem): void;
    reject(item: RunToolApprovalItem, options?: { message?: string }): void;
  };
}

/** A call that waits for people. */
export interface Waiting {
  readonly countersign: string;
  readonly review_link: string;
}

/**
 * Asks for every interruption of a run, and approves or rejects in its state those that people decided; gives those that wait.
 * An interruption of a tool without a rule is rejected. With none that waits, run the agent again with `result.state`.
 */
export async function settleInterruptions(
  client: Client,
  { interruptions, state }: Result,
  rules: ToolRules,
): Promise<Waiting[]> {
  const waiting: Waiting[] = [];
  for (const item of interruptions) {
    const { name = '', rawItem } = item;
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (rule === undefined || rawItem.type !== 'function_call') {
      state.reject(item, { message: `No rule allows the tool ${name}. It did not run.` });
      continue;
    }
    const args: unknown = JSON.parse(rawItem.arguments);
    const call = toolCall(client, rule, { tool: name, call: rawItem.callId, args }, () => null);
    const { id, reviewLink } = await call.ask();
    const decision = await call.decision();
    if (decision === null) waiting.push({ countersign: id, review_link: reviewLink });
    else if (decision.isAuthorised) state.approve(item);
    else state.reject(item, { message: decision.sentence });
  }
  return waiting;
}
