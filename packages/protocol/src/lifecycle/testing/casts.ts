/** A change of everything that the calls of a cast depend on, which holds the tenant and so comes between two statements. */
export type Event = 'change the route' | 'remove a reviewer' | 'recover';

/** The calls whose interleavings are explored together, by name or by its first words, and the events between them. */
export interface Cast {
  readonly name: string;
  readonly calls: readonly string[];
  readonly events: readonly Event[];
  /** The second request is there from the beginning, for another action of the same owner, and replaces none. */
  readonly beside?: true;
}

const AUTHORISED = ['0: authorise by rev-1', '0: anchor'];

/** Each small enough that all its interleavings take seconds. */
export const CASTS: readonly Cast[] = [
  {
    name: 'two reviewers decide while the request ends',
    calls: [...AUTHORISED, '0: refuse by rev-2', '0: cancel', '0: expire'],
    events: ['change the route', 'remove a reviewer'],
  },
  {
    name: 'two executors claim and are admitted while authority ends',
    calls: [
      ...AUTHORISED,
      ...['0: claim', '0: admit n1', '0: cancel', '0: discard', '0: expire', '0: delete'],
    ],
    events: ['change the route', 'recover'],
  },
  {
    name: 'an outcome is reported, reconciled and missed',
    calls: [
      ...AUTHORISED,
      ...['0: claim by one under k1', '0: admit', '0: report', '0: reconcile'],
      ...['0: reconciliation due', '0: reconciliation over', '0: delete'],
    ],
    events: [],
  },
  {
    name: 'a request is replaced while it is decided and claimed',
    calls: [
      ...[...AUTHORISED, '0: cancel', '0: supersede', '0: claim by one under k1'],
      ...['1: authorise by rev-1', '1: anchor', '1: claim by one under k2'],
    ],
    events: [],
  },
  {
    name: 'one execution claims two requests of its owner',
    calls: [
      ...[...AUTHORISED, '0: claim by one under k1'],
      ...['1: authorise by rev-1', '1: anchor', '1: claim by one under k2'],
    ],
    events: [],
    beside: true,
  },
  {
    name: 'the reviewer who authorised is removed',
    calls: ['0: authorise by rev-2', '0: anchor', '0: claim by one under k1', '0: admit'],
    events: ['change the route', 'remove a reviewer'],
  },
];
