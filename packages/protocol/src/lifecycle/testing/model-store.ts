import { Refusal } from '../../errors.js';
import { retireWithoutEvents } from '../index.js';
import type { Transition, UniqueFact } from '../index.js';
import type { ExecutionClaim } from '../../records/index.js';
import type { Machine } from './commands.js';
import type { InterleavedCall } from './interleaved-calls.js';
import type { Observation } from './invariants.js';
import { waitingAfter } from './memory.js';
import {
  REVIEWERS,
  bornOf,
  newRow,
  observed,
  occurrenceOf,
  recordsOf,
  replacementOf,
  stateOf,
} from './world.js';
import type { Occurrence, Pending, Row, Step, World } from './world.js';

/**
 * The rules of the one statement of a save (docs/architecture.md, `packages/database/src/step.ts`), and of the read before it.
 * All of them hold; a planted bug drops one.
 */
export interface StoreRules {
  /** A row moves only from the version that was read. */
  readonly versions: boolean;
  /** The directory must be the one that was read. */
  readonly directory: boolean;
  /** A statement with a deadline compares it with the database's clock. */
  readonly clock: boolean;
  /** A key is kept, and kept once. */
  readonly keys: boolean;
  /** The answer is kept in the statement that has the effect. */
  readonly oneStatement: boolean;
  /** A kept answer is looked for before the state is asked. */
  readonly answerFirst: boolean;
  /** A kept answer is for its own body alone. */
  readonly bodies: boolean;
  /** A claim consumes its occurrence. */
  readonly occurrences: boolean;
  /** A claim takes its execution identity, which no other claim of the owner has. */
  readonly identities: boolean;
  /** A nonce that was used is kept. */
  readonly nonces: boolean;
  /** Eligibility is asked of the directory as it is, not as it was when the process started. */
  readonly reviewers: boolean;
  /** Claim and admission ask whether the reviewer of the decision may still decide. */
  readonly standing: boolean;
}

export const STORE_RULES: StoreRules = {
  versions: true,
  directory: true,
  clock: true,
  keys: true,
  oneStatement: true,
  answerFirst: true,
  bodies: true,
  occurrences: true,
  identities: true,
  nonces: true,
  reviewers: true,
  standing: true,
};

/** The result of loading and deciding: an observation of the caller's answer, a decision to save, or nothing. */
export type Begun = { readonly answered: Observation } | { readonly pending: Pending } | null;

/** Loads and decides; nothing is written. */
export function begin(
  machine: Machine,
  rules: StoreRules,
  world: World,
  call: InterleavedCall,
): Begun {
  const row = world.rows[call.row];
  if (row === undefined) return null;
  const { key, body } = call;
  const kept = key === null ? undefined : world.answers.get(key);
  if (kept !== undefined && key !== null && rules.answerFirst)
    return replay(rules, kept, key, body);
  let transition: Transition | null;
  const { directory } = world;
  const read = rules.reviewers
    ? world
    : { ...world, directory: { ...directory, reviewers: REVIEWERS } };
  try {
    if (rules.standing) call.requireStanding?.(read, row);
    transition = call.decide(machine, read, row);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return key === null ? null : { answered: { kind: 'refusal', key, body } };
  }
  if (transition === null) return null;
  if (kept !== undefined && key !== null) return replay(rules, kept, key, body);
  const more = call.more?.(machine, row) ?? {};
  const step: Step = {
    transition,
    ...more,
    ...(key === null ? {} : { answer: { key, body, text: answerOf(transition, more) } }),
  };
  return {
    pending: {
      call: call.name,
      row: call.row,
      step,
      version: row.version,
      directory: world.directory.revision,
      before: call.before(row.state),
      mark: `${call.name} @${world.now} ${stateOf(row)}`,
    },
  };
}

function replay(
  { bodies }: StoreRules,
  kept: { body: string; text: string },
  key: string,
  body: string,
): Begun {
  return kept.body === body || !bodies
    ? { answered: { kind: 'answer', key, body, text: kept.text } }
    : { answered: { kind: 'refusal', key, body } };
}

/** Record or state, as the caller reads it. */
function answerOf({ next, records, takes }: Transition, { replacement }: Partial<Step>): string {
  const [first] = records;
  const evidence = first?.type === 'RequestChangedEvent' ? null : first;
  return JSON.stringify([evidence, next.revision, takes, replacement?.next.revision]);
}

/** Whether the statement of that save would have its effect. */
export function canSave(rules: StoreRules, world: World, pending: Pending): boolean {
  const { row: at, step, version, directory, before } = pending;
  const row = world.rows[at] as Row;
  const { answer, replacement, transition } = step;
  return (
    (!rules.versions || row.version === version) &&
    (!rules.directory || world.directory.revision === directory) &&
    (!rules.clock || before === null || world.now < before) &&
    (!rules.keys || answer === undefined || !world.answers.has(answer.key)) &&
    (replacement === undefined || world.rows.length === 1) &&
    transition.takes.every((fact) => canTake(rules, world, at, fact))
  );
}

function canTake(
  rules: StoreRules,
  world: World,
  at: number,
  { fact, value }: UniqueFact,
): boolean {
  switch (fact) {
    case 'occurrence': {
      const occurrence = world.occurrences.get(value);
      return occurrence?.request === world.rows[at]?.subject.id && occurrence?.consumedBy === null;
    }
    case 'identity':
      return !rules.identities || !world.identities.includes(value);
    case 'nonce':
      return !world.nonces.includes(`${at} ${value}`);
  }
}

/** A world after a step, and the invariants that the step breaks. */
export interface Saved {
  readonly world: World;
  readonly breaches: readonly string[];
}

/**
 * The world after a save that has its effect. Its answer is observed although the process may die before it is sent: the
 * next call under the key gets it. More than one world where a bug leaves a moment between effect and answer.
 */
export function save(rules: StoreRules, world: World, pending: Pending): Saved[] {
  const { row: at, step } = pending;
  const { transition, replacement, answer, reviewer } = step;
  const row = world.rows[at] as Row;
  const claim = transition.records.find(({ type }) => type === 'ExecutionClaim');
  const moved: Row = {
    ...row,
    state: transition.next,
    version: row.version + 1,
    deadlines: waitingAfter(row.deadlines, transition),
    decidedBy: reviewer ?? row.decidedBy,
    claim: claim === undefined ? row.claim : (claim.payload as ExecutionClaim),
  };
  const records: Observation[] = recordsOf(row.subject, transition, world.now);
  let rows: readonly Row[] = world.rows.with(at, moved);
  const occurrences = new Map(world.occurrences);
  if (replacement !== undefined) {
    const subject = replacementOf(row.subject);
    rows = [...rows, newRow(subject, replacement)];
    records.push(...bornOf(subject, replacement, world.now));
    const own = occurrences.get(occurrenceOf(subject)) as Occurrence;
    occurrences.set(occurrenceOf(subject), { ...own, request: subject.id });
  }
  const taken = (fact: UniqueFact['fact']) =>
    transition.takes.filter((take) => take.fact === fact).map(({ value }) => value);
  for (const id of rules.occurrences ? taken('occurrence') : []) {
    occurrences.set(id, { request: row.subject.id, consumedBy: moved.claim?.id ?? '' });
  }
  const spent = rules.nonces ? taken('nonce').map((nonce) => `${at} ${nonce}`) : [];
  const effect: World = {
    ...world,
    rows,
    occurrences,
    identities: [...world.identities, ...taken('identity')],
    nonces: [...world.nonces, ...spent].sort(),
  };
  if (answer === undefined) return [observed(effect, records)];
  const { key, body, text } = answer;
  const kept = { ...effect, answers: new Map(world.answers).set(key, { body, text }) };
  records.push({ kind: 'effect', key, body });
  const answered: Observation = { kind: 'answer', key, body, text };
  const whole = observed(rules.keys ? kept : effect, [...records, answered]);
  return rules.oneStatement ? [whole] : [whole, observed(effect, records)];
}

/** A route's rules change: requests with authority lose it, in the transaction that changes the directory. */
export function changeRoute(machine: Machine, world: World): Saved {
  const { revision, routeRevision } = world.directory;
  const directory = {
    ...world.directory,
    revision: revision + 1,
    routeRevision: routeRevision + 1,
  };
  return invalidateAll(machine, { ...world, directory }, 'authorisation_changed', () => true);
}

/** The second reviewer leaves: the requests that they decided lose their authority. */
export function removeReviewer(machine: Machine, world: World): Saved {
  const [stays = '', leaves] = world.directory.reviewers;
  const directory = {
    ...world.directory,
    revision: world.directory.revision + 1,
    reviewers: [stays],
  };
  const removed = invalidateAll(machine, { ...world, directory }, 'reviewer_removed', (row) => {
    return row.decidedBy === leaves;
  });
  const after = observed(removed.world, [{ kind: 'reviewers', ids: [stays] }]);
  return { world: after.world, breaches: [...removed.breaches, ...after.breaches] };
}

function invalidateAll(
  machine: Machine,
  world: World,
  reason: 'authorisation_changed' | 'reviewer_removed',
  affects: (row: Row) => boolean,
): Saved {
  const records: Observation[] = [];
  const rows = world.rows.map((row): Row => {
    if (!affects(row) || !hasAuthority(row)) return row;
    const transition = machine.invalidate(row.state, reason, world.now);
    records.push(...recordsOf(row.subject, transition, world.now));
    return { ...row, state: transition.next, version: row.version + 1 };
  });
  return observed({ ...world, rows }, records);
}

/** As the store finds the requests that a change of the directory affects. */
function hasAuthority({ state: { invalidated, decision, grant, execution } }: Row): boolean {
  return (
    invalidated === null &&
    (decision === 'pending' ||
      (decision === 'confirmed' &&
        (grant === 'pending_anchor' ||
          grant === 'available' ||
          execution === 'claimed' ||
          execution === 'admitted')))
  );
}

/** An operator's recovery (R18). */
export function recover(world: World): Saved {
  const rows = world.rows.map((row): Row => {
    const state = retireWithoutEvents(row.state, world.now);
    return { ...row, state, version: row.version + 1 };
  });
  return observed({ ...world, rows, recovered: true }, [{ kind: 'recovery' }]);
}
