import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import {
  AnyJson,
  Count,
  DecisionName,
  Digest,
  Identifier,
  Timestamp,
  Uuid,
  named,
  nullable,
} from './primitives.js';
import { authorised, reviewed } from './receipt-forms.js';
import { DecisionRequest } from './request.js';

export const DecisionProposal = named('DecisionProposal', {
  response: AnyJson,
  decision: DecisionName,
});
export type DecisionProposal = Static<typeof DecisionProposal>;

/** `candidate_digest` covers all ten members (protocol §2.2). */
export const DecisionCandidate = named('DecisionCandidate', {
  id: Identifier,
  request_id: Identifier,
  request_digest: Digest,
  reviewer: Identifier,
  revision: Count,
  response: AnyJson,
  response_canonical: Type.String(),
  response_digest: Digest,
  decision: DecisionName,
  created_at: Timestamp,
});
export type DecisionCandidate = Static<typeof DecisionCandidate>;

export const Material = named('Material', {
  request: DecisionRequest,
  request_digest: Digest,
  payload: AnyJson,
  response_schema: AnyJson,
  review_document: Type.String(),
  candidate: nullable(DecisionCandidate),
});
export type Material = Static<typeof Material>;

export const Confirmation = named('Confirmation', {
  candidate_id: Uuid,
  candidate_digest: Digest,
});
export type Confirmation = Static<typeof Confirmation>;

export const EmptyInput = named('EmptyInput', {});
export type EmptyInput = Static<typeof EmptyInput>;

/** A refused execution has a `grant_deadline` too; a review never has one (protocol §3.4). */
export const DecisionReceipt = Type.Union([reviewed, authorised], { title: 'DecisionReceipt' });
export type DecisionReceipt = Static<typeof DecisionReceipt>;
