import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import {
  Digest,
  Identifier,
  MillisecondTimestamp,
  Timestamp,
  Uuid,
  closed,
  named,
  text,
} from './primitives.js';

const MOST_REQUESTS = 200;

/** What a custodian wants held, and until when (protocol §20.2). */
export const LegalHoldInput = named('LegalHoldInput', {
  requests: Type.Array(Uuid, { minItems: 1, maxItems: MOST_REQUESTS, uniqueItems: true }),
  /** Of the case, such as a file number. It stays in the ledger. */
  reference: text(1, 160),
  until: Timestamp,
});
export type LegalHoldInput = Static<typeof LegalHoldInput>;

/** The reason of a lift goes into the log and not into a record (protocol §20.3). */
export const LiftInput = named('LiftInput', { reason: text(1, 300) });
export type LiftInput = Static<typeof LiftInput>;

/** A hold as one custodian set it (protocol §20.2). */
export const LegalHoldSet = named('LegalHoldSet', {
  id: Uuid,
  revision: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  /** In the order of their ids; `digest` is the value digest of the request. */
  requests: Type.Array(closed({ id: Uuid, digest: Digest }), {
    minItems: 1,
    maxItems: MOST_REQUESTS,
  }),
  reference: text(1, 160),
  until: MillisecondTimestamp,
  /** Principal id. */
  set_by: Identifier,
  set_at: MillisecondTimestamp,
});
export type LegalHoldSet = Static<typeof LegalHoldSet>;

/** The end of a hold before its time, by another custodian (protocol §20.3). */
export const LegalHoldLifted = named('LegalHoldLifted', {
  id: Uuid,
  reference: text(1, 160),
  lifted_by: Identifier,
  /** Of the revision that was in force. */
  set_by: Identifier,
  lifted_at: MillisecondTimestamp,
});
export type LegalHoldLifted = Static<typeof LegalHoldLifted>;
