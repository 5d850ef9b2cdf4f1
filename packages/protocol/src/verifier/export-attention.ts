import { attentionOf, charactersOf, isNo, leastReading } from '../approval/index.js';
import { STATEMENT_MS } from '../human-key/index.js';
import { canonicalText } from '../json/canonical.js';
import type { Attention, AttentionPolicy, ExtendedAuditExport } from '../records/index.js';
import type { VerifierContext } from './context.js';
import { time } from './export-request.js';
import type { CheckedVote } from './export-votes.js';

/** Whether every yes says the attention that the policy of the request asks for, and every other vote says none. */
export function checkAttention(
  { findings }: VerifierContext,
  document: ExtendedAuditExport,
  votes: readonly CheckedVote[],
): void {
  const policy = attentionOf(document.request);
  for (const vote of votes) {
    const { attention, decision } = vote.payload;
    const asked = policy !== null && !isNo(decision);
    if (!asked && attention === null) continue;
    const path = `${vote.path}/payload/attention`;
    const holds = asked && attention !== null && keepsPolicy(document, vote, attention, policy);
    findings.check('approval_attention', path, holds);
    if (!holds || knowsLength(document, policy, attention)) continue;
    findings.unknown('approval_attention', path, {
      says: 'Whether the length of the document left time to read it cannot be seen any more: the document is gone.',
      decisive: false,
    });
  }
}

function keepsPolicy(
  { request, material }: ExtendedAuditExport,
  { payload, issuedAt }: CheckedVote,
  attention: Attention,
  policy: AttentionPolicy,
): boolean {
  const materialAt = time(attention.material_first_read_at);
  const candidateAt = time(attention.candidate_first_read_at);
  const offeredAt = materialAt + attention.read_ms;
  const characters = charactersOf(material?.review_document ?? '');
  const stated = payload.human?.statement.issued_at;
  const candidate = material?.candidate ?? null;
  const frozen =
    candidate?.id === payload.candidate_id ? candidate.created_at : request.accepted_at;
  return (
    attention.tier === policy.tier &&
    canonicalText(attention.typed) === canonicalText(policy.typed.map(({ pointer }) => pointer)) &&
    time(request.accepted_at) <= materialAt &&
    time(frozen) <= candidateAt &&
    attention.read_ms >= leastReading(policy, characters) &&
    candidateAt + policy.cool_down_seconds * 1000 <= offeredAt &&
    offeredAt <= issuedAt &&
    issuedAt <= offeredAt + STATEMENT_MS &&
    (stated === undefined || time(stated) === offeredAt)
  );
}

/** Whether the document is there, or its length does not count. */
function knowsLength(
  { material }: ExtendedAuditExport,
  policy: AttentionPolicy,
  { read_ms }: Attention,
): boolean {
  return material !== null || read_ms >= leastReading(policy, Infinity);
}
