import type { ApprovalFacts } from '@countersign/protocol';
import type { StoredRequest } from '@countersign/database';

/** A request that several people decide. */
export type ApprovedRequest = StoredRequest & ApprovalFacts;
