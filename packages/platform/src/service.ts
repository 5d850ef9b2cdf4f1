import type { Bus } from './bus/types.js';
import type { Logger } from './log.js';
import type { MessageVerifier } from './messages/index.js';

/** The services that every service behind the gateway needs. */
export interface ServiceRuntime {
  readonly bus: Bus;
  readonly verifier: MessageVerifier;
  readonly log: Logger;
}

/** Hints between services: the receiver reads the state itself; a lost one costs a poll. */
export const HINTS = {
  /** A tenant has committed records that are not chained yet. */
  outbox: 'countersign.hint.outbox',
  /** A decision of a tenant waits for its anchor: it is to be chained, or can have its checkpoint now. */
  decided: 'countersign.hint.decided',
  /** A tenant has a checkpoint that is not anchored yet. */
  checkpoint: 'countersign.hint.checkpoint',
  /** A tenant's chain has grown: there may be deliveries to create. */
  grown: 'countersign.hint.grown',
} as const;
