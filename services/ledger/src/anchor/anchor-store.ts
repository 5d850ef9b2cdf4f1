import type { AnchorAcceptance } from '@countersign/protocol';

/** A signed checkpoint on its way to the store that a restored backup cannot rewrite. */
export interface CheckpointToAnchor {
  readonly ledgerId: string;
  readonly generation: string;
  readonly sequence: number;
  /** JCS text of the AuditCheckpoint record: exactly what is stored. */
  readonly text: string;
  /** Epoch milliseconds. */
  readonly issuedAt: number;
}

export type AnchorFault =
  | 'anchor_conflict'
  | 'anchor_version_conflict'
  | 'anchor_deleted_version'
  | 'anchor_retention_invalid'
  | 'anchor_retention_expired'
  | 'anchor_history_invalid'
  | 'anchor_unavailable';

/** Why a checkpoint was not accepted (contract §4.2). */
export class AnchorError extends Error {
  override readonly name = 'AnchorError';
  constructor(
    readonly fault: AnchorFault,
    options?: ErrorOptions,
  ) {
    super(fault, options);
  }
}

/** Create-only, versioned, apart from the database (contract §4.2). Accepting identical content again succeeds. */
export interface AnchorStore {
  accept(checkpoint: CheckpointToAnchor): Promise<AnchorAcceptance>;
  history(ledgerId: string, generation: string): Promise<{ sequence: number; head: string }[]>;
}

/** Locked retention: at least 90 days from `issued_at`. */
export const RETENTION_MS = 90 * 86_400_000;

/** `<prefix>/<ledger_id>/<generation>/<sequence, 16 digits>.json` */
export function anchorKey(prefix: string, checkpoint: CheckpointToAnchor): string {
  const { ledgerId, generation, sequence } = checkpoint;
  return `${prefix}/${ledgerId}/${generation}/${String(sequence).padStart(16, '0')}.json`;
}
