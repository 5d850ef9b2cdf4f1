import {
  CHAIN_START,
  canonicalText,
  chainHead,
  signRecord,
  textDigest,
} from '@countersign/protocol';
import type {
  AnchorProof,
  ChainPoint,
  LedgerEntry,
  PayloadOf,
  RecordHeader,
  RecordType,
  Signed,
} from '@countersign/protocol';
import { ISSUER, signer } from './keys.js';
import type { KeyName } from './keys.js';

export const TENANT = 'acme';
export const LEDGER_ID = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
export const GENERATION = '7d444840-9dc0-41d1-b245-5ffdce74fad2';

/** Epoch milliseconds of an hour of 1 May 2026, the day of all scenarios. */
export function clock(time: string): number {
  return Date.parse(`2026-05-01T${time}Z`);
}

export function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** Ids that look like UUIDs and are the same every time. */
export function uuid(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}

export type Header = Pick<RecordHeader, 'purpose' | 'profiles' | 'audience' | 'issuedAt'>;

export function sign<Type extends RecordType>(
  type: Type,
  header: Header & Partial<Pick<RecordHeader, 'tenant' | 'issuer'>>,
  payload: PayloadOf<Type>,
  key = signer('k-2026-01'),
): Signed {
  return signRecord(key, { issuer: ISSUER, tenant: TENANT, ...header, type }, payload);
}

/** The chain of the tenant, and the anchor store beside it. */
export interface Ledger {
  readonly entries: LedgerEntry[];
  /** The content of the store, by its keys. */
  readonly store: Record<string, string>;
  append(record: Signed, requestId: string | null): LedgerEntry;
  /** Anchors everything so far; proves the entry that is named. */
  anchor(at: number, from: LedgerEntry): AnchorProof;
}

export function newLedger(ledgerId: string = LEDGER_ID, signs: KeyName = 'k-2026-01'): Ledger {
  const entries: LedgerEntry[] = [];
  const store: Record<string, string> = {};
  let end: ChainPoint = CHAIN_START;
  return {
    entries,
    store,
    append({ text, digest, record }, requestId) {
      const sequence = end.sequence + 1;
      const head = chainHead(end.head, digest, sequence);
      const entry: LedgerEntry = {
        tenant: TENANT,
        sequence: String(sequence),
        request_id: requestId,
        previous_head: end.head,
        head,
        record_digest: digest,
        record: text,
        created_at: record.protected.issued_at,
      };
      entries.push(entry);
      end = { sequence, head };
      return entry;
    },
    anchor(at, from) {
      const { sequence, head } = end;
      const checkpoint = sign(
        'AuditCheckpoint',
        {
          purpose: 'service',
          profiles: {},
          audience: 'proto.audit',
          tenant: ledgerId,
          issuedAt: at,
        },
        { ledger_id: ledgerId, generation: GENERATION, sequence, head: head as `sha256:${string}` },
        signer(signs),
      );
      const key = `checkpoints/${ledgerId}/${GENERATION}/${String(sequence).padStart(16, '0')}.json`;
      store[key] = checkpoint.text;
      return {
        checkpoint: checkpoint.record,
        acceptance: {
          backend: 'files',
          key,
          version_id: '1',
          digest: textDigest(canonicalText(checkpoint.record)),
          retained_until: iso(at + 90 * 86_400_000),
        },
        proof: entries.slice(Number(from.sequence) - 1).map((entry) => ({
          sequence: Number(entry.sequence),
          previous_head: entry.previous_head,
          record_digest: entry.record_digest,
          head: entry.head,
        })),
      };
    },
  };
}
