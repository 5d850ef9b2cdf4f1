import { SUPPORTED_PROFILES } from '../constants.js';
import { textDigest, valueDigest } from '../json/canonical.js';
import type { AuditExport, DecisionRequest } from '../records/index.js';
import { parseTimestamp } from '../records/index.js';
import type { VerifierContext } from './context.js';
import type { CheckedRecord } from './record.js';
import { recordsOf } from './record.js';

/**
 * The request by itself: its digest, and that it could have been accepted like that (protocol §3.2, §15.1). `supported`:
 * the profiles that the caller judges.
 */
export function checkRequest(
  { findings, expected }: VerifierContext,
  document: AuditExport,
  supported: Readonly<Record<string, string>> = SUPPORTED_PROFILES,
): void {
  const { request } = document;
  findings.check(
    'request_digest',
    '/request_digest',
    valueDigest(request) === document.request_digest,
  );
  findings.check('request_times', '/request', timesFollow(request));
  findings.check(
    'request_profiles',
    '/request/profiles',
    Object.entries(request.profiles).every(([name, version]) => supported[name] === version),
  );
  if (request.supersedes !== undefined) {
    findings.check('request_supersedes', '/request/supersedes', request.supersedes !== request.id);
  }
  if (request.execution !== undefined) {
    const { execution, limits } = request;
    findings.check(
      'request_execution',
      '/request/execution',
      execution.execution_seconds <= limits.execution_seconds &&
        time(execution.valid_until) > time(request.accepted_at) &&
        execution.provenance.profile === 'proto.execution' &&
        execution.provenance.version === SUPPORTED_PROFILES['proto.execution'],
    );
    const digest = valueDigest(execution);
    if (expected.bindingDigest !== undefined) {
      findings.check('expected_binding', '/request/execution', digest === expected.bindingDigest);
    } else {
      findings.skipped('expected_binding', '/request/execution', {
        says: `Its digest is ${digest}; whether that is the execution you mean was not compared.`,
        decisive: false,
      });
    }
  }
  for (const [code, member, of] of [
    ['expected_tenant', 'tenant', expected.tenant],
    ['expected_audience', 'producer', expected.audience],
  ] as const) {
    const path = `/request/${member}`;
    if (of !== undefined) findings.check(code, path, request[member] === of);
    else {
      findings.skipped(code, path, {
        says: `Its ${member} is ${request[member]}; whether that is whom you expect was not compared.`,
        decisive: false,
      });
    }
  }
}

function timesFollow({ limits, execution, ...request }: DecisionRequest): boolean {
  const accepted = time(request.accepted_at);
  const after = (seconds: number): number => accepted + seconds * 1000;
  const latest = Math.min(
    after(limits.review_seconds),
    execution === undefined ? Number.POSITIVE_INFINITY : time(execution.valid_until),
  );
  const executing =
    execution === undefined
      ? 0
      : limits.grant_seconds + limits.execution_seconds + limits.reconciliation_seconds;
  const deadline = time(request.review_deadline);
  return (
    accepted < deadline &&
    deadline <= latest &&
    time(request.private_delete_at) === after(limits.review_seconds + executing) &&
    time(request.audit_delete_at) === after(limits.audit_seconds)
  );
}

/** Whether any signed record is about exactly this request; without one only the file itself vouches for it. */
export function checkBinding(
  { findings }: VerifierContext,
  document: AuditExport,
  records: readonly CheckedRecord[],
): void {
  const binding = [
    ...recordsOf(records, 'DecisionReceipt'),
    ...recordsOf(records, 'ExecutionClaim'),
    ...recordsOf(records, 'MaterialDiscarded'),
    ...recordsOf(records, 'ApprovalRecord'),
    ...recordsOf(records, 'ApprovalEnded'),
  ];
  for (const record of binding) {
    findings.check(
      'request_bound',
      record.path,
      record.payload.request_digest === document.request_digest,
    );
  }
  if (binding.some(({ proven }) => proven)) return;
  findings.unknown('request_bound', '/request', {
    says: 'No verified record carries the digest of this request, as long as nothing was decided or deleted: what was asked rests on this file alone.',
  });
  for (const path of ['/request', '/request_digest', '/material']) {
    const says = 'No good signature covers what was asked.';
    findings.uncovered.push({ path, says });
  }
}

/** The material shown to the reviewer, against the digests of the request; or its deletion, and who recorded that. */
export function checkMaterial(
  { findings, expected }: VerifierContext,
  { request, material }: AuditExport,
  records: readonly CheckedRecord[],
): void {
  const discarded = recordsOf(records, 'MaterialDiscarded').find(({ proven }) => proven);
  if (material === null) {
    const due = expected.now !== undefined && expected.now >= time(request.private_delete_at);
    const says =
      discarded !== undefined
        ? `Deleted at ${discarded.header.issued_at} by ${discarded.payload.recorded_by.subject}, as a signed record says.`
        : due
          ? `Its time was over at ${request.private_delete_at}; the record of its deletion is not in this file.`
          : 'No record in this file says when or why it was deleted.';
    findings.gone.push({
      path: '/material',
      says: `Payload, response schema, document, candidate and app are gone. ${says} The digests of what was shown are still signed; what had these digests cannot be seen any more.`,
    });
    findings.unknown('material_kept', '/material', {
      says: `What was shown cannot be seen any more. ${says}`,
      decisive: discarded === undefined && !due,
    });
    return;
  }
  findings.check('material_kept', '/material', discarded === undefined);
  const { review } = request;
  const digests = [
    ['material_payload', 'payload', valueDigest(material.payload), review.payload_digest],
    [
      'material_schema',
      'response_schema',
      valueDigest(material.response_schema),
      review.response_schema_digest,
    ],
    [
      'material_document',
      'review_document',
      textDigest(material.review_document),
      review.document_digest,
    ],
  ] as const;
  for (const [code, member, actual, bound] of digests) {
    findings.check(code, `/material/${member}`, actual === bound);
  }
  checkBundle(findings, request, material.bundle);
}

function checkBundle(
  findings: VerifierContext['findings'],
  { tenant, review: { bundle: bound } }: DecisionRequest,
  bundle: NonNullable<AuditExport['material']>['bundle'],
): void {
  if (bound === undefined || bundle === undefined) {
    if (bound !== bundle) findings.check('material_bundle', '/material/bundle', false);
    return;
  }
  const { manifest, html } = bundle;
  const same =
    manifest.id === bound.id &&
    manifest.tenant === tenant &&
    manifest.publisher === bound.publisher &&
    manifest.created_at === bound.created_at &&
    manifest.digest === bound.digest &&
    textDigest(html) === bound.digest &&
    valueDigest(manifest.compatibility) === valueDigest(bound.compatibility);
  findings.check('material_bundle', '/material/bundle', same);
  for (const member of ['author', 'licence']) {
    const path = `/material/bundle/manifest/${member}`;
    const says = `The request does not bind the ${member} of the app; the ledger does, in its BundleRegistered.`;
    findings.uncovered.push({ path, says });
  }
}

/** Epoch milliseconds of a timestamp whose form the record's schema guarantees. */
export function time(text: string): number {
  return parseTimestamp(text) as number;
}
