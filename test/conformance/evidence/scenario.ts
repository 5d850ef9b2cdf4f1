import type { DecisionCandidate, PayloadOf, RecordType } from '@countersign/protocol';
import type { KeyName } from './keys.js';
import type { Kind } from './request.js';
import type { Votes } from './voting.js';

/** A lifecycle for the tests; by default an execution from its request to its outcome. */
export interface Scenario extends Kind {
  readonly decision?: DecisionCandidate['decision'];
  /** Its last step; by default `reported`, and `anchored` for a review. */
  readonly until?: 'asked' | 'decided' | 'anchored' | 'claimed' | 'admitted' | 'reported';
  readonly admissions?: number;
  readonly reconciliations?: number;
  readonly discarded?: boolean;
  /** Wrong members of the frozen candidate. */
  readonly candidate?: Partial<DecisionCandidate>;
  /** The service wrongly claims a second time. */
  readonly secondClaim?: boolean;
  /** The service wrongly accepts a second outcome. */
  readonly secondOutcome?: boolean;
  /** Wrong payloads that the service signs, by type; later records build on them. */
  readonly amend?: {
    readonly [Type in RecordType]?: (payload: PayloadOf<Type>) => PayloadOf<Type>;
  };
  /** The signing key by type, where it is not the usual one. */
  readonly keys?: { readonly [Type in RecordType]?: KeyName };
  /** Times of day of records that are issued at an unusual time. */
  readonly at?: {
    readonly confirmed?: string;
    readonly anchored?: string;
    readonly claimed?: string;
    readonly admitted?: string;
    readonly reported?: string;
  };
  /** Several people decide. */
  readonly votes?: Votes;
  /** Entries of others between those of this request, as in a real ledger. */
  readonly neighbours?: boolean;
}
