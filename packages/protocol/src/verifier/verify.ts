import type { PinnedPeople } from '../human-key/index.js';
import { isJsonObject } from '../json/value.js';
import type { JsonObject, JsonValue } from '../json/value.js';
import type { WitnessPolicy } from '../merkle/witness-policy.js';
import type { AuditExport, Evidence, RecordName, SignedRecord } from '../records/index.js';
import { asksForKeys, faultOf, isExtended } from '../records/index.js';
import type { Trust } from '../signing/index.js';
import { checklistOf } from './checklist.js';
import { readDocument } from './document.js';
import { checkEvidence } from './evidence.js';
import { checkExport } from './export.js';
import { DOCUMENT_LIMITS, newContext } from './context.js';
import type { AnchorCopies, Expected, VerifierContext, VerifierMemory } from './context.js';
import { plainText } from './plain-text.js';
import { checkProof } from './proof.js';
import { checkRange } from './range.js';
import { checkSecurityLog, securityLogFault } from './security-log.js';
import { checkSingle } from './single-record.js';
import { overall } from './verdict.js';
import type { DocumentKind, Verdict } from './verdict.js';
import { checkWebhook } from './webhook.js';

export interface VerifyOptions {
  readonly expected?: Expected;
  /** Copies from the anchor store; without them the verdict is incomplete at best. */
  readonly copies?: AnchorCopies | null;
  /** The witnesses that the reader asks for; they vouch for evidence as the anchor store does. */
  readonly witnesses?: WitnessPolicy | null;
  /** The keys of people that the reader knows from elsewhere, compared where people sign with keys of their own (protocol §19.5). */
  readonly people?: PinnedPeople | null;
  readonly memory?: VerifierMemory;
}

/**
 * Verifies one untrusted document of any kind: the evidence of a request (as JSON or as a page), an audit export, a signed record, an anchor proof, a page or longer
 * stretch of the ledger, pages of a security log, or a webhook body. Never throws: a document that cannot be read is a verdict too.
 *
 * @param document untrusted bytes of a JSON text, or the text; evidence may be the page around it
 * @param trust as configured out of band (protocol §2.4)
 */
export function verifyDocument(
  document: Uint8Array | string,
  trust: Trust,
  options: VerifyOptions = {},
): Verdict {
  const context = newContext(trust, options);
  let kind: DocumentKind | null = null;
  let checklist: Verdict['checklist'] = [];
  try {
    const reading = readDocument(document);
    if ('fault' in reading) {
      context.findings.check('document_readable', '', false, { detail: reading.fault });
    } else {
      kind = reading.kind;
      checkDocument(context, kind, reading.value);
      if (aboutExecution(kind, reading.value)) {
        const authorises = decisionOf(exportIn(kind, reading.value) ?? reading.value);
        const byApprovals = hasExtendedExport(kind, reading.value);
        const byKeys = byApprovals && selectsKeys(kind, reading.value);
        const byAttention = byApprovals && wantsAttention(kind, reading.value);
        const of = { authorises, byApprovals, byAttention, byKeys };
        checklist = checklistOf(context.findings.checks, of);
      }
      if (reading.isPage) {
        const says =
          'The evidence in it was verified; what the page around it shows was not. Open the evidence in a verifier of your own to read it.';
        context.findings.uncovered.push({ path: 'the page', says });
      }
      if (reading.respelled) {
        const says =
          'The file spells its JSON otherwise than the service does (white space, escapes, forms of numbers). Its content was checked, its spelling was not.';
        context.findings.uncovered.push({ path: '', says });
      }
    }
  } catch {
    // This is a bug of ours; the verdict must not look like a success because of it.
    context.findings.skipped('verifier_works', '', {
      says: 'The verifier itself failed on this document, so what is not listed here was not checked.',
    });
  }
  const { checks, gone, uncovered, timeline } = context.findings;
  return { verdict: overall(checks), kind, checks, checklist, gone, uncovered, story: timeline };
}

function checkDocument(context: VerifierContext, kind: DocumentKind, value: JsonValue): void {
  const { findings } = context;
  findings.check('document_readable', '', true);
  const fault = shapeFault(kind, value);
  if (fault !== null) {
    findings.check('document_shape', '', false, { detail: plainText(fault) });
    return;
  }
  findings.check('document_shape', '', true);
  switch (kind) {
    case 'evidence':
      return checkEvidence(context, value as unknown as Evidence);
    case 'export':
      return checkExport(context, value as unknown as AuditExport);
    case 'record':
      return void checkSingle(context, value as unknown as SignedRecord);
    case 'webhook':
      return checkWebhook(context, value as unknown as SignedRecord);
    case 'anchor proof':
      return void checkProofAlone(context, value);
    case 'ledger range':
      return checkRange(context, value as JsonValue[]);
    case 'security log':
      return checkSecurityLog(context, value as JsonObject);
  }
}

function checkProofAlone(context: VerifierContext, value: JsonValue): void {
  const checked = checkProof(context, value, '', null);
  if (checked === null) return;
  const { findings } = context;
  const digest = checked.proof.proof[0]?.record_digest;
  findings.unknown('receipt_present', '/proof/0/record_digest', {
    says: `It proves the record with the digest ${digest}; which record that is, is not in this file.`,
    decisive: false,
  });
  for (const member of ['backend', 'version_id', 'retained_until']) {
    const says = 'What the anchor store answered is not signed.';
    findings.uncovered.push({ path: `/acceptance/${member}`, says });
  }
  if (!checked.keyKnown) {
    const says =
      'What the anchor store answered is not signed; only the end of its key was compared.';
    findings.uncovered.push({ path: '/acceptance/key', says });
  }
}

function shapeFault(kind: DocumentKind, value: JsonValue): string | null {
  if (kind === 'ledger range') {
    // Pages may be joined, so each entry is verified by itself.
    const many = (value as JsonValue[]).length > DOCUMENT_LIMITS.entries;
    return many ? `It has more than ${DOCUMENT_LIMITS.entries} entries.` : null;
  }
  if (kind === 'security log') return securityLogFault(value as JsonObject);
  if (kind === 'anchor proof') return faultOf('AnchorProof', value);
  // Records have codes of their own for faults of their shape.
  if (kind !== 'export' && kind !== 'evidence') return null;
  const { remains } = value as { remains?: unknown };
  const exported = exportIn(kind, value) as { [member: string]: unknown } | null;
  const { records, audit, evidence } = exported ?? {};
  const cited = (evidence as { records?: unknown } | null | undefined)?.records;
  for (const list of [records, audit, remains, cited]) {
    if (Array.isArray(list) && list.length > DOCUMENT_LIMITS.entries) {
      return `It has more than ${DOCUMENT_LIMITS.entries} records.`;
    }
  }
  const [plain, extended]: [RecordName, RecordName] =
    kind === 'export' ? ['AuditExport', 'ExtendedAuditExport'] : ['Evidence', 'ExtendedEvidence'];
  return faultOf(hasExtendedExport(kind, value) ? extended : plain, value);
}

/** The form is chosen by the profiles of the request, before the shape is checked (protocol §18.3). */
function hasExtendedExport(kind: DocumentKind, value: JsonValue): boolean {
  const { request } = (exportIn(kind, value) ?? {}) as { request?: { profiles?: JsonValue } };
  const profiles = request?.profiles;
  return isJsonObject(profiles) && isExtended(profiles as Record<string, string>);
}

/** Whether people sign with keys of their own (protocol §19). */
function selectsKeys(kind: DocumentKind, value: JsonValue): boolean {
  const exported = exportIn(kind, value) as { request?: { profiles?: JsonValue } } | null;
  const profiles = exported?.request?.profiles;
  return isJsonObject(profiles) && asksForKeys(profiles as Record<string, string>);
}

/** Whether the policy asks for attention of a high tier (protocol §18.12). A document of another shape fails anyway. */
function wantsAttention(kind: DocumentKind, value: JsonValue): boolean {
  type Part = { attention?: { tier?: unknown } };
  const exported = exportIn(kind, value) as { request?: { approval?: { policy?: Part } } } | null;
  const tier = exported?.request?.approval?.policy?.attention?.tier;
  return tier === 'high' || tier === 'critical';
}

/** The export itself, or that of evidence. */
function exportIn(kind: DocumentKind, value: JsonValue): JsonValue | null {
  if (kind === 'export') return value;
  return kind === 'evidence' ? ((value as { export?: JsonValue }).export ?? null) : null;
}

function aboutExecution(kind: DocumentKind, value: JsonValue): boolean {
  const exported = exportIn(kind, value) as { request?: { purpose?: unknown } } | null;
  if (exported !== null) return exported.request?.purpose === 'authorise_execution';
  const document = value as { protected?: { type?: unknown; purpose?: unknown } };
  const { type, purpose } = document.protected ?? {};
  const types: unknown[] = ['DecisionReceipt', 'ExecutionClaim', 'AdmissionStatus'];
  return kind === 'record' && purpose === 'authorise_execution' && types.includes(type);
}

/** Whether the decision, if there is one in the document, authorises. */
function decisionOf(value: JsonValue): boolean | null {
  const { records, payload } = value as { records?: unknown; payload?: unknown };
  const payloads = Array.isArray(records) ? records.map(payloadOf) : [payload];
  const decisions = payloads
    .map((each) => (each as { decision?: unknown } | null | undefined)?.decision)
    .filter((decision) => decision !== undefined);
  return decisions.length === 0 ? null : decisions.every((decision) => decision === 'authorise');
}

function payloadOf(record: unknown): unknown {
  return (record as { payload?: unknown } | null)?.payload;
}
