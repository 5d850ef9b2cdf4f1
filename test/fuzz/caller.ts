import type { CallerKind } from '@countersign/protocol';
import type { Credentials } from '../support/client.js';

/** A caller; anonymous without a credential. */
export interface Caller {
  readonly name: string;
  readonly kind: CallerKind | null;
  /** Id of the principal; '' without a credential. */
  readonly id: string;
  readonly tenant: string;
  readonly credentials: Credentials;
}
