import { SECONDS } from '../constants.js';
import { canonicalText, textDigest } from '../json/canonical.js';
import { isJsonObject } from '../json/value.js';
import type { AnchorProof, AuditCheckpoint } from '../records/index.js';
import { parseTimestamp, validate } from '../records/index.js';
import { chainHeadOrNull } from './chain.js';
import type { ProofReason } from './reasons.js';
import type { Trust } from './trust-manifest.js';
import { verifyRecord } from './verify-record.js';

export interface ExpectedProof {
  /** Digest of the complete receipt (or other record) that the proof is for. */
  readonly recordDigest: string;
  readonly ledgerId?: string;
  readonly generation?: string;
  /** The copy that the verifier fetched from the anchor store by itself; without it step 5 stays half done. */
  readonly storedCopy?: Uint8Array;
  /** Epoch milliseconds, see `ExpectedRecord`. */
  readonly now?: number;
}

export type ProofVerification =
  | {
      readonly ok: true;
      readonly checkpoint: AuditCheckpoint;
      /** Whether the anchor store's own copy was compared, not only the service's word for it. */
      readonly storeChecked: boolean;
    }
  | { readonly ok: false; readonly reason: ProofReason };

/** Verifies an AnchorProof (protocol §4.3, in its order). */
export function verifyAnchorProof(
  proof: unknown,
  trust: Trust,
  expected: ExpectedProof,
): ProofVerification {
  if (!isProofShaped(proof)) return refused('malformed_proof');

  const verified = verifyRecord(proof.checkpoint, trust, {
    type: 'AuditCheckpoint',
    audience: 'proto.audit',
    purpose: 'service',
    ...(expected.now === undefined ? {} : { now: expected.now }),
  });
  if (!verified.ok) return verified;
  const checkpoint: unknown = verified.record.payload;
  if (!validate('AuditCheckpoint', checkpoint)) return refused('malformed_proof');
  if (verified.record.protected.tenant !== checkpoint.ledger_id) return refused('tenant_mismatch');
  if (
    (expected.ledgerId !== undefined && checkpoint.ledger_id !== expected.ledgerId) ||
    (expected.generation !== undefined && checkpoint.generation !== expected.generation)
  ) {
    return refused('checkpoint_mismatch');
  }

  const chainFault = chainFaultOf(proof.proof, expected.recordDigest, checkpoint);
  if (chainFault !== null) return refused(chainFault);

  const text = canonicalText(proof.checkpoint);
  if (expected.storedCopy !== undefined && !Buffer.from(text).equals(expected.storedCopy)) {
    return refused('stored_copy_differs');
  }
  const { acceptance } = proof;
  if (acceptance.digest !== textDigest(text)) return refused('acceptance_digest_mismatch');
  const retainedUntil = parseTimestamp(acceptance.retained_until) as number;
  if (retainedUntil < verified.issuedAt + SECONDS.anchorRetention * 1000) {
    return refused('retention_too_short');
  }
  return { ok: true, checkpoint, storeChecked: expected.storedCopy !== undefined };
}

function chainFaultOf(
  nodes: AnchorProof['proof'],
  recordDigest: string,
  checkpoint: AuditCheckpoint,
): ProofReason | null {
  const first = nodes[0];
  if (first === undefined) return 'empty_proof';
  if (first.record_digest !== recordDigest) return 'receipt_not_proven';
  let last = first;
  for (const [i, node] of nodes.entries()) {
    if (i > 0) {
      if (node.sequence !== last.sequence + 1) return 'node_sequence_gap';
      if (node.previous_head !== last.head) return 'node_chain_broken';
    }
    const head = chainHeadOrNull(node.previous_head, node.record_digest, node.sequence);
    if (node.head !== head) return 'node_head_mismatch';
    last = node;
  }
  return last.head === checkpoint.head && last.sequence === checkpoint.sequence
    ? null
    : 'checkpoint_not_reached';
}

/** The checkpoint itself is left to `verifyRecord`, which has reasons of its own. */
function isProofShaped(proof: unknown): proof is AnchorProof {
  return (
    isJsonObject(proof) &&
    Object.keys(proof).length === 3 &&
    Object.hasOwn(proof, 'checkpoint') &&
    validate('AnchorAcceptance', proof['acceptance']) &&
    Array.isArray(proof['proof']) &&
    proof['proof'].every((node) => validate('LedgerNode', node))
  );
}

function refused(reason: ProofReason): ProofVerification {
  return { ok: false, reason };
}
