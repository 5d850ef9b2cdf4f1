import type { Lifecycle } from '../index.js';
import { COMMANDS } from './commands.js';
import type { Command, Machine } from './commands.js';
import { expected, readTables } from './expectation.js';
import type { Result, Row } from './expectation.js';
import { alike, ask, momentsAfter, reachable, withoutStacks } from './exploration.js';
import type { Asked } from './exploration.js';
import type { Scenario } from './request.js';
import { SITUATIONS, readSituations } from './situations.js';
import { TRANSITIONS } from './transitions.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const START = Date.UTC(2026, 4, 1);

const REVIEW: Scenario = {
  purpose: 'review',
  start: START,
  reviewDeadline: START + 30 * HOUR,
  privateDeleteAt: START + 3 * DAY,
  remindedAt: null,
  grantSeconds: 0,
  validUntil: null,
  executionSeconds: 0,
  reconciliationSeconds: 0,
};

const EXECUTION: Scenario = {
  purpose: 'authorise_execution',
  start: START,
  reviewDeadline: START + 30 * HOUR,
  privateDeleteAt: START + 20 * DAY,
  remindedAt: null,
  grantSeconds: 86_400,
  validUntil: START + 42 * HOUR,
  executionSeconds: 3600,
  reconciliationSeconds: 604_800,
};

/** Requests whose deadlines are in different orders. */
export const SCENARIOS: readonly Scenario[] = [
  EXECUTION,
  // `valid_until` ends review and grant; an outcome's material goes before the grant does; a reminder is inherited.
  {
    ...EXECUTION,
    validUntil: EXECUTION.reviewDeadline,
    reconciliationSeconds: 60,
    remindedAt: START - HOUR,
  },
  REVIEW,
  // All of the review time is taken, so that material and review end together.
  { ...REVIEW, privateDeleteAt: REVIEW.reviewDeadline, remindedAt: START - HOUR },
];

export interface Finding {
  readonly situation: string;
  readonly text: string;
}

export interface Matrix {
  readonly findings: readonly Finding[];
  /** The number of states that were found, and the parts of the tables that they used. */
  readonly states: number;
  readonly situations: ReadonlySet<string>;
  readonly rows: ReadonlySet<Row>;
}

const situations = readSituations(SITUATIONS);
export const SITUATION_NAMES: readonly string[] = situations.map(({ name }) => name);
export const TABLES = readTables(TRANSITIONS);

/**
 * Holds a machine against the tables: every reachable state, every command, at the first and at the last moment of the
 * situation. Stops at `most` findings.
 */
export function checkMatrix(machine: Machine, most: number): Matrix {
  return withoutStacks(() => check(machine, most));
}

function check(machine: Machine, most: number): Matrix {
  const findings: Finding[] = [];
  const used: Used = { situations: new Set(), rows: new Set() };
  let states = 0;
  for (const scenario of SCENARIOS) {
    for (const reached of reachable(machine, scenario)) {
      states += 1;
      for (const finding of checkReached(machine, reached, used)) {
        findings.push(finding);
        if (findings.length >= most) return { findings, states, ...used };
      }
    }
  }
  return { findings, states, ...used };
}

interface Used {
  readonly situations: Set<string>;
  readonly rows: Set<Row>;
}

function* checkReached(machine: Machine, asked: Asked, used: Used): Generator<Finding> {
  const { state, now, scenario, facts, results } = asked;
  const names = situations.filter((each) => each.includes(state, facts)).map(({ name }) => name);
  const [situation] = names;
  if (situation === undefined || names.length > 1) {
    const text = `${names.length} situations for ${JSON.stringify({ ...state, facts })}`;
    yield { situation: names.join(' + '), text };
    return;
  }
  used.situations.add(situation);
  const rows = TABLES.map((table) => table.find((row) => row.includes(situation, facts)));
  const [soonest] = momentsAfter(state, now, scenario);
  const moments = soonest === undefined ? [now] : [now, soonest.time - 1];
  for (const command of COMMANDS) {
    const row = rows.find((each) => each?.cells.has(command.column));
    const cell = row?.cells.get(command.column);
    if (row === undefined || cell === undefined) {
      yield { situation, text: `no row for ${command.name}` };
      continue;
    }
    used.rows.add(row);
    for (const moment of moments) {
      const wanted = expected(cell, command, state, moment, scenario);
      const found =
        moment === now
          ? (results.get(command) as Result)
          : ask(machine, command, state, moment, scenario);
      if (!alike(wanted, found)) yield { situation, text: report(command, wanted, state, found) };
    }
  }
}

function report(command: Command, wanted: Result, state: Lifecycle, found: Result): string {
  const [expects, finds] = [wanted, found].map((result) => JSON.stringify(result));
  return `${command.name} of ${JSON.stringify(state)}: expected ${expects}, found ${finds}`;
}
