import { verify } from 'node:crypto';
import { isJsonObject } from '../json/value.js';
import { parseTimestamp } from '../records/index.js';
import { serviceOfKey } from '../signing/index.js';
import type { Trust } from '../signing/index.js';

/** Where the chain of a security log stood. */
export interface SecurityCheckpoint {
  /** Origin of the service. */
  readonly issuer: string;
  readonly ledgerId: string;
  readonly generation: string;
  readonly sequence: number;
  readonly head: string;
  /** Epoch milliseconds. */
  readonly issuedAt: number;
}

/** As it is stored and served: the signed text with its signature. */
export interface SignedSecurityCheckpoint {
  /** Of the ledger service. */
  readonly key_id: string;
  /** Ed25519 over the bytes of `statement`, base64url. */
  readonly signature: string;
  readonly statement: string;
}

const DOMAIN = 'countersign/security-checkpoint/v1';
const UUID = '[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}';
const STATEMENT = new RegExp(
  `^${DOMAIN}\\n(https?://[^\\s]{1,300})\\n(${UUID})\\n(${UUID})\\n([1-9]\\d{0,15})\\n(sha256:[a-f0-9]{64})\\n(\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z)\\n$`,
);

/**
 * The text that is signed. Its first line names its kind: a record's preimage is a JSON object and the head of a tree
 * begins with an origin, so neither can be read as the other.
 */
export function securityStatement(checkpoint: SecurityCheckpoint): string {
  const { issuer, ledgerId, generation, sequence, head, issuedAt } = checkpoint;
  const time = new Date(issuedAt).toISOString();
  return [DOMAIN, issuer, ledgerId, generation, String(sequence), head, time, ''].join('\n');
}

/** Reads such a text; null when it is none. */
export function readSecurityStatement(text: string): SecurityCheckpoint | null {
  const [, issuer, ledgerId, generation, digits, head, time = ''] = STATEMENT.exec(text) ?? [];
  const sequence = Number(digits);
  const issuedAt = parseTimestamp(time);
  if (issuer === undefined || ledgerId === undefined || generation === undefined) return null;
  if (head === undefined || issuedAt === null || !Number.isSafeInteger(sequence)) return null;
  return { issuer, ledgerId, generation, sequence, head, issuedAt };
}

/** Whether these bytes are such a statement and nothing else: a text that the ledger's key may sign beside records. */
export function isSecurityStatement(preimage: Uint8Array): boolean {
  const text = Buffer.from(preimage).toString();
  return Buffer.from(text).equals(preimage) && readSecurityStatement(text) !== null;
}

export type SecurityCheckpointReason =
  | 'malformed_checkpoint'
  | 'issuer_mismatch'
  | 'key_not_for_type'
  | 'unknown_key'
  | 'key_not_yet_valid'
  | 'key_expired'
  | 'key_revoked'
  | 'malformed_signature'
  | 'wrong_signature';

export type SecurityCheckpointVerification =
  | { readonly ok: true; readonly checkpoint: SecurityCheckpoint }
  | { readonly ok: false; readonly reason: SecurityCheckpointReason };

/** Verifies a stored or served checkpoint against the manifest that the verifier trusts. */
export function verifySecurityCheckpoint(
  value: unknown,
  trust: Trust,
): SecurityCheckpointVerification {
  const refused = (reason: SecurityCheckpointReason) => ({ ok: false, reason }) as const;
  if (!isSigned(value)) return refused('malformed_checkpoint');
  const checkpoint = readSecurityStatement(value.statement);
  if (checkpoint === null) return refused('malformed_checkpoint');
  if (checkpoint.issuer !== trust.issuer) return refused('issuer_mismatch');
  // Protocol R36: a key of another service signs nothing of the ledger's.
  const service = serviceOfKey(value.key_id);
  if (service !== null && service !== 'ledger') return refused('key_not_for_type');
  const key = trust.keys.get(value.key_id);
  if (key === undefined) return refused('unknown_key');
  if (checkpoint.issuedAt < key.notBefore) return refused('key_not_yet_valid');
  if (checkpoint.issuedAt >= key.notAfter) return refused('key_expired');
  if (key.revokedAt !== null && checkpoint.issuedAt >= key.revokedAt) return refused('key_revoked');
  const signature = Buffer.from(value.signature, 'base64url');
  if (signature.length !== 64 || signature.toString('base64url') !== value.signature) {
    return refused('malformed_signature');
  }
  return verify(null, Buffer.from(value.statement), key.publicKey, signature)
    ? { ok: true, checkpoint }
    : refused('wrong_signature');
}

function isSigned(value: unknown): value is SignedSecurityCheckpoint {
  return (
    isJsonObject(value) &&
    Object.keys(value).sort().join() === 'key_id,signature,statement' &&
    Object.values(value).every((member) => typeof member === 'string')
  );
}
