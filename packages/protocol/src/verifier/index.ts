// A program that only verifies needs these too.
export { isJsonObject, parseStrictJson } from '../json/index.js';
export type { JsonValue } from '../json/index.js';
export { parseTimestamp } from '../records/timestamp.js';
export { readSecurityStatement } from '../security-log/index.js';
export { fingerprintWords, readTrustManifest } from '../signing/index.js';
export type { Trust } from '../signing/index.js';
export { embedded, evidencePage, EVIDENCE_ELEMENT, isPage, readPage } from './evidence-page.js';
export { readWitnessPolicy } from '../merkle/witness-policy.js';
export type { WitnessPolicy } from '../merkle/witness-policy.js';
export { CHECKS } from './checks.js';
export type { CheckCode } from './checks.js';
export { DOCUMENT_BOUNDS, DOCUMENT_LIMITS, newVerifierMemory } from './context.js';
export type { AnchorCopies, AnchorCopy, Expected, VerifierMemory } from './context.js';
export type {
  Check,
  CheckStatus,
  ChecklistItem,
  DocumentKind,
  Remark,
  TimelineStep,
  Verdict,
} from './verdict.js';
export { mayFollow, reasonFits, startsRight } from './events.js';
export { trustInside } from './trust-inside.js';
export { verifyDocument } from './verify.js';
export type { VerifyOptions } from './verify.js';
export { summaryOf } from './verdict-summary.js';
export type { Asking, ReportSection, Summary } from './verdict-summary.js';
export { detailsOf, verdictText } from './verdict-text.js';
