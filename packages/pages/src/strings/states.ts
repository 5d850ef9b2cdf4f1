import type {
  AUDIT_STATES,
  DECISION_STATES,
  EXECUTION_STATES,
  GRANT_STATES,
} from '@countersign/protocol';

import type { Tone } from '../parts/Chip.js';

type DecisionState = (typeof DECISION_STATES)[number];
type AuditState = (typeof AUDIT_STATES)[number];
type GrantState = (typeof GRANT_STATES)[number];
type ExecutionState = (typeof EXECUTION_STATES)[number];

export interface StateWords {
  readonly word: string;
  readonly tone: Tone;
  /** A sentence for the reader. */
  readonly meaning: string;
}

export const decisionWords: Readonly<Record<DecisionState, StateWords>> = {
  pending: { word: 'Waiting', tone: 'accent', meaning: 'There is no decision yet.' },
  confirmed: { word: 'Decided', tone: 'good', meaning: 'A reviewer has confirmed an answer.' },
  cancelled: {
    word: 'Cancelled',
    tone: 'neutral',
    meaning: 'The request was withdrawn before a decision.',
  },
  expired: { word: 'Expired', tone: 'neutral', meaning: 'There was no decision in time.' },
  superseded: {
    word: 'Replaced',
    tone: 'neutral',
    meaning: 'The producer has replaced this request with a newer one.',
  },
};

export const auditWords: Readonly<Record<AuditState, StateWords>> = {
  unanchored: { word: 'Not recorded', tone: 'neutral', meaning: 'There is no decision to record.' },
  pending: {
    word: 'Being anchored',
    tone: 'accent',
    meaning: 'The signed decision is being written to the audit ledger and its independent anchor.',
  },
  anchored: {
    word: 'Anchored',
    tone: 'good',
    meaning: 'An independent store holds a checkpoint that covers the decision.',
  },
  conflict: {
    word: 'Audit conflict',
    tone: 'bad',
    meaning:
      'The anchor store and the ledger disagree. Nothing is executed until an operator has resolved it.',
  },
};

export const grantWords: Readonly<Record<GrantState, StateWords>> = {
  not_applicable: { word: 'No execution', tone: 'neutral', meaning: 'This is a review only.' },
  none: { word: 'No authority', tone: 'neutral', meaning: 'Nothing may be executed.' },
  pending_anchor: {
    word: 'Authority pending',
    tone: 'accent',
    meaning: 'The authority opens as soon as the decision is anchored. Its clock is running.',
  },
  available: {
    word: 'Authority open',
    tone: 'accent',
    meaning: 'The producer may claim the execution once.',
  },
  expired: { word: 'Authority expired', tone: 'neutral', meaning: 'It was not claimed in time.' },
  revoked: { word: 'Authority revoked', tone: 'warning', meaning: 'It can no longer be claimed.' },
  consumed: {
    word: 'Authority used',
    tone: 'good',
    meaning: 'The one execution has been claimed. It cannot be claimed again.',
  },
};

export const executionWords: Readonly<Record<ExecutionState, StateWords>> = {
  not_applicable: { word: 'No execution', tone: 'neutral', meaning: 'This is a review only.' },
  unclaimed: { word: 'Not started', tone: 'neutral', meaning: 'Nothing has been executed.' },
  claimed: { word: 'Claimed', tone: 'accent', meaning: 'An executor has claimed the execution.' },
  admitted: { word: 'Running', tone: 'accent', meaning: 'The executor was admitted to act.' },
  completed: { word: 'Completed', tone: 'good', meaning: 'The executor reports success.' },
  failed: { word: 'Failed', tone: 'bad', meaning: 'The executor reports that it failed.' },
  failed_partial: {
    word: 'Failed in part',
    tone: 'bad',
    meaning: 'The executor reports that part of it took effect.',
  },
  uncertain: {
    word: 'Uncertain',
    tone: 'warning',
    meaning: 'It is not known whether it took effect. An operator has to find out.',
  },
  cancelled_before_dispatch: {
    word: 'Not executed',
    tone: 'neutral',
    meaning: 'The executor stopped before anything took effect.',
  },
  abandoned: { word: 'Abandoned', tone: 'neutral', meaning: 'An operator has closed it.' },
};

export const decisionNames: Readonly<
  Record<string, { readonly word: string; readonly doing: string; readonly tone: Tone }>
> = {
  answer: { word: 'Answer', doing: 'Answered', tone: 'good' },
  approve: { word: 'Approve', doing: 'Approved', tone: 'good' },
  reject: { word: 'Reject', doing: 'Rejected', tone: 'bad' },
  authorise: { word: 'Authorise the execution', doing: 'Authorised', tone: 'good' },
  refuse: { word: 'Refuse the execution', doing: 'Refused', tone: 'bad' },
};
