import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import { PAGE_SIZES } from '../constants.js';
import {
  AnyJson,
  Count,
  Digest,
  SignedRecord,
  Timestamp,
  Uuid,
  closed,
  named,
  nullable,
} from './primitives.js';
import { DecisionRequest, ReviewBundle } from './request.js';
import { DecisionCandidate } from './review.js';

export const AnchorAcceptance = named('AnchorAcceptance', {
  backend: Type.String(),
  key: Type.String(),
  version_id: Type.String(),
  digest: Type.String(),
  retained_until: Timestamp,
});
export type AnchorAcceptance = Static<typeof AnchorAcceptance>;

/** One entry of the chain; `previous_head` of entry 1 is the empty string (protocol §4.1). */
export const LedgerNode = named('LedgerNode', {
  sequence: Count,
  previous_head: Type.String(),
  record_digest: Type.String(),
  head: Type.String(),
});
export type LedgerNode = Static<typeof LedgerNode>;

export const AnchorProof = named('AnchorProof', {
  checkpoint: SignedRecord,
  acceptance: AnchorAcceptance,
  proof: Type.Array(LedgerNode),
});
export type AnchorProof = Static<typeof AnchorProof>;

export const AuditCheckpoint = named('AuditCheckpoint', {
  ledger_id: Uuid,
  generation: Uuid,
  sequence: Count,
  head: Digest,
});
export type AuditCheckpoint = Static<typeof AuditCheckpoint>;

const DecimalSequence = Type.String({ pattern: '^[0-9]+$' });

/** `record` is the canonical text of the signed record; null after audit expiry (protocol §11.3). */
const entry = {
  sequence: DecimalSequence,
  previous_head: Type.String(),
  head: Type.String(),
  record_digest: Type.String(),
  record: nullable(Type.String()),
};

export const LedgerEntry = named('LedgerEntry', {
  ...entry,
  tenant: Type.String(),
  request_id: nullable(Uuid),
  created_at: Timestamp,
});
export type LedgerEntry = Static<typeof LedgerEntry>;

export const LedgerPage = Type.Array(LedgerEntry, {
  title: 'LedgerPage',
  maxItems: PAGE_SIZES.ledger,
});
export type LedgerPage = Static<typeof LedgerPage>;

export const ExportedMaterial = named('ExportedMaterial', {
  payload: AnyJson,
  response_schema: AnyJson,
  review_document: Type.String(),
  candidate: nullable(DecisionCandidate),
  bundle: Type.Optional(closed({ manifest: ReviewBundle, html: Type.String() })),
});
export type ExportedMaterial = Static<typeof ExportedMaterial>;

export const AuditExport = named('AuditExport', {
  request: DecisionRequest,
  request_digest: Digest,
  records: Type.Array(SignedRecord),
  audit: Type.Array(closed(entry)),
  anchor: nullable(AnchorProof),
  material: nullable(ExportedMaterial),
  verification: Type.String(),
});
export type AuditExport = Static<typeof AuditExport>;
