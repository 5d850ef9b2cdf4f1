import { Type } from '@sinclair/typebox';
import { Digest, Identifier, Timestamp, choice, closed } from './primitives.js';
import { EXECUTION_DECISIONS, REVIEW_DECISIONS } from './vocabulary.js';

const decided = {
  request_id: Identifier,
  request_digest: Digest,
  candidate_id: Identifier,
  candidate_digest: Digest,
  reviewer: Identifier,
  requester: Identifier,
  response_digest: Digest,
  confirmed_at: Timestamp,
};
export const reviewed = closed({
  ...decided,
  purpose: Type.Literal('review'),
  decision: choice(REVIEW_DECISIONS),
});
export const authorised = closed({
  ...decided,
  purpose: Type.Literal('authorise_execution'),
  decision: choice(EXECUTION_DECISIONS),
  grant_deadline: Timestamp,
});
