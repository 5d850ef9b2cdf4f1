import type { CallerKind } from '@countersign/protocol';
import type { Credentials } from '../support/client.js';

/** Somebody who calls, or nobody. */
export interface Caller {
  readonly name: string;
  readonly kind: CallerKind | null;
  /** Id of the principal; '' for nobody. */
  readonly id: string;
  readonly tenant: string;
  readonly credentials: Credentials;
}
