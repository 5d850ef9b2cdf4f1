import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  LEDGER_REASONS,
  PROOF_REASONS,
  loadTrust,
  valueDigest,
  verifyAnchorProof,
  verifyLedgerRange,
  verifyRecord,
} from '@countersign/protocol';
import type {
  AnchorProof,
  AuditCheckpoint,
  ChainPoint,
  ExpectedRecord,
  LedgerEntry,
  SignedRecord,
  Trust,
} from '@countersign/protocol';
import { PlainError } from '@countersign/deploy/plain-error';
import type { DemoFile } from '../launcher/demo-file.js';

/** Trusts no answer of the service: everything is recomputed under the trust manifest on disk. */
export interface Verifier {
  /** The signature of a record of this tenant for that audience; returns its payload. */
  record<T>(
    record: SignedRecord,
    expected: Pick<ExpectedRecord, 'type' | 'audience' | 'purpose'>,
  ): T;
  /** The way from a receipt to a checkpoint, and the anchor store's own copy of that. */
  anchor(proof: AnchorProof, receipt: SignedRecord): AuditCheckpoint;
  /** A stretch of the chain that continues `from` and passes through `points`; returns its end. */
  ledger(entries: readonly LedgerEntry[], from: ChainPoint, points: ChainPoint[]): ChainPoint;
  same(what: string, expected: unknown, actual: unknown): void;
}

export function newVerifier(demo: DemoFile): Verifier {
  const trust: Trust = loadTrust(JSON.parse(readFileSync(demo.trust, 'utf8')), demo.origin);
  return {
    record<T>(
      record: SignedRecord,
      expected: Pick<ExpectedRecord, 'type' | 'audience' | 'purpose'>,
    ) {
      const verified = verifyRecord(record, trust, {
        ...expected,
        tenant: demo.tenant,
        now: Date.now(),
      });
      if (!verified.ok)
        throw new PlainError(`${record.protected.type}: ${PROOF_REASONS[verified.reason]}`);
      return verified.record.payload as T;
    },
    anchor(proof, receipt) {
      const copy = join(dirname(demo.trust), 'anchor', proof.acceptance.key);
      const verified = verifyAnchorProof(proof, trust, {
        recordDigest: valueDigest(receipt),
        now: Date.now(),
        ...(existsSync(copy) ? { storedCopy: readFileSync(copy) } : {}),
      });
      if (!verified.ok) throw new PlainError(`anchor proof: ${PROOF_REASONS[verified.reason]}`);
      if (!verified.storeChecked) throw new PlainError(`The anchor store has no ${copy}.`);
      return verified.checkpoint;
    },
    ledger(entries, from, points) {
      const verified = verifyLedgerRange(entries, trust, {
        tenant: demo.tenant,
        points,
        from,
      });
      if (verified.ok) return verified.end;
      throw new PlainError(`ledger entry ${verified.sequence}: ${LEDGER_REASONS[verified.reason]}`);
    },
    same(what, expected, actual) {
      if (expected !== actual)
        throw new PlainError(`${what} should be ${String(expected)}, but is ${String(actual)}.`);
    },
  };
}
