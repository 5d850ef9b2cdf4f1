import { decisionNames } from './states.js';
import { number } from '../text/locale.js';

type Words = (by: string | null, word: string | null) => string;

const outcomes: Readonly<Record<string, string>> = {
  completed: 'it completed',
  failed: 'it failed',
  failed_partial: 'it failed in part',
  uncertain: 'the effect is uncertain',
  cancelled_before_dispatch: 'nothing was executed',
  abandoned: 'it was abandoned',
};
const outcomeIn = (word: string | null) => outcomes[word ?? ''] ?? word ?? '';
const decided = (word: string | null) =>
  decisionNames[word ?? '']?.doing.toLowerCase() ?? `decided: ${word}`;

export const history = {
  title: 'History',
  lead: 'When it was asked, assigned, decided and executed, as far as the service records it.',
  more: 'Earlier steps are left out.',
  listLabel: 'Steps of this request',
  /** By the step; the reasons of events are those of protocol §3.5. */
  steps: {
    asked: (by) => `${by} asked`,
    taken: (by) => `${by} assigned it to themselves`,
    frozen: (by) => `${by} prepared an answer`,
    decided: (by, word) => `${by} ${decided(word)}`,
    claimed: (by) => `${by} claimed the execution`,
    admitted: (by) => `${by} was admitted to execute`,
    reported: (by, word) => `${by ?? 'The executor'} reported: ${outcomeIn(word)}`,
    settled: (by, word) => `${by ?? 'An operator'} settled the outcome: ${outcomeIn(word)}`,
    discarded: (by) =>
      by === null
        ? 'Private material was deleted by its rules'
        : `${by} deleted the private material`,
    anchor_accepted: () => 'The decision was anchored',
    expiry: () => 'A deadline passed',
    reminder: () => 'The reviewers were reminded',
    cancelled: () => 'The producer or an operator withdrew it',
    revoked: () => 'The authority was revoked',
    supersession: () => 'The producer replaced it by another request',
    requester_removed: () => 'The person it was asked for was removed',
    reviewer_removed: () => 'The reviewer was removed from the route',
    producer_removed: () => 'The route no longer allows the producer',
    producer_authorisation_changed: () => 'The rights of the producer changed',
    authorisation_changed: () => 'The rules of the route changed',
    reconciliation_due: () => 'No outcome was reported in time',
  } as Readonly<Record<string, Words>>,

  replacedTitle: 'The producer has replaced this request',
  replacedBy: 'Decide the newer one:',
  replacesTitle: 'This request replaces an earlier one',
  replaces: 'Before:',
  show: 'Show what changed',
  hide: 'Hide the changes',
  comparing: 'Comparing the two requests …',
  gone: 'The material of the earlier request is deleted or not yours to read: there is nothing to compare with.',
  same: 'Unchanged.',
  changesOf: (part: string) => `${part}: what changed`,
  document: 'Document',
  payload: 'Payload',
  schema: 'Questions (response schema)',
  moreChanges: 'More changes follow; only the first are shown. Read the whole material below.',
  gap: (count: number) => (count === 1 ? '1 unchanged line' : `${number(count)} unchanged lines`),
  added: 'Added:',
  removed: 'Removed:',
  member: 'Member',
  before: 'Before',
  after: 'Now',
  none: 'not there',
  whole: 'the whole value',
  draftCarried:
    'The fields hold your draft for the earlier request: its questions are the same. Choose the decision again.',
} as const;
