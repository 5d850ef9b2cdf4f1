import { writeSync } from 'node:fs';
import { WaitEnded } from '@countersign/client/node';
import { guard } from '@countersign/guard/node';
import type { Plan, ProbeAnswer } from '@countersign/guard/node';

import { USUAL, match } from '../policy/policy.js';
import type { Match, Policy } from '../policy/policy.js';
import { endOf, pending } from '../tool-calls/ends.js';
import { guardingOf } from '../tool-calls/guarding.js';
import type { Guarding, Surroundings } from '../tool-calls/guarding.js';
import type { Series } from '../tool-calls/series.js';
import type { HookEvent } from './event.js';
import type { Launch, Launches } from './launches.js';

/** Name of the guard, which is signed. */
const NAME = 'countersign.hook';

interface Hook extends Surroundings {
  readonly policy: Policy;
  readonly launches: Launches;
  readonly waitMs: number;
  /** Whether a call without a decision ends the agent's session, to be resumed. */
  readonly isDeferring: boolean;
}

/** What the agent is to do with a call; null where the policy leaves it to the agent's own rules. */
export interface Verdict {
  readonly decision: 'allow' | 'deny' | 'defer';
  readonly reason: string;
}

/** As the agent reads it on stdout. */
export function verdictText({ decision, reason }: Verdict): string {
  const output = {
    hookEventName: 'PreToolUse',
    permissionDecision: decision,
    permissionDecisionReason: reason,
  };
  return `${JSON.stringify({ hookSpecificOutput: output })}\n`;
}

/** Before a tool runs. An allowed call that people decided about ends this process: the tool is what runs. */
export async function before(hook: Hook, event: HookEvent): Promise<Verdict | null> {
  const { policy, waitMs, client, isDeferring } = hook;
  const { tool, args } = event;
  const found = match(policy, tool, args);
  if (found.do === 'allow') return null;
  if (found.do === 'deny') return deny(`The policy denies this call of ${tool}.`);
  try {
    const proposal = { alias: policy.alias, tool, arguments: args, folder: event.folder };
    const guarding: Guarding<never> = guardingOf<never>(hook, {
      ...{ name: NAME, match: found, proposal, description: '' },
      act: (): never => launch(hook, event, found, { plan, series: guarding.series }),
    });
    const plan: Plan = guarding.action.plan(proposal);
    const { id, reviewLink } = await guarding.action.ask(plan);
    try {
      await client.until(id, 'available', { timeout: Math.max(1, waitMs) });
    } catch (error) {
      const { sentence } = pending(reviewLink);
      if (error instanceof WaitEnded)
        return isDeferring ? { decision: 'defer', reason: sentence } : deny(sentence);
      throw error;
    }
    return await guarding.action.run(plan, { timeout: 0 }).catch((error: unknown) => {
      const end = endOf(error);
      const at = new Date().toISOString();
      if (end.isFinal) guarding.series.end({ state: end.state, request: id, at });
      return deny(end.sentence);
    });
  } catch (error) {
    return deny(endOf(error).sentence);
  }
}

const deny = (reason: string): Verdict => ({ decision: 'deny', reason });

/**
 * Behind the fence: all that a later process needs is written, the agent learns that it may, and this process ends without an
 * outcome. The event after the tool reports it, as what the world says of a launch whose process is gone.
 */
function launch(
  { launches }: Hook,
  { session, toolUse }: HookEvent,
  { route, rule }: Match,
  { plan, series }: { readonly plan: Plan; readonly series: Series },
): never {
  const seconds = rule?.windowSeconds ?? USUAL.windowSeconds;
  launches.keep(toolUse, {
    ...{ plan, route: route as string, session, end: null },
    until: Date.now() + seconds * 1_000,
  });
  series.end({ state: 'launched', request: null, at: new Date().toISOString() });
  writeSync(1, verdictText({ decision: 'allow', reason: 'People authorised exactly this call.' }));
  process.exit(0);
}

/** After a tool: reports what became of the call. */
export async function after(hook: Hook, event: HookEvent): Promise<void> {
  const { launches } = hook;
  const { toolUse, name, isInterrupted } = event;
  const found = launches.find(toolUse);
  // The policy left it to the agent.
  if (found === null) return;
  const failed: ProbeAnswer = isInterrupted ? 'unknown' : 'partly done';
  const known = { ...found, end: name === 'PostToolUse' ? ('done' as const) : failed };
  launches.keep(toolUse, known);
  await report(hook, toolUse, known);
}

/**
 * Reports what is not reported yet: ends that could not be sent, and calls without an end whose session or window is over.
 */
export async function sweep(hook: Hook, endedSession: string | null): Promise<void> {
  for (const { toolUse, launch: found } of hook.launches.all()) {
    const isOver = found.session === endedSession || found.until < Date.now();
    if (found.end !== null || isOver)
      await report(hook, toolUse, { ...found, end: found.end ?? 'unknown' });
  }
}

async function report(
  { client, journal, launches }: Hook,
  toolUse: string,
  { plan, route, end }: Launch,
): Promise<void> {
  const action = guard(
    client,
    {
      ...{ name: NAME, route, journal, occurrence: () => plan.occurrence },
      probe: () => end ?? 'unknown',
    },
    // The agent started it: a launch that is written down is never started here.
    () => Promise.reject(new Error('this call is not started here')),
  );
  const fault = await action.run(plan, { timeout: 0 }).then(
    () => null,
    (error: unknown) => endOf(error),
  );
  if (fault !== null && !fault.isFinal) throw new Error(fault.sentence);
  launches.drop(toolUse);
}
