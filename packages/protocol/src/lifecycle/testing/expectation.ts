import type { EventReason, Lifecycle, LifecycleEvent } from '../index.js';
import type { Column, Command, Setting } from './commands.js';
import { cells } from './situations.js';

/** A refusal's code, or the transition; null when there is nothing to do. */
export type Result =
  | { readonly refusal: string }
  | { readonly next: Lifecycle; readonly events: readonly LifecycleEvent[] }
  | null;

export interface Row {
  readonly text: string;
  readonly columns: ReadonlyMap<Column, string>;
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
        columns: new Map(columns.map((column, place) => [column as Column, row[place] ?? ''])),
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

const MACHINES = { d: 'decision', a: 'audit', g: 'grant', x: 'execution' } as const;

/** What a cell says of this command on this state. */
export function expected(
  cell: string,
  command: Command,
  state: Lifecycle,
  now: number,
  setting: Setting,
): Result {
  if (cell === 'none') return null;
  if (cell === '=') return { next: state, events: [] };
  if (cell.startsWith('!')) return { refusal: cell.slice(1) };
  let next: Lifecycle = { ...state, ...command.writes?.(state, now, setting) };
  const events: LifecycleEvent[] = [];
  for (const word of cell.split(' ')) {
    const own = word.replace('@', command.own ?? '');
    if (own.startsWith('+')) {
      next = { ...next, revision: next.revision + 1 };
      events.push(eventOf(next, own.slice(1) as EventReason));
      continue;
    }
    const [letter = '', said = ''] = own.split(':');
    const [from, to] = said.includes('>') ? said.split('>') : [undefined, said];
    if (letter === 'm') next = { ...next, invalidated: next.invalidated ?? (to as never) };
    else {
      const machine = MACHINES[letter as keyof typeof MACHINES];
      if (machine === undefined) throw new SyntaxError(`${word} in ${cell}`);
      if (from === undefined || next[machine] === from) next = { ...next, [machine]: to };
    }
  }
  return { next, events };
}

export function eventOf(state: Lifecycle, reason: EventReason): LifecycleEvent {
  const { decision, audit, grant, execution, revision } = state;
  return {
    reason,
    revision,
    state: { decision, audit, grant, execution },
    deadline: state.grantDeadline ?? state.reviewDeadline,
  };
}
