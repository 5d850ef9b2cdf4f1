import type { DecisionState, States } from './lifecycle/state.js';

// The one read of the inbox, outside /v2 and outside the interface (decisions/0025). Only for people.

/** `mine`: waiting, and assigned to the reader. `ended`: withdrawn, expired or replaced without a decision. */
export const INBOX_TABS = ['mine', 'waiting', 'decided', 'ended'] as const;
export type InboxTab = (typeof INBOX_TABS)[number];

/** Of requests that wait; the others are listed newest first, by decision or by acceptance. */
export const INBOX_SORTS = ['deadline', 'newest', 'oldest', 'route', 'producer'] as const;
export type InboxSort = (typeof INBOX_SORTS)[number];

/** Decisions by which decided requests can be filtered. */
export const INBOX_DECISIONS = ['authorise', 'refuse', 'approve', 'reject', 'answer'] as const;

/**
 * `waiting`: of all that wait for one reader, those with the next deadlines that are looked at for one answer. `most`: items
 * of an answer. `usual`: where the caller names no `limit`. `past`: decided or ended requests that are looked at for one page.
 */
export const INBOX_SIZES = { waiting: 5_000, most: 1_000, usual: 250, past: 1_000 } as const;

/** The longest search text in characters; of its words so many count. */
export const INBOX_SEARCH = { characters: 200, words: 8 } as const;

/** Carries the search text, percent-encoded as a URI component: the words of a summary belong in no URL, as those are logged. */
export const INBOX_SEARCH_HEADER = 'x-search';

export const INBOX_READ = {
  name: 'request.inbox',
  path: '/inbox/data',
  query: ['tab', 'sort', 'route', 'producer', 'decision', 'by', 'limit', 'after', 'words'],
  input: null,
} as const;

/** A principal by its id, and its name in the directory where it has one. */
export interface InboxPerson {
  readonly id: string;
  readonly name: string | null;
}

export interface InboxItem extends States {
  readonly id: string;
  readonly summary: string;
  readonly purpose: string;
  readonly route: string;
  readonly producer: InboxPerson;
  readonly requester: InboxPerson;
  readonly accepted_at: string;
  readonly deadline: string;
  /** The reviewer who has taken it, and until when. */
  readonly assignment: { readonly reviewer: InboxPerson; readonly expires_at: string } | null;
  /** The reader has frozen an answer that is not confirmed. */
  readonly frozen: boolean;
  /** Null while nothing is decided, and when the signed record is deleted. */
  readonly outcome: {
    readonly decision: string;
    readonly reviewer: InboxPerson;
    readonly confirmed_at: string;
  } | null;
  /** The id of the request that it replaces. */
  readonly replaces: string | null;
}

export interface InboxCount extends InboxPerson {
  readonly count: number;
}

export interface InboxPage {
  readonly items: readonly InboxItem[];
  /** Of a tab with decided or ended requests: the `after` of the next page, null at the end. */
  readonly next: string | null;
  /** Requests that match tab, search and filters; null where only a page of them is looked at. */
  readonly matching: number | null;
  /** All that waits for the reader, and the part assigned to the reader, whatever the filters are. */
  readonly waiting: number;
  readonly mine: number;
  /** More wait than are looked at: `waiting`, `mine` and the counts are at least these. */
  readonly more: boolean;
  /** Of the tab and the search, whatever the other filters are. */
  readonly routes: readonly InboxCount[];
  readonly producers: readonly InboxCount[];
  /** Whether any route names the reader. */
  readonly reviews: boolean;
}

/** The states that the tab `ended` lists. */
export const INBOX_ENDS = [
  'cancelled',
  'expired',
  'superseded',
] as const satisfies readonly DecisionState[];
