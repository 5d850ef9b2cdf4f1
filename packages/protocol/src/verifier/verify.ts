import type { JsonObject, JsonValue } from '../json/value.js';
import type { AuditExport, SignedRecord } from '../records/index.js';
import { faultOf } from '../records/index.js';
import type { Trust } from '../signing/index.js';
import { NEEDED, checklistOf } from './checklist.js';
import { readDocument } from './document.js';
import { hearExport } from './export.js';
import { DOCUMENT_LIMITS, newHearing } from './hearing.js';
import type { AnchorCopies, Expected, Hearing, VerifierMemory } from './hearing.js';
import { plainText } from './plain-text.js';
import { hearProof } from './proof.js';
import { hearRange } from './range.js';
import { hearSecurityLog, securityLogFault } from './security-log.js';
import { hearSingle } from './single-record.js';
import { overall } from './verdict.js';
import type { DocumentKind, Verdict } from './verdict.js';
import { hearWebhook } from './webhook.js';

export interface VerifyOptions {
  readonly expected?: Expected;
  /** The verifier's own look into the anchor store; without it the verdict is incomplete at best. */
  readonly copies?: AnchorCopies | null;
  readonly memory?: VerifierMemory;
}

/**
 * Verifies one document of which nothing is known: an audit export, a signed record, an anchor proof, a page or longer
 * stretch of the ledger, pages of a security log, or a webhook body. Never throws: a document that cannot be read is a verdict too.
 *
 * @param document untrusted bytes of a JSON text, or the text
 * @param trust what was configured out of band (protocol §2.4)
 */
export function verifyDocument(
  document: Uint8Array | string,
  trust: Trust,
  options: VerifyOptions = {},
): Verdict {
  const hearing = newHearing(trust, options);
  let kind: DocumentKind | null = null;
  let checklist: Verdict['checklist'] = [];
  try {
    const reading = readDocument(document);
    if ('fault' in reading) {
      hearing.findings.judge('document_readable', '', false, { detail: reading.fault });
    } else {
      kind = reading.kind;
      hear(hearing, kind, reading.value);
      if (aboutExecution(kind, reading.value)) {
        const authorises = decisionOf(reading.value);
        checklist = checklistOf(hearing.findings.checks, { codes: NEEDED, authorises });
      }
      if (reading.respelled) {
        const says =
          'The file spells its JSON otherwise than the service does (white space, escapes, forms of numbers). What it says was checked, its spelling was not.';
        hearing.findings.uncovered.push({ path: '', says });
      }
    }
  } catch {
    // Ours to mend, but nobody may take silence for a yes.
    hearing.findings.skipped('verifier_works', '', {
      says: 'The verifier itself failed on this document, so what is not listed here was not checked.',
    });
  }
  const { checks, gone, uncovered, story } = hearing.findings;
  return { verdict: overall(checks), kind, checks, checklist, gone, uncovered, story };
}

function hear(hearing: Hearing, kind: DocumentKind, value: JsonValue): void {
  const { findings } = hearing;
  findings.judge('document_readable', '', true);
  const fault = shapeFault(kind, value);
  if (fault !== null) {
    findings.judge('document_shape', '', false, { detail: plainText(fault) });
    return;
  }
  findings.judge('document_shape', '', true);
  switch (kind) {
    case 'export':
      return hearExport(hearing, value as unknown as AuditExport);
    case 'record':
      return void hearSingle(hearing, value as unknown as SignedRecord);
    case 'webhook':
      return hearWebhook(hearing, value as unknown as SignedRecord);
    case 'anchor proof':
      return void hearProofAlone(hearing, value);
    case 'ledger range':
      return hearRange(hearing, value as JsonValue[]);
    case 'security log':
      return hearSecurityLog(hearing, value as JsonObject);
  }
}

function hearProofAlone(hearing: Hearing, value: JsonValue): void {
  const heard = hearProof(hearing, value, '', null);
  if (heard === null) return;
  const { findings } = hearing;
  const digest = heard.proof.proof[0]?.record_digest;
  findings.unknown('receipt_present', '/proof/0/record_digest', {
    says: `It proves the record with the digest ${digest}; which record that is, is not in this file.`,
    decisive: false,
  });
  for (const member of ['backend', 'version_id', 'retained_until']) {
    const says = 'What the anchor store answered is not signed.';
    findings.uncovered.push({ path: `/acceptance/${member}`, says });
  }
  if (!heard.keyKnown) {
    const says =
      'What the anchor store answered is not signed; only the end of its key was compared.';
    findings.uncovered.push({ path: '/acceptance/key', says });
  }
}

function shapeFault(kind: DocumentKind, value: JsonValue): string | null {
  if (kind === 'ledger range') {
    // Pages may be put together; each entry is judged by itself.
    const many = (value as JsonValue[]).length > DOCUMENT_LIMITS.entries;
    return many ? `It has more than ${DOCUMENT_LIMITS.entries} entries.` : null;
  }
  if (kind === 'security log') return securityLogFault(value as JsonObject);
  if (kind === 'anchor proof') return faultOf('AnchorProof', value);
  // Records have reasons of their own for every fault of their shape.
  if (kind !== 'export') return null;
  const { records, audit } = value as { records: unknown; audit: unknown };
  for (const list of [records, audit]) {
    if (Array.isArray(list) && list.length > DOCUMENT_LIMITS.entries) {
      return `It has more than ${DOCUMENT_LIMITS.entries} records.`;
    }
  }
  return faultOf('AuditExport', value);
}

function aboutExecution(kind: DocumentKind, value: JsonValue): boolean {
  const document = value as {
    request?: { purpose?: unknown };
    protected?: { type?: unknown; purpose?: unknown };
  };
  if (kind === 'export') return document.request?.purpose === 'authorise_execution';
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
