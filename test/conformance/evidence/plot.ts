import type { DecisionCandidate, PayloadOf, RecordType } from '@countersign/protocol';
import type { KeyName } from './keys.js';
import type { Kind } from './request.js';

/** How a story goes; without anything said it is an execution from the question to its outcome. */
export interface Plot extends Kind {
  readonly decision?: DecisionCandidate['decision'];
  /** How far it goes; `reported` unless said otherwise, and `anchored` for a review. */
  readonly until?: 'asked' | 'decided' | 'anchored' | 'claimed' | 'admitted' | 'reported';
  readonly admissions?: number;
  readonly reconciliations?: number;
  readonly discarded?: boolean;
  /** Members of the candidate that are frozen otherwise than they should. */
  readonly candidate?: Partial<DecisionCandidate>;
  /** The service claims a second time, which it never may. */
  readonly secondClaim?: boolean;
  /** The service takes a second outcome, which it never may. */
  readonly secondOutcome?: boolean;
  /** What the service signs otherwise than it should, by types; later records rest on that. */
  readonly amend?: {
    readonly [Type in RecordType]?: (payload: PayloadOf<Type>) => PayloadOf<Type>;
  };
  /** Who signs what, where it is not the one key of most stories. */
  readonly keys?: { readonly [Type in RecordType]?: KeyName };
  /** Times of day of records that are issued at another moment than usual. */
  readonly at?: {
    readonly confirmed?: string;
    readonly anchored?: string;
    readonly claimed?: string;
    readonly admitted?: string;
    readonly reported?: string;
  };
  /** Entries of others between those of this request, as in a real ledger. */
  readonly neighbours?: boolean;
}
