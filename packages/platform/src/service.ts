import type { Bus } from './bus/types.js';
import type { Logger } from './log.js';
import type { MessageVerifier } from './messages/index.js';

/** What every service behind the gateway runs on. */
export interface ServiceRuntime {
  readonly bus: Bus;
  readonly verifier: MessageVerifier;
  readonly log: Logger;
}

/** Hints between services: the receiver reads the state itself; a lost one costs a poll. */
export const HINTS = {
  /** A tenant has committed records that are not chained yet. */
  outbox: 'countersign.hint.outbox',
  /** A tenant has a checkpoint that is not anchored yet. */
  checkpoint: 'countersign.hint.checkpoint',
  /** A tenant's chain has grown: there may be something to tell somebody. */
  grown: 'countersign.hint.grown',
} as const;
