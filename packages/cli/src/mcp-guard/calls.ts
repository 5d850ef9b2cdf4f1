import { WaitEnded, digestOf } from '@countersign/client/node';
import type { JsonObject, JsonValue } from '@countersign/client/node';
import { NotDone } from '@countersign/guard/node';
import type { Plan } from '@countersign/guard/node';

import { match } from '../policy/policy.js';
import type { Match, Policy } from '../policy/policy.js';
import { RUNNING, endOf, pending } from '../tool-calls/ends.js';
import type { CallEnd } from '../tool-calls/ends.js';
import { guardingOf } from '../tool-calls/guarding.js';
import type { Guarding, Proposal, Surroundings } from '../tool-calls/guarding.js';
import type { Definition } from './definitions.js';
import { listed } from './definitions.js';
import type { Lock } from './lock.js';
import type { Peer } from './peer.js';
import { newRounds } from './rounds.js';
import type { Answer, Question, Rounds } from './rounds.js';
import { runCall } from './run-call.js';
import type { Seen } from './run-call.js';
import type { RpcFault } from './upstream.js';

/** How long an authorised call may take until it is launched, before its client hears that it is under way. */
const LAUNCH_MS = 10_000;

export const GUARD_NAME = 'countersign.mcp-guard';

/** A call of a tool, as the client made it. */
export interface ToolCall {
  readonly tool: string;
  readonly args: JsonObject;
  /** Goes with the call when it runs. */
  readonly meta: JsonObject | undefined;
  /** Goes with the guard's own look at the list of tools. */
  readonly ownMeta: JsonObject | undefined;
  /** What its client can be asked for. */
  readonly abilities: JsonObject;
}

/** How a call ended, or where it is. */
export type Ended =
  | { readonly kind: 'result'; readonly result: JsonObject; readonly asked: Asked | null }
  | { readonly kind: 'error'; readonly fault: RpcFault; readonly asked: Asked | null }
  | { readonly kind: 'question'; readonly question: Question; readonly asked: Asked }
  | { readonly kind: 'end'; readonly end: CallEnd; readonly asked: Asked | null };

export interface Asked {
  readonly id: string;
  readonly link: string;
}

/** A call that people were asked about. */
export interface OpenCall {
  readonly asked: Asked;
  /** Waits for the decision, and runs the call once people authorised it. It never throws. */
  settle(how: { readonly holdMs?: number; readonly signal?: AbortSignal }): Promise<Ended>;
  /** Notes that the caller has the end: the next call of the same words is a new one. */
  told(ended: Ended): void;
  /** Whether it was launched by this process. */
  isLaunched(): boolean;
  /** Resolves once no run of it is open in this process. */
  ended(): Promise<unknown>;
  /** Answers a question of the tool; false for a state that is not that of the open one. */
  answer(state: string, answer: Answer): boolean;
}

export interface Calls {
  /** What the policy and the lock say of a call; fresh, or by the newest list that is known. */
  judge(call: ToolCall, isFresh: boolean): Promise<Judged>;
  /** Asks people. An end where they cannot be asked. */
  open(call: ToolCall, judged: Judged): Promise<OpenCall | Ended>;
  /** Whether the tool has asked for more input in exactly this call, with this state, and still waits for it. */
  isAsking(call: ToolCall, state: JsonValue | undefined): boolean;
  /** The list of tools has changed. */
  forget(): void;
  /** Resolves when no call runs any more. */
  idle(): Promise<void>;
}

export interface Judged {
  readonly match: Match;
  readonly definition: Definition | null;
  /** A tool that is not as it was locked. */
  readonly isChanged: boolean;
}

interface Guard extends Surroundings {
  readonly policy: Policy;
  readonly lock: Lock;
  readonly peer: Peer;
}

export const CHANGED: CallEnd = {
  state: 'tool_changed',
  sentence:
    'The server describes this tool otherwise than when it was locked. It did not run: an operator of this guard looks at it, and runs `countersign mcp-guard lock`.',
  isFinal: false,
};

export function newCalls(guard: Guard): Calls {
  const { policy, lock, peer, client } = guard;
  /** Runs of this process, by occurrence: a call that is made twice joins. */
  const running = new Map<string, Running>();
  let known: ReadonlyMap<string, Definition> | null = null;

  async function judge(call: ToolCall, isFresh: boolean): Promise<Judged> {
    if (isFresh || known === null) known = await listed(peer, call.ownMeta);
    const definition = known.get(call.tool) ?? null;
    return {
      match: match(policy, call.tool, call.args),
      definition,
      isChanged: definition === null || lock.get(call.tool) !== definition.digest,
    };
  }

  function run(call: ToolCall, guarding: Guarding<JsonObject>, plan: Plan): Running {
    const { occurrence, action } = guarding;
    const found = running.get(occurrence);
    if (found !== undefined) return found;
    const mine: Running = {
      ...{ call, hasStarted: false, fault: null, result: null },
      ...{ rounds: newRounds(), ended: Promise.resolve(null) },
    };
    starts.set(plan.occurrence, mine);
    mine.ended = action
      .run(plan, { timeout: 0 })
      .then(
        (result): Ended => ({ kind: 'result', result, asked: null }),
        (error: unknown): Ended => endedBy(error, mine),
      )
      .finally(() => {
        running.delete(occurrence);
        starts.delete(plan.occurrence);
      });
    running.set(occurrence, mine);
    return mine;
  }
  const starts = new Map<string, Running>();

  async function open(call: ToolCall, judged: Judged): Promise<OpenCall | Ended> {
    const definition = judged.definition as Definition;
    const proposal: Proposal = {
      ...{ alias: policy.alias, tool: call.tool, definition_digest: definition.digest },
      arguments: call.args,
    };
    try {
      const guarding = guardingOf<JsonObject>(guard, {
        ...{ name: GUARD_NAME, match: judged.match, proposal },
        description: definition.description,
        // The server may go on when this process is killed.
        options: { outlives: true },
        act: ({ tool, arguments: args }, run) => {
          const { meta, abilities } = call;
          const seen = starts.get(run.occurrence) as Running;
          seen.hasStarted = true;
          const approved = { tool, args, meta, abilities, rule: judged.match.rule };
          return runCall(peer, approved, { run, rounds: seen.rounds, seen });
        },
      });
      await renew(guarding, proposal);
      const plan = guarding.action.plan(proposal);
      const { id, reviewLink: link } = await guarding.action.ask(plan);
      const asked = { id, link };
      return {
        asked,
        settle: (how) => settle(call, proposal, guarding, plan, asked, how),
        told(ended) {
          if (ended.kind === 'question') return;
          const state = ended.kind === 'end' ? ended.end.state : ended.kind;
          if (ended.kind === 'end' && !ended.end.isFinal) return;
          // A name of the policy's own stands for one action: only a lapse of it is noted, to ask anew.
          if (guarding.isNamed && state !== 'lapsed') return;
          const shown = state === 'result' ? 'completed' : state === 'error' ? 'failed' : state;
          guarding.series.end({ state: shown, request: id, at: new Date().toISOString() });
        },
        isLaunched: () => running.get(guarding.occurrence)?.hasStarted === true,
        ended: async () => running.get(guarding.occurrence)?.ended,
        answer: (state, answer) =>
          running.get(guarding.occurrence)?.rounds.answer(state, answer) === true,
      };
    } catch (error) {
      return { kind: 'end', end: endOf(error), asked: null };
    }
  }

  /** An occurrence that the policy names, and whose time ran out: people are asked anew, once for each lapse. */
  async function renew({ isNamed, series, action }: Guarding<JsonObject>, proposal: Proposal) {
    if (!isNamed || series.before?.state !== 'lapsed') return;
    series.end({ state: 'asked', request: series.before.request, at: new Date().toISOString() });
    await action.again(proposal, { timeout: 0 }).catch((error: unknown) => {
      if (!(error instanceof WaitEnded)) throw error;
    });
  }

  async function settle(
    call: ToolCall,
    proposal: Proposal,
    guarding: Guarding<JsonObject>,
    plan: Plan,
    asked: Asked,
    { holdMs, signal }: { readonly holdMs?: number; readonly signal?: AbortSignal },
  ): Promise<Ended> {
    const until = holdMs === undefined ? null : Date.now() + holdMs;
    const waits: Ended = { kind: 'end', end: pending(asked.link), asked };
    try {
      await client.until(asked.id, 'available', {
        ...(signal !== undefined && { signal }),
        ...(holdMs !== undefined && { timeout: Math.max(1, holdMs) }),
      });
      // Hours may have passed: what people saw has to be what the server offers now.
      const now = await judge(call, true);
      const isSame = !now.isChanged && now.definition?.digest === proposal.definition_digest;
      if (!isSame) return { kind: 'end', end: CHANGED, asked };
      const mine = run(call, guarding, plan);
      const ended = await Promise.race([
        mine.ended,
        mine.rounds.next().then((question): Ended => ({ kind: 'question', question, asked })),
        late(mine, until && Math.max(until, Date.now() + LAUNCH_MS)),
      ]);
      return ended === null ? { kind: 'end', end: RUNNING, asked } : { ...ended, asked };
    } catch (error) {
      if (error instanceof WaitEnded) return waits;
      return { kind: 'end', end: endOf(error), asked };
    }
  }

  return {
    ...{ judge, open },
    isAsking: ({ tool, args }, state) =>
      [...running.values()].some(
        ({ call, rounds }) =>
          rounds.isOpen(state) && call.tool === tool && digestOf(call.args) === digestOf(args),
      ),
    forget() {
      known = null;
    },
    async idle() {
      await Promise.all([...running.values()].map(({ ended }) => ended));
    },
  };
}

/** A run of this process. */
interface Running extends Seen {
  readonly call: ToolCall;
  readonly rounds: Rounds;
  hasStarted: boolean;
  ended: Promise<Ended | null>;
}

/** Null once the time is up, unless the call has started here: then its end is near. */
async function late(mine: Running, until: number | null): Promise<null> {
  if (until === null) return new Promise(() => {});
  await new Promise((resume) => setTimeout(resume, Math.max(0, until - Date.now())));
  return mine.hasStarted ? new Promise(() => {}) : null;
}

function endedBy(error: unknown, { fault, result }: Running): Ended {
  if (result !== null) return { kind: 'result', result, asked: null };
  if (fault !== null && error instanceof NotDone) return { kind: 'error', fault, asked: null };
  return { kind: 'end', end: endOf(error), asked: null };
}
