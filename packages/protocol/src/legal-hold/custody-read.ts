// The holds of a tenant for the page of custodians, outside /v2 and outside the interface (decisions/0042). Only for custodians.

/** `after`: id of the last hold of the page before. */
export const CUSTODY_READ = {
  name: 'ledger.custody',
  path: '/custody/data/holds',
  query: ['after'],
  input: null,
} as const;

/** A request of a hold. */
export interface CustodyRequest {
  readonly id: string;
  /** Null once the request was deleted, after the hold. */
  readonly summary: string | null;
}

/** One reading of a held request, of the security log. */
export interface CustodyReading {
  readonly request: string;
  /** Principal id. */
  readonly by: string;
  readonly at: string;
}

export interface CustodyHold {
  readonly id: string;
  readonly revision: number;
  readonly reference: string;
  readonly until: string;
  readonly set_by: string;
  readonly set_at: string;
  /** Null for a hold that was not lifted. */
  readonly lifted: { readonly by: string; readonly at: string } | null;
  readonly in_force: boolean;
  readonly requests: readonly CustodyRequest[];
  /** The newest, the newest first. */
  readonly readings: readonly CustodyReading[];
}
