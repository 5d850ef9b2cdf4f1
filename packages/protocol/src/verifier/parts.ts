// The verifier's parts, for programs that verify one answer after the other (packages/client).
export { textDigest, valueDigest } from '../json/canonical.js';
export { parseTimestamp } from '../records/timestamp.js';
export { readTrustManifest } from '../signing/trust-manifest.js';
export type { Trust } from '../signing/trust-manifest.js';
export type { CheckCode } from './checks.js';
export { checkEvents } from './events.js';
export { checkAnchor } from './export.js';
export { checkDecision } from './export-decision.js';
export { checkExecution } from './export-execution.js';
export { checkBinding, checkRequest } from './export-request.js';
export type { VerifierContext } from './context.js';
export type { Findings } from './findings.js';
export { checkRecord, expecting, isOf } from './record.js';
export type { CheckedRecord } from './record.js';
export { checkWebhook } from './webhook.js';
export type { AuditExport, DecisionRequest, RecordType, SignedRecord } from '../records/index.js';
