import type { Machine } from '../machine.js';
import { machineLine } from '../report.js';
import { digits, table } from '../text.js';
import type { Approvals, Conflicts } from './measure.js';

/** One system in one round. */
export interface Round {
  readonly name: string;
  readonly proves: boolean;
  readonly approvals: readonly Approvals[];
  readonly conflicts: Conflicts;
}

/** One system: medians of its rounds, and all its conflicts. */
export type Result = Round;

export function resultsOf(rounds: readonly Round[]): Result[] {
  const names = new Set(rounds.map(({ name }) => name));
  return [...names].map((name) => {
    const own = rounds.filter((round) => round.name === name);
    const first = own[0] as Round;
    const approvals = first.approvals.map(({ clients }, at) => {
      const median = (of: (approvals: Approvals) => number): number =>
        medianOf(own.map((round) => of(round.approvals[at] as Approvals)));
      return {
        clients,
        perSecond: median((found) => found.perSecond),
        p50: median((found) => found.p50),
        p99: median((found) => found.p99),
        cpuMs: median((found) => found.cpuMs),
      };
    });
    const sum = (of: (conflicts: Conflicts) => number): number =>
      own.reduce((all, { conflicts }) => all + of(conflicts), 0);
    const conflicts = {
      pairs: sum(({ pairs }) => pairs),
      bothTold: sum(({ bothTold }) => bothTold),
      ranTwice: sum(({ ranTwice }) => ranTwice),
      ranWrongly: sum(({ ranWrongly }) => ranWrongly),
    };
    return { ...first, approvals, conflicts };
  });
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] as number) + (sorted[Math.floor(middle)] as number)) / 2;
}

/** The results as lines of text. */
export function reportOf(
  results: readonly Result[],
  machine: Machine,
  { rounds, seconds }: { readonly rounds: number; readonly seconds: number },
): string[] {
  const counts = results[0]?.approvals.map(({ clients }) => clients) ?? [];
  return [
    '',
    machineLine(machine),
    `Medians of ${rounds} round(s) of ${seconds} s.`,
    '',
    ...table([
      [
        'approvals',
        ...counts.map((clients) => `/s at ${clients}`),
        `p50 / p99 ms at ${counts.at(-1)}`,
        `CPU ms at ${counts.at(-1)}`,
        'both told yes',
        'ran twice',
        'ran wrongly',
        'signed, chained',
      ],
      ...results.map(({ name, proves, approvals, conflicts }) => {
        const most = approvals.at(-1) as Approvals;
        return [
          name,
          ...approvals.map(({ perSecond }) => digits(perSecond)),
          `${digits(most.p50)} / ${digits(most.p99)}`,
          digits(most.cpuMs),
          ...[conflicts.bothTold, conflicts.ranTwice, conflicts.ranWrongly].map(
            (count) => `${count} of ${conflicts.pairs}`,
          ),
          proves ? 'yes' : 'no',
        ];
      }),
    ]),
  ];
}
