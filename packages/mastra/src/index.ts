import type { Client } from '@countersign/client';
import { toolCall } from '@countersign/guard/tool';
import type { ToolRule } from '@countersign/guard/tool';
import { createTool } from '@mastra/core/tools';
import type { ToolExecutionContext } from '@mastra/core/tools';

type Options = Parameters<typeof createTool>[0];

/** What a suspended call shows to the program that runs the agent. */
export interface Waiting {
  readonly countersign: string;
  readonly review_link: string;
}

const TEXT = { type: 'string' } as const;
const WAITING = {
  type: 'object',
  properties: { countersign: TEXT, review_link: TEXT },
  required: ['countersign', 'review_link'],
} as const;
/** Any object wakes a call. */
const WAKES = { type: 'object' } as const;

/**
 * A tool of an agent or a workflow that runs once people authorised exactly these arguments. It suspends until they have
 * decided. The values of a resume decide nothing: the tool asks the service, and suspends again when it is woken early.
 *
 * @throws Error with a sentence for the model, for a call that gives no result
 */
export function countersignTool<A>(
  client: Client,
  options: Omit<Options, 'execute' | 'requireApproval' | 'resumeSchema' | 'suspendSchema'> & {
    execute(args: A, context: ToolExecutionContext): Promise<unknown>;
  },
  rule: ToolRule<A>,
) {
  const { id: tool, execute } = options;
  return createTool({
    ...options,
    suspendSchema: WAITING,
    resumeSchema: WAKES,
    async execute(input: unknown, context: ToolExecutionContext) {
      const place = context.agent ?? context.workflow;
      if (place === undefined)
        throw new TypeError('countersign: a guarded tool is called by an agent or a workflow');
      const about = { tool, call: nameOf(context), args: input as A };
      const call = toolCall(client, rule, about, (args) => execute(args, context));
      const { id, reviewLink } = await call.ask();
      if ((await call.decision()) === null) {
        const waiting: Waiting = { countersign: id, review_link: reviewLink };
        return place.suspend(waiting);
      }
      const end = await call.settle(context.abortSignal);
      if (end.state === 'completed') return end.value;
      throw new Error(end.sentence);
    },
  } as unknown as Options);
}

/** The name of a call, the same when it is resumed. */
function nameOf(context: ToolExecutionContext): string {
  const { agent, workflow } = context;
  if (agent === undefined) return `${workflow?.runId}`;
  // An agent's run has an id, which the type does not say.
  return `${(context as { runId?: string }).runId}:${agent.toolCallId}`;
}
