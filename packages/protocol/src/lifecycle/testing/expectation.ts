import { unchanged } from '../index.js';
import type { Draft, EventReason, Invalidation, Lifecycle, Transition } from '../index.js';
import type { Column, Command } from './commands.js';
import { consequencesOf } from './consequences.js';
import type { Scenario } from './request.js';
import { cells } from './situations.js';

/** A refusal's code, or the transition; null when there is nothing to do. */
export type Result = { readonly refusal: string } | Transition | null;

/** A cell of a table, ready to be applied. */
export interface Cell {
  readonly text: string;
  readonly words: readonly Word[];
}

type Word = (from: Lifecycle, own: string | undefined) => Lifecycle | EventReason;

export interface Row {
  readonly text: string;
  readonly cells: ReadonlyMap<Column, Cell>;
  includes(situation: string, facts: readonly string[]): boolean;
}

/** The tables of transitions, one list of rows each. */
export function readTables(texts: readonly string[]): readonly (readonly Row[])[] {
  return texts.map((text) => {
    const [[, ...columns] = [], ...rows] = cells(text);
    return rows.map(([key = '', ...row]): Row => {
      const [names = '', fact] = key.split(' if ');
      const patterns = names.split(' / ').map((name) => name.trim());
      return {
        text: key,
        cells: new Map(columns.map((column, at) => [column as Column, readCell(row[at] ?? '')])),
        includes: (situation, facts) =>
          (fact === undefined || facts.includes(fact)) &&
          patterns.some((pattern) =>
            pattern.endsWith('*')
              ? situation.startsWith(pattern.slice(0, -1))
              : situation === pattern,
          ),
      };
    });
  });
}

function readCell(text: string): Cell {
  const changes = !['none', '=', 'stays'].includes(text) && !text.startsWith('!');
  return { text, words: changes ? text.split(' ').map(readWord) : [] };
}

const MACHINES = { d: 'decision', a: 'audit', g: 'grant', x: 'execution' } as const;

function readWord(word: string): Word {
  const [, letter = '', from, to = ''] = /^([dagxm]:|\+)(?:(\w+)>)?(\w+|@)$/.exec(word) ?? [];
  const said = (own: string | undefined): string => (to === '@' ? (own ?? '') : to);
  if (letter === '+') return (_, own) => said(own) as EventReason;
  if (letter === 'm:') {
    return (state, own) => ({
      ...state,
      invalidated: state.invalidated ?? (said(own) as Invalidation),
    });
  }
  const machine = MACHINES[letter.charAt(0) as keyof typeof MACHINES];
  if (machine === undefined) throw new SyntaxError(`${word} means nothing`);
  return (state, own) =>
    from === undefined || state[machine] === from ? { ...state, [machine]: said(own) } : state;
}

/** The table's cell for this command on this state. */
export function expected(
  { text, words }: Cell,
  command: Command,
  state: Lifecycle,
  now: number,
  scenario: Scenario,
): Result {
  if (text === 'none') return null;
  if (text === '=') return unchanged(state);
  if (text.startsWith('!')) return { refusal: text.slice(1) };
  const refusal = command.refusedAs?.(scenario) ?? null;
  if (refusal !== null) return { refusal };
  let next: Lifecycle = { ...state, ...command.writes?.(state, now, scenario) };
  const events: Draft[] = [];
  const expired: ('review' | 'grant')[] = [];
  for (const word of words) {
    const said = word(next, command.own);
    if (typeof said === 'object') next = said;
    else {
      next = { ...next, revision: next.revision + 1 };
      if (said === 'expiry') expired.push(next.decision === state.decision ? 'grant' : 'review');
      events.push(eventOf(next, said));
    }
  }
  const { record, deadlines, settled, incidents, takes } = consequencesOf({
    command,
    state,
    next,
    now,
    scenario,
  });
  const evidence = record === null ? [] : [record];
  return {
    next,
    records: events.toSpliced(-1, 0, ...evidence),
    deadlines,
    settled: [...expired, ...settled],
    incidents,
    takes,
  };
}

function eventOf(state: Lifecycle, reason: EventReason): Draft {
  const { audit, decision, execution, grant, revision } = state;
  return {
    type: 'RequestChangedEvent',
    payload: {
      reason,
      revision,
      state: { audit, decision, execution, grant },
      deadline: state.grantDeadline ?? state.reviewDeadline,
    },
  };
}
