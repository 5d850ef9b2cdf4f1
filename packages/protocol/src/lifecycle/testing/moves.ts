import type { States } from '../index.js';
import { cells } from './situations.js';

/** Every way out of a state, and the commands that may take it (protocol §5.1 to §5.4). */
const MOVES = `
decision  | pending                    | confirmed  | answer authorise refuse
decision  | pending                    | cancelled  | cancel retireNamespace
decision  | pending                    | expired    | applyDue cancel supersede deleteMaterial retireNamespace
decision  | pending                    | superseded | supersede
audit     | unanchored                 | pending    | answer authorise refuse
audit     | pending                    | anchored   | anchor
grant     | none                       | pending_anchor | authorise
grant     | none                       | revoked    | retireNamespace
grant     | pending_anchor             | available  | anchor
grant     | pending_anchor             | expired    | anchor applyDue cancel supersede deleteMaterial retireNamespace
grant     | available                  | expired    | applyDue cancel supersede deleteMaterial retireNamespace
grant     | pending_anchor available   | revoked    | cancel supersede deleteMaterial retireNamespace
grant     | available                  | consumed   | claim
execution | unclaimed                  | claimed    | claim
execution | claimed                    | admitted   | admit
execution | claimed admitted uncertain | completed failed failed_partial uncertain cancelled_before_dispatch | report
execution | claimed admitted completed failed failed_partial uncertain cancelled_before_dispatch abandoned | completed failed failed_partial uncertain cancelled_before_dispatch abandoned | reconcile
execution | unclaimed claimed admitted completed failed failed_partial cancelled_before_dispatch abandoned | uncertain | retireNamespace
`;

const legalMoves = new Set(
  cells(MOVES).flatMap(([machine, from = '', to = '', kinds = '']) =>
    from
      .split(' ')
      .flatMap((before) =>
        to
          .split(' ')
          .flatMap((after) =>
            kinds.split(' ').map((kind) => [machine, before, after, kind].join(' ')),
          ),
      ),
  ),
);

const MACHINES = ['decision', 'audit', 'grant', 'execution'] as const;

/** Whether a command of that kind may make this step. */
export function isLegal(from: States, to: States, kind: string): boolean {
  return MACHINES.every(
    (machine) =>
      from[machine] === to[machine] ||
      legalMoves.has([machine, from[machine], to[machine], kind].join(' ')),
  );
}

/** Whether legal moves of any number and kind lead from one state to the other: admission and recovery have no event. */
export function canFollow(from: States, to: States): boolean {
  return MACHINES.every((machine) => reach(machine, from[machine]).has(to[machine]));
}

const reached = new Map<string, Set<string>>();

function reach(machine: (typeof MACHINES)[number], from: string): Set<string> {
  const start = `${machine} ${from}`;
  const known = reached.get(start);
  if (known !== undefined) return known;
  const states = new Set([from]);
  for (const before of states) {
    for (const move of legalMoves) {
      const [of, source, target = ''] = move.split(' ');
      if (of === machine && source === before) states.add(target);
    }
  }
  reached.set(start, states);
  return states;
}
