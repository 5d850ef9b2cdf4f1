import type { LegalHoldSet } from '../records/index.js';
import type { VerifierContext } from './context.js';
import { isOf } from './record.js';
import type { CheckedRecord } from './record.js';

interface KnownHold {
  readonly set: LegalHoldSet;
  readonly isLifted: boolean;
}

/** A deletion is decided, and stored a moment later: as long before the end of a hold it may say that it was. */
const MOST_UNDER_WAY_MS = 60_000;

/**
 * Whether the holds in a range of the ledger only grow, and end by another custodian than the one who set them, and no material
 * that they keep was discarded meanwhile (protocol §20.5). `complete`: nothing came before, so that a hold begins with its first revision.
 */
export function checkHolds(
  findings: VerifierContext['findings'],
  records: readonly CheckedRecord[],
  complete: boolean,
): void {
  const holds = new Map<string, KnownHold>();
  for (const record of records) {
    if (isOf(record, 'LegalHoldSet')) {
      const known = holds.get(record.payload.id);
      const isFirst = known === undefined && (!complete || record.payload.revision === 1);
      const follows = known !== undefined && mayFollow(known, record.payload);
      findings.check('range_holds', record.path, isFirst || follows);
      holds.set(record.payload.id, { set: record.payload, isLifted: false });
    }
    if (isOf(record, 'LegalHoldLifted')) {
      const { id, lifted_by, set_by } = record.payload;
      const known = holds.get(id);
      const isOfSetter = known === undefined ? !complete : known.set.set_by === set_by;
      const holdsStill = known?.isLifted !== true;
      findings.check('range_holds', record.path, isOfSetter && holdsStill && lifted_by !== set_by);
      if (known !== undefined) holds.set(id, { ...known, isLifted: true });
    }
    if (isOf(record, 'MaterialDiscarded')) {
      const { request_id: request } = record.payload;
      const at = Date.parse(record.header.issued_at);
      const keeps = [...holds.values()].filter((hold) => isKept(hold, request, at));
      if (keeps.length > 0) findings.check('range_holds', record.path, false);
    }
  }
}

function isKept({ set, isLifted }: KnownHold, request: string, at: number): boolean {
  const isHeld = set.requests.some(({ id }) => id === request);
  return isHeld && !isLifted && at + MOST_UNDER_WAY_MS < Date.parse(set.until);
}

function mayFollow({ set, isLifted }: KnownHold, next: LegalHoldSet): boolean {
  const held = new Map(next.requests.map(({ id, digest }) => [id, digest]));
  return (
    !isLifted &&
    next.revision === set.revision + 1 &&
    Date.parse(next.until) >= Date.parse(set.until) &&
    set.requests.every(({ id, digest }) => held.get(id) === digest)
  );
}
