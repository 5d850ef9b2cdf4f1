import { decisionNames } from './states.js';

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
const voted = (word: string | null) => decisionNames[word ?? '']?.doing ?? word ?? '';

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
    voted: (by, word) => `${by} voted: ${voted(word)}`,
    vote_ended: (by) => (by === null ? 'A vote ended' : `A vote ended, by ${by}`),
    approval_withdrawn: () => 'A vote was taken back, and the authority with it',
    quorum_unreachable: () => 'The open seats can no longer be filled',
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
} as const;
