import { Refusal } from '../../errors.js';
import type { Lifecycle } from '../index.js';
import { COMMANDS, commandNamed, create } from './commands.js';
import type { Command, Machine } from './commands.js';
import type { Result } from './expectation.js';
import type { Scenario } from './request.js';
import { factsOf } from './situations.js';

/** A state that commands and time have led to, and the moment. */
export interface Reached {
  readonly state: Lifecycle;
  readonly now: number;
  readonly scenario: Scenario;
  readonly facts: readonly string[];
}

/** A reached state with the result of every command at its moment. */
export interface Asked extends Reached {
  readonly results: ReadonlyMap<Command, Result>;
}

/** Asks the machine; anything thrown that is no refusal counts as one named after the error. */
export function ask(
  machine: Machine,
  command: Command,
  state: Lifecycle,
  now: number,
  scenario: Scenario,
): Result {
  try {
    return command.run(machine, state, now, scenario);
  } catch (error) {
    return { refusal: error instanceof Refusal ? error.code : String(error) };
  }
}

/** Equal to the last member, and in the order of members: that of a payload is the canonical one. */
export function alike(one: Result, other: Result): boolean {
  if (one === null || other === null) return one === other;
  if ('refusal' in one || 'refusal' in other) {
    return 'refusal' in one && 'refusal' in other && one.refusal === other.refusal;
  }
  return JSON.stringify(one) === JSON.stringify(other);
}

/** The stacks of some hundred thousand refusals are not read, and taking them costs most of the time. */
export function withoutStacks<T>(work: () => T): T {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return work();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/**
 * Every state that a request of this scenario can come to, breadth first over all commands at all moments that matter.
 * States count as the same when their four states, mark and facts are; between two deadlines all moments are alike, so
 * time goes from deadline to deadline and stands exactly on it.
 */
export function* reachable(machine: Machine, scenario: Scenario): Generator<Asked> {
  const seen = new Set<string>();
  const waiting: Reached[] = [];
  const arrive = (state: Lifecycle, now: number): void => {
    const facts = factsOf(state, now, scenario);
    const key = identity(state, now, facts, scenario);
    if (seen.has(key)) return;
    seen.add(key);
    waiting.push({ state: Object.freeze(state), now, scenario, facts });
  };
  arrive(create(machine, scenario).next, scenario.start);
  for (let at = 0; at < waiting.length; at += 1) {
    const reached = waiting[at] as Reached;
    const { state, now } = reached;
    const results = new Map(
      COMMANDS.map((command) => [command, ask(machine, command, state, now, scenario)]),
    );
    yield { ...reached, results };
    for (const result of results.values()) {
      if (result !== null && 'next' in result) arrive(result.next, now);
    }
    const full = admittedToTheLimit(machine, reached);
    if (full !== null) arrive(full, now);
    const [soonest] = momentsAfter(state, now, scenario);
    if (soonest !== undefined) arrive(state, soonest.time);
  }
}

/** The deadlines that still lie ahead, soonest first. */
export function momentsAfter(
  state: Lifecycle,
  now: number,
  { executionSeconds }: Scenario,
): { name: string; time: number }[] {
  const { grantDeadline, remindedAt } = state;
  const moments = [
    { name: 'review', time: state.reviewDeadline },
    { name: 'retention', time: state.privateDeleteAt },
    { name: 'grant', time: grantDeadline ?? 0 },
    {
      name: 'execution',
      time: grantDeadline === null ? 0 : grantDeadline + executionSeconds * 1000,
    },
    { name: 'reminder', time: remindedAt === null ? 0 : remindedAt + 86_400_000 },
  ];
  return moments.filter(({ time }) => time > now).sort((one, other) => one.time - other.time);
}

function identity(
  state: Lifecycle,
  now: number,
  facts: readonly string[],
  scenario: Scenario,
): string {
  const { decision, audit, grant, execution, invalidated, admissions } = state;
  const ahead = momentsAfter(state, now, scenario).map(({ name }) => name);
  // The order of deadlines that only a pending request waits for makes no difference.
  const order = ahead.filter((name) => name !== 'review' && name !== 'reminder');
  return [decision, audit, grant, execution, invalidated, admissions > 0, facts, order].join(' ');
}

/** Sixty-three admissions more are one step here. */
function admittedToTheLimit(machine: Machine, { state, now, scenario }: Reached): Lifecycle | null {
  if (state.admissions !== 1) return null;
  const admit = commandNamed('admit');
  let last = state;
  while (last.admissions < 64) {
    const result = ask(machine, admit, last, now, scenario);
    if (result === null || 'refusal' in result || result.next.admissions <= last.admissions) {
      return null;
    }
    last = result.next;
  }
  return last;
}
