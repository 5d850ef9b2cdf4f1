import { SECONDS } from '@countersign/protocol';
import type { AnchorAcceptance } from '@countersign/protocol';

/** A signed checkpoint on its way to the store that a restored backup cannot rewrite. */
export interface CheckpointToAnchor {
  readonly ledgerId: string;
  readonly generation: string;
  readonly sequence: number;
  /** JCS text of the AuditCheckpoint record: the exact stored text. */
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

/** Why a checkpoint was not accepted (protocol §4.2). */
export class AnchorError extends Error {
  override readonly name = 'AnchorError';
  constructor(
    readonly fault: AnchorFault,
    options?: ErrorOptions,
  ) {
    super(fault, options);
  }
}

/** The store can never meet the protocol's requirements: waiting does not help, a change does. */
export class AnchorStoreUnfit extends Error {
  override readonly name = 'AnchorStoreUnfit';
}

/** Create-only, versioned, apart from the database (protocol §4.2). Accepting identical content again succeeds. */
export interface AnchorStore {
  /**
   * Whether it may be used at all, asked once at the start.
   *
   * @throws AnchorStoreUnfit when it may not; AnchorError `anchor_unavailable` when it does not say
   */
  check(): Promise<void>;
  accept(checkpoint: CheckpointToAnchor): Promise<AnchorAcceptance>;
  history(ledgerId: string, generation: string): Promise<KeptCheckpoint[]>;
  /** The part of the history from `sequence` on, ascending, at most 1000. */
  since(ledgerId: string, generation: string, sequence: number): Promise<KeptCheckpoint[]>;
}

export interface KeptCheckpoint {
  readonly sequence: number;
  readonly head: string;
}

/** The store contradicts the ledger: no further authority until an operator's recovery (protocol §4.2, R18). */
export const FENCING_FAULTS: ReadonlySet<string> = new Set<AnchorFault>([
  'anchor_conflict',
  'anchor_version_conflict',
  'anchor_deleted_version',
  'anchor_history_invalid',
]);

export const MOST_KEPT = 1000;

/** Locked retention: at least 90 days from `issued_at`. */
export const RETENTION_MS = SECONDS.anchorRetention * 1000;

/** `<prefix>/<ledger_id>/<generation>/<sequence, 16 digits>.json` */
export function anchorKey(
  prefix: string,
  {
    ledgerId,
    generation,
    sequence,
  }: Pick<CheckpointToAnchor, 'ledgerId' | 'generation' | 'sequence'>,
): string {
  return `${prefix}/${ledgerId}/${generation}/${anchorName(sequence)}`;
}

function anchorName(sequence: number): string {
  return `${String(sequence).padStart(16, '0')}.json`;
}

/**
 * The head of the chain in a stored checkpoint. `name` is the last part of its key.
 *
 * @throws AnchorError `anchor_history_invalid` when it is no checkpoint, or not the one of that name
 */
export function headIn(text: string, name: string): KeptCheckpoint {
  try {
    const { payload } = JSON.parse(text) as { payload: { sequence: number; head: string } };
    if (anchorName(payload.sequence) === name && typeof payload.head === 'string') {
      return { sequence: payload.sequence, head: payload.head };
    }
  } catch (error) {
    throw new AnchorError('anchor_history_invalid', { cause: error });
  }
  throw new AnchorError('anchor_history_invalid');
}
