import type { Lifecycle } from '../index.js';
import type { Scenario } from './request.js';

/**
 * Every situation that a request can be in (protocol §5): the stored states, whether it is invalidated, and the facts that
 * the clock adds. `-` is `not_applicable`, `STATUS` any outcome, `*` anything. Names without `review:` are of executions.
 */
export const SITUATIONS = `
name                              | decision                               | audit                      | grant                | execution                | invalidated | facts

review: pending                   | pending                                | unanchored                 | -                    | -                        | no  | reviewable unreminded
review: pending, reminded today   | pending                                | unanchored                 | -                    | -                        | no  | reviewable reminded
review: pending, over             | pending                                | unanchored                 | -                    | -                        | no  | review-over
review: decided                   | confirmed                              | pending                    | -                    | -                        | *   |
review: decided, anchored         | confirmed                              | anchored                   | -                    | -                        | *   |
review: ended                     | cancelled expired superseded           | unanchored                 | -                    | -                        | *   |

pending                           | pending                                | unanchored                 | none                 | unclaimed                | no  | reviewable unreminded
pending, reminded today           | pending                                | unanchored                 | none                 | unclaimed                | no  | reviewable reminded
pending, over                     | pending                                | unanchored                 | none                 | unclaimed                | no  | review-over kept
pending, retention due            | pending                                | unanchored                 | none                 | unclaimed                | no  | review-over retention-due
cancelled                         | cancelled                              | unanchored                 | none                 | unclaimed                | yes |
superseded                        | superseded                             | unanchored                 | none                 | unclaimed                | yes |
expired                           | expired                                | unanchored                 | none                 | unclaimed                | no  | kept
expired, retention due            | expired                                | unanchored                 | none                 | unclaimed                | no  | retention-due
expired, invalidated              | expired                                | unanchored                 | none                 | unclaimed                | yes |

refused                           | confirmed                              | pending                    | none                 | unclaimed                | no  | kept
refused, anchored                 | confirmed                              | anchored                   | none                 | unclaimed                | no  | kept
waiting for its anchor            | confirmed                              | pending                    | pending_anchor       | unclaimed                | no  | grant-running kept
waiting, over                     | confirmed                              | pending                    | pending_anchor       | unclaimed                | no  | grant-over kept
waiting, retention due            | confirmed                              | pending                    | pending_anchor       | unclaimed                | no  | grant-over retention-due
available                         | confirmed                              | anchored                   | available            | unclaimed                | no  | grant-running kept
available, over                   | confirmed                              | anchored                   | available            | unclaimed                | no  | grant-over kept
available, retention due          | confirmed                              | anchored                   | available            | unclaimed                | no  | grant-over retention-due
run out                           | confirmed                              | pending                    | expired              | unclaimed                | no  | grant-over kept
run out, anchored                 | confirmed                              | anchored                   | expired              | unclaimed                | no  | grant-over kept
unused, retention due             | confirmed                              | pending                    | none expired         | unclaimed                | no  | retention-due
unused, retention due, anchored   | confirmed                              | anchored                   | none expired         | unclaimed                | no  | retention-due
invalidated                       | confirmed                              | pending                    | none expired revoked | unclaimed                | yes |
invalidated, anchored             | confirmed                              | anchored                   | none expired revoked | unclaimed                | yes |

claimed                           | confirmed                              | anchored                   | consumed             | claimed admitted         | no  | grant-running kept no-outcome room
claimed, 64 admissions            | confirmed                              | anchored                   | consumed             | admitted                 | no  | grant-running kept no-outcome full
claimed, over                     | confirmed                              | anchored                   | consumed             | claimed admitted         | no  | grant-over kept no-outcome
claimed, retention due            | confirmed                              | anchored                   | consumed             | claimed admitted         | no  | retention-due no-outcome
claimed, invalidated              | confirmed                              | anchored                   | consumed             | claimed admitted uncertain | yes | claim no-outcome
reported                          | confirmed                              | anchored                   | consumed             | STATUS                   | no  | grant-running kept outcome
reported, over                    | confirmed                              | anchored                   | consumed             | STATUS                   | no  | grant-over kept outcome
reported, retention due           | confirmed                              | anchored                   | consumed             | STATUS                   | no  | retention-due outcome
reported, invalidated             | confirmed                              | anchored                   | consumed             | STATUS                   | yes | claim outcome

recovered                         | cancelled expired superseded confirmed | unanchored anchored        | expired revoked      | uncertain                | yes | no-claim no-outcome
recovered, not anchored           | confirmed                              | pending                    | expired revoked      | uncertain                | yes | no-claim no-outcome
`;

const COLUMNS = ['decision', 'audit', 'grant', 'execution'] as const;
const STATUSES = 'completed failed failed_partial uncertain cancelled_before_dispatch abandoned';

export interface Situation {
  readonly name: string;
  includes(state: Lifecycle, facts: readonly string[]): boolean;
}

/** The situations of the text above, or of another one of that form. */
export function readSituations(text: string): readonly Situation[] {
  const [, ...rows] = cells(text);
  return rows.map(([name = '', ...row]) => {
    const states = COLUMNS.map((_, place) =>
      (row[place] ?? '').replace('STATUS', STATUSES).replace(/^-$/, 'not_applicable').split(' '),
    );
    const invalidated = row[4];
    const facts = (row[5] ?? '').split(' ').filter((fact) => fact !== '');
    return {
      name,
      includes: (state, given) =>
        COLUMNS.every((column, place) => states[place]?.includes(state[column])) &&
        (invalidated === '*' || (state.invalidated !== null) === (invalidated === 'yes')) &&
        facts.every((fact) => given.includes(fact)),
    };
  });
}

/** The facts that time and history add to the four states. */
export function factsOf(state: Lifecycle, now: number, scenario: Scenario): readonly string[] {
  const { grantDeadline, remindedAt } = state;
  const day = 86_400_000;
  const facts = [
    now < state.reviewDeadline ? 'reviewable' : 'review-over',
    remindedAt !== null && now < remindedAt + day ? 'reminded' : 'unreminded',
    state.materialDeleted ? 'gone' : now < state.privateDeleteAt ? 'kept' : 'retention-due',
    state.claimed ? 'claim' : 'no-claim',
    state.outcomeRecorded ? 'outcome' : 'no-outcome',
    state.admissions < 64 ? 'room' : 'full',
  ];
  if (grantDeadline === null) return facts;
  const executionOver = grantDeadline + scenario.executionSeconds * 1000;
  return [
    ...facts,
    now < grantDeadline ? 'grant-running' : 'grant-over',
    now < executionOver ? 'execution-running' : 'execution-over',
  ];
}

/** The rows of a text table, each cell trimmed; empty lines are left out. */
export function cells(text: string): string[][] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => line.split('|').map((cell) => cell.trim()));
}
