import type { Client } from '@countersign/client';
import type { Action } from '@countersign/guard';
import { toolCall } from '@countersign/guard/tool';
import type { CallEnd, ToolCall, ToolRule } from '@countersign/guard/tool';
import { Command, interrupt } from '@langchain/langgraph';
import type { LangGraphRunnableConfig } from '@langchain/langgraph';

/** What an interrupt shows to the program that runs the graph. */
export interface Waiting {
  readonly countersign: string;
  readonly review_link: string;
}

/**
 * Asks, and interrupts the graph until people have decided. It interrupts at least once, because LangGraph matches values of a
 * resume by their order; the value itself counts for nothing, so one that is forged or comes early only waits again.
 */
export async function untilDecided(call: ToolCall<unknown>): Promise<void> {
  const { id, reviewLink } = await call.ask();
  const waiting: Waiting = { countersign: id, review_link: reviewLink };
  do interrupt(waiting);
  while ((await call.decision()) === null);
}

export interface NodeOptions<S, A, R> extends ToolRule<A> {
  /** Name of the action, as people read it. */
  readonly name: string;
  readonly args: (state: S) => A;
  readonly act: Action<A, R>;
  /** What the graph gets to know of the end. */
  readonly put: (end: CallEnd<R>) => Partial<S>;
}

/** A node that runs its action once people authorised it, and at most once. It has to hold no other interrupt. */
export function guardNode<S, A, R>(
  client: Client,
  { name, args, act, put, ...rule }: NodeOptions<S, A, R>,
) {
  return async (state: S, config: LangGraphRunnableConfig): Promise<Partial<S>> => {
    const { thread_id: thread, checkpoint_ns: place } = config.configurable ?? {};
    const about = { tool: name, call: `${thread}:${place}`, args: args(state) };
    const call = toolCall<A, R>(client, rule, about, act);
    await untilDecided(call);
    return put(await call.settle(config.signal));
  };
}

interface Graph {
  getState(config: object): Promise<{
    readonly tasks: readonly { readonly interrupts: readonly { readonly id?: string }[] }[];
  }>;
  // Its own types say what it gives.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  invoke(input: any, config: any): Promise<any>;
}

/** Goes on with a thread that waits; safe at any time, and any number of times. */
export async function resume<G extends Graph>(
  graph: G,
  threadId: string,
): Promise<Awaited<ReturnType<G['invoke']>>> {
  const config = { configurable: { thread_id: threadId } };
  const { tasks } = await graph.getState(config);
  const ids = tasks.flatMap(({ interrupts }) => interrupts.map(({ id }) => id as string));
  // Values for some of several interrupts go by their ids.
  const values = Object.fromEntries(ids.map((id) => [id, 'look']));
  return graph.invoke(new Command({ resume: values }), config);
}
