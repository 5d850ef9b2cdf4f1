import type { InboxPerson } from './inbox-read.js';
import type { RequestStatus } from './records/index.js';

// The state and history of one request for the pages, outside /v2 and outside the interface (decisions/0028). Only for people.

export const HISTORY_READ = {
  name: 'request.history',
  path: '/inbox/history',
  query: ['id'],
  input: null,
} as const;

/** Steps that are not an event of the request; an event's step is its reason (protocol §3.5). */
export const HISTORY_STEPS = [
  'asked',
  'taken',
  'frozen',
  'voted',
  'vote_ended',
  'decided',
  'claimed',
  'admitted',
  'reported',
  'settled',
  'discarded',
] as const;

export interface HistoryStep {
  /** One of {@link HISTORY_STEPS}, or the reason of an event such as `anchor_accepted`; readers pass over others. */
  readonly step: string;
  readonly at: string;
  /** Null for the service itself. */
  readonly by: InboxPerson | null;
  /** The decision of `decided` and `voted`, the reason of `vote_ended`, the status of `reported` and `settled`; else null. */
  readonly word: string | null;
}

/** The request before or after this one, where the reader may see it. */
export interface HistoryNeighbour {
  readonly id: string;
  readonly summary: string;
  readonly response_schema_digest: string;
}

export interface RequestHistory {
  /** As `request.status` answers at this moment. */
  readonly status: RequestStatus;
  readonly producer: InboxPerson;
  readonly requester: InboxPerson;
  readonly replaces: HistoryNeighbour | null;
  readonly replaced_by: HistoryNeighbour | null;
  /** In the order of time. */
  readonly steps: readonly HistoryStep[];
  /** Of those that are older than these, some are left out. */
  readonly more: boolean;
}
