import type { Client } from '@countersign/client';
import { toolCall } from '@countersign/guard/tool';
import type { ToolRules } from '@countersign/guard/tool';
import type { ToolApprovalResponse, ToolExecutionOptions, ToolSet } from 'ai';

/** A part of a result, as far as approvals are in it. */
interface Part {
  readonly type: string;
  readonly approvalId?: string;
  readonly isAutomatic?: boolean;
  readonly toolCall?: {
    readonly toolName: string;
    readonly toolCallId: string;
    readonly input: unknown;
  };
}

export interface Guarded<T extends ToolSet> {
  readonly tools: T;
  /** For `generateText`, `streamText` and agents. */
  readonly toolApproval: (about: {
    readonly toolCall: { toolName: string; toolCallId: string; input: unknown };
  }) => Promise<
    undefined | { type: 'denied'; reason: string } | { type: 'user-approval'; reason: string }
  >;
  /**
   * Responses to the approval requests in the content of a result, for a message of the role `tool`; null while people have not
   * decided about one of them.
   */
  responses(content: readonly unknown[]): Promise<ToolApprovalResponse[] | null>;
}

/**
 * Tools that run once people authorised exactly these arguments. `allow` lets a tool run without people; a tool that is not
 * named is denied. Messages that come back from a client decide nothing: `execute` asks the service.
 *
 * @param scope of the conversation: the same whenever its messages come back
 */
export function countersignTools<T extends ToolSet>(
  client: Client,
  tools: T,
  rules: { readonly [name in keyof T]?: ToolRules[string] | 'allow' },
  scope: string,
): Guarded<T> {
  const ruleOf = (name: string): ToolRules[string] | 'allow' | undefined =>
    Object.hasOwn(rules, name) ? rules[name] : undefined;
  const denied = (name: string) => `No rule allows the tool ${name}. It did not run.`;

  function callOf(
    rule: ToolRules[string],
    { toolName, toolCallId, input }: NonNullable<Part['toolCall']>,
    options?: ToolExecutionOptions<unknown>,
  ) {
    const about = { tool: toolName, call: `${scope}:${toolCallId}`, args: input };
    return toolCall(client, rule, about, (args: unknown) =>
      (tools[toolName] as Executable).execute(args, options as ToolExecutionOptions<unknown>),
    );
  }

  const guarded = Object.entries(tools).map(([toolName, tool]) => {
    const rule = ruleOf(toolName);
    if (rule === 'allow' || (tool as Partial<Executable>).execute === undefined)
      return [toolName, tool];
    const execute = async (input: unknown, options: ToolExecutionOptions<unknown>) => {
      if (rule === undefined) throw new Error(denied(toolName));
      const call = callOf(rule, { toolName, toolCallId: options.toolCallId, input }, options);
      const end = await call.settle(options.abortSignal);
      if (end.state === 'completed') return end.value;
      throw new Error(end.sentence);
    };
    return [toolName, { ...tool, execute }];
  });

  return {
    tools: Object.fromEntries(guarded) as T,
    async toolApproval({ toolCall: made }) {
      const rule = ruleOf(made.toolName);
      if (rule === 'allow') return undefined;
      if (rule === undefined) return { type: 'denied', reason: denied(made.toolName) };
      const { reviewLink } = await callOf(rule, made).ask();
      return { type: 'user-approval', reason: reviewLink };
    },
    async responses(content) {
      const responses: ToolApprovalResponse[] = [];
      for (const { type, approvalId, isAutomatic, toolCall: made } of content as Part[]) {
        if (type !== 'tool-approval-request' || isAutomatic === true || made === undefined)
          continue;
        const rule = ruleOf(made.toolName);
        if (rule === undefined || rule === 'allow') continue;
        const decision = await callOf(rule, made).decision();
        if (decision === null) return null;
        const { isAuthorised: approved, sentence: reason } = decision;
        responses.push({
          type: 'tool-approval-response',
          approvalId: approvalId as string,
          approved,
          reason,
        });
      }
      return responses;
    },
  };
}

interface Executable {
  execute(input: unknown, options: ToolExecutionOptions<unknown>): unknown;
}
