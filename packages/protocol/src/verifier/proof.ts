import { canonicalText } from '../json/canonical.js';
import { isJsonObject } from '../json/value.js';
import type { AnchorProof, AuditCheckpoint } from '../records/index.js';
import { PROOF_REASONS, verifyAnchorProof } from '../signing/index.js';
import type { VerifierContext } from './context.js';

export interface CheckedProof {
  readonly proof: AnchorProof;
  readonly checkpoint: AuditCheckpoint;
  /** Epoch milliseconds, of the checkpoint. */
  readonly issuedAt: number;
  /** Whether the anchor store's own copy named the key. */
  readonly keyKnown: boolean;
}

/**
 * Verifies an anchor proof (protocol §4.3).
 *
 * @param recordDigest digest of the record that it is for; null when the document does not hold that record
 */
export function checkProof(
  context: VerifierContext,
  proof: unknown,
  path: string,
  recordDigest: string | null,
): CheckedProof | null {
  const { trust, expected, findings } = context;
  const verified = verifyAnchorProof(proof, trust, {
    recordDigest: recordDigest ?? firstDigest(proof),
    ...(expected.now === undefined ? {} : { now: expected.now }),
  });
  findings.check(
    'anchor_proof',
    path,
    verified.ok,
    verified.ok ? {} : { reason: verified.reason, detail: PROOF_REASONS[verified.reason] },
  );
  if (!verified.ok) return null;
  const { checkpoint } = verified;
  const shaped = proof as AnchorProof;
  const place = `/${checkpoint.ledger_id}/${checkpoint.generation}/${String(checkpoint.sequence).padStart(16, '0')}.json`;
  findings.check(
    'anchor_key',
    `${path}/acceptance/key`,
    `/${shaped.acceptance.key}`.endsWith(place),
  );
  expectLedger(context, checkpoint.ledger_id, `${path}/checkpoint/payload/ledger_id`);
  const keyKnown = compareWithStore(context, shaped, checkpoint, path);
  const issuedAt = Date.parse(shaped.checkpoint.protected.issued_at);
  return { proof: shaped, checkpoint, issuedAt, keyKnown };
}

export function expectLedger(
  { expected, findings }: VerifierContext,
  ledgerId: string,
  path: string,
) {
  if (expected.ledgerId !== undefined) {
    findings.check('anchor_ledger', path, ledgerId === expected.ledgerId);
  } else {
    findings.skipped('anchor_ledger', path, {
      says: `It is a checkpoint of the ledger ${ledgerId}; whether that is the ledger you mean was not compared.`,
      decisive: false,
    });
  }
}

/** Step 5 of §4.3: the service's statement about the store is compared with the store. */
function compareWithStore(
  { copies, findings, log }: VerifierContext,
  proof: AnchorProof,
  { ledger_id, generation, sequence }: AuditCheckpoint,
  path: string,
): boolean {
  if (copies === null) {
    findings.skipped('anchor_store', `${path}/checkpoint`, {
      says: 'The anchor store was not looked into, so only the service says that it accepted this checkpoint.',
      // Witnesses vouch as well.
      decisive: log?.isWitnessed !== true,
    });
    return false;
  }
  const copy = copies.copy(ledger_id, generation, sequence);
  const same = copy !== null && isText(copy.bytes, canonicalText(proof.checkpoint));
  const keyKnown = copy !== null && copy.key === proof.acceptance.key;
  findings.check('anchor_store', `${path}/checkpoint`, same && keyKnown, {
    ...(copy === null ? { detail: 'It has nothing in that place.' } : {}),
    ...(same && !keyKnown ? { detail: 'It holds it under another key than the proof names.' } : {}),
  });
  return same && keyKnown;
}

/** Byte for byte: decoding would let several spellings pass. */
export function isText(bytes: Uint8Array, text: string): boolean {
  const wanted = new TextEncoder().encode(text);
  return wanted.length === bytes.length && wanted.every((byte, at) => byte === bytes[at]);
}

function firstDigest(proof: unknown): string {
  const nodes = isJsonObject(proof) ? proof['proof'] : undefined;
  const first: unknown = Array.isArray(nodes) ? nodes[0] : undefined;
  return isJsonObject(first) && typeof first['record_digest'] === 'string'
    ? first['record_digest']
    : '';
}
