import { unchanged } from '../index.js';
import type { Lifecycle } from '../index.js';
import { commandNamed, create } from './commands.js';
import type { Command, Machine } from './commands.js';
import type { Result } from './expectation.js';
import { alike, ask, momentsAfter, withoutStacks } from './exploration.js';
import { beginning, eventsOf, remember } from './memory.js';
import type { Memory } from './memory.js';
import type { Scenario } from './request.js';
import { RULES } from './rules.js';

/** Not a command: the step that continues from the current state. */
export const ONWARD = 'onward';

/** One step of a random history: how long to wait, and the command to run then. */
export interface Choice {
  /** Milliseconds, or to the next deadline and so many milliseconds past it. */
  readonly wait: number | { readonly pastDeadline: number };
  /** A command's name, or `onward`. */
  readonly pick: string;
}

/** A rule that a machine broke, and where. */
export interface Breach {
  readonly rule: string;
  readonly step: number;
  readonly command: string;
  readonly state: Lifecycle;
  readonly result: Result;
}

/** Plays a history and says which rule of RULES, or of asking twice, is broken first; null when all hold. */
export function play(
  machine: Machine,
  scenario: Scenario,
  choices: readonly Choice[],
): Breach | null {
  return withoutStacks(() => {
    let now = scenario.start;
    const created = create(machine, scenario);
    let state: Lifecycle = Object.freeze(created.next);
    let memory: Memory = beginning(scenario, created);
    for (const [step, { wait, pick }] of choices.entries()) {
      now = later(state, now, scenario, wait);
      const command = pick === ONWARD ? onward(state) : commandNamed(pick);
      const result = ask(machine, command, state, now, scenario);
      const breach = (rule: string): Breach => ({
        rule,
        step,
        command: command.name,
        state,
        result,
      });
      if (result !== null && 'refusal' in result && !/^[a-z_]+$/.test(result.refusal)) {
        return breach('a command answers or refuses, and leaves its input alone');
      }
      if (!alike(result, ask(machine, command, state, now, scenario))) {
        return breach('the same question has the same answer');
      }
      if (!alikeAfterExpiry(machine, command, state, now, scenario, result)) {
        return breach('it makes no difference whether a worker came first');
      }
      if (result === null || 'refusal' in result) continue;
      const events = eventsOf(result);
      const taken = {
        command,
        state,
        now,
        scenario,
        transition: result,
        next: result.next,
        events,
      };
      for (const [rule, holds] of Object.entries(RULES)) {
        if (!holds(taken, memory)) return breach(rule);
      }
      memory = remember(memory, taken);
      state = Object.freeze(result.next);
    }
    return null;
  });
}

function later(state: Lifecycle, now: number, scenario: Scenario, wait: Choice['wait']): number {
  if (typeof wait === 'number') return now + wait;
  const [soonest] = momentsAfter(state, now, scenario);
  return soonest === undefined ? now : Math.max(now, soonest.time + wait.pastDeadline);
}

/** The next command of a regular history, so that random ones get far too. */
function onward({ purpose, decision, audit, grant, execution }: Lifecycle): Command {
  if (decision === 'pending') {
    return commandNamed(purpose === 'review' ? 'confirm answer' : 'confirm authorise');
  }
  if (audit === 'pending') return commandNamed('anchor');
  if (grant === 'available') return commandNamed('claim');
  return commandNamed(execution === 'claimed' ? 'admit' : 'report completed');
}

/** R6: a command applies due deadlines by itself, so its result must be the same after the expiry worker. */
function alikeAfterExpiry(
  machine: Machine,
  command: Command,
  state: Lifecycle,
  now: number,
  scenario: Scenario,
  result: Result,
): boolean {
  const due = ask(machine, commandNamed('applyDue'), state, now, scenario);
  if (due === null || 'refusal' in due) return false;
  const after = ask(machine, command, Object.freeze(due.next), now, scenario);
  return alike(settled(machine, now, scenario, result), settled(machine, now, scenario, after));
}

/** A reader's view of it; the number of events may differ (protocol §11.1: two may coincide). */
function settled(machine: Machine, now: number, scenario: Scenario, result: Result): Result {
  if (result === null || 'refusal' in result) return result;
  const due = ask(machine, commandNamed('applyDue'), result.next, now, scenario);
  if (due === null || 'refusal' in due) return due;
  return unchanged({ ...due.next, revision: 0 });
}
