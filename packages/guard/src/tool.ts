import { WaitEnded } from '@countersign/client';
import type { Client, RequestStatus } from '@countersign/client';

import { guard } from './index.js';
import type { Action, Asked, GuardOptions, Guarded, Plan } from './parts.js';
import { faultOf } from './tool-ends.js';
import type { CallFault } from './tool-ends.js';

export { faultOf } from './tool-ends.js';
export type { CallFault } from './tool-ends.js';

/** How calls of one tool come before people. */
export interface ToolRule<A> extends Omit<GuardOptions<A>, 'name' | 'occurrence'> {
  /** What may happen at most once; the call itself when not given. */
  readonly occurrence?: (args: A) => string;
}

export type ToolRules = {
  // Each tool has arguments of its own.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly [tool: string]: ToolRule<any>;
};

/** How a call ended. */
export type CallEnd<T> = { readonly state: 'completed'; readonly value: T } | CallFault;

/** One call of a tool that waits for people. It holds nothing: a later process makes it anew from the same values. */
export interface ToolCall<T> {
  readonly plan: Plan;
  /** Asks, once, and says whether people have decided. */
  ask(): Promise<Asked & { readonly isDecided: boolean }>;
  /** What people decided, as the service has it; null while they have not. */
  decision(): Promise<{ readonly isAuthorised: boolean; readonly sentence: string } | null>;
  /** Runs the call if people authorised it, at most once, and gives its end. It does not wait for people. */
  settle(signal?: AbortSignal): Promise<CallEnd<T>>;
  /** As `settle`, but throws what gives no result. */
  run(signal?: AbortSignal): Promise<T>;
}

/**
 * A call of a tool by an agent framework, which keeps its own state. That state decides nothing: the service is asked each time,
 * and other arguments are another action.
 *
 * @param call names the call, the same when it is resumed: the run or thread, and the call in it
 * @throws TypeError for options or arguments that cannot be used; nothing is sent
 */
export function toolCall<A, T>(
  client: Client,
  rule: ToolRule<A>,
  { tool, call, args }: { readonly tool: string; readonly call: string; readonly args: A },
  act: Action<A, T>,
): ToolCall<T> {
  const { occurrence, ...options } = rule;
  const action: Guarded<A, T> = guard<A, T, A>(
    client,
    {
      ...{ ...options, name: tool, hashOccurrence: true },
      occurrence: (given) => occurrence?.(given) ?? `${tool}:${call}`,
    },
    act,
  );
  const plan = action.plan(args);
  const run = (signal?: AbortSignal) =>
    action.run(plan, { timeout: 0, ...(signal !== undefined && { signal }) });
  return {
    plan,
    ask: () => action.ask(plan),
    async decision() {
      const { id } = await action.ask(plan);
      try {
        return decisionOf(await client.until(id, 'available', { timeout: 0 }));
      } catch (error) {
        if (error instanceof WaitEnded) return null;
        throw error;
      }
    },
    run,
    settle: (signal) =>
      run(signal).then(
        (value): CallEnd<T> => ({ state: 'completed', value }),
        (error: unknown) => faultOf(error),
      ),
  };
}

function decisionOf({ decision_state, receipt }: RequestStatus) {
  const { decision } = (receipt?.payload ?? {}) as { decision?: string };
  const isAuthorised = decision_state === 'confirmed' && decision === 'authorise';
  const says = decision === undefined ? `it is ${decision_state}` : `people decided: ${decision}`;
  return { isAuthorised, sentence: isAuthorised ? 'People authorised it.' : `Not run: ${says}.` };
}
