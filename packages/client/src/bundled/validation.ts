import { isTimestamp } from '@countersign/protocol/timestamp';

import {
  AdmissionStatus,
  AnchorAcceptance,
  AuditCheckpoint,
  DecisionReceipt,
  ExecutionClaim,
  LedgerNode,
  Profiles,
  RecordedOutcome,
  RecordedReconciliation,
  RequestChangedEvent,
  SignedRecord,
  TrustManifest,
  WebhookDelivery,
} from '../generated/records.js';
import type { Shape } from '../shape.js';
import { misfit } from '../shape.js';

// In the published bundle this takes the place of packages/protocol/src/records/validation.ts (build.mjs): the shapes of this
// package are printed from the same schemas, and need no compiler.

/** The records that the verification of an answer looks into. */
const SHAPES: Record<string, Shape> = {
  AdmissionStatus,
  AnchorAcceptance,
  AuditCheckpoint,
  DecisionReceipt,
  ExecutionClaim,
  LedgerNode,
  Profiles,
  RecordedOutcome,
  RecordedReconciliation,
  RequestChangedEvent,
  SignedRecord,
  TrustManifest,
  WebhookDelivery,
};

/** Takes the shapes of further records, of an entry that not every program loads. */
export function know(shapes: Readonly<Record<string, Shape>>): void {
  Object.assign(SHAPES, shapes);
}

export function validate(name: string, value: unknown): boolean {
  return faultOf(name, value) === null;
}

/** One sentence about the first fault; null without one. */
export function faultOf(name: string, value: unknown): string | null {
  const shape = SHAPES[name];
  if (shape === undefined) throw new Error(`no shape of ${name}`);
  const pointer = misfit(shape, value, { isTimestamp });
  return pointer === null ? null : `${pointer === '' ? 'The body' : pointer} does not fit.`;
}
