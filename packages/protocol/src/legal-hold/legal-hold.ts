import { formatTimestamp, parseTimestamp } from '../records/index.js';
import type { LegalHoldInput, LegalHoldLifted, LegalHoldSet } from '../records/index.js';

/** The group of those who may hold; membership in it needs two operators (protocol §18.2, §20.1). */
export const CUSTODIANS = 'proto.custodians';

/** From the setting of a hold to its end at most, milliseconds: five years with two leap days (protocol §20.2). */
export const MOST_HELD_MS = 1827 * 86_400_000;

/** A hold as the service keeps it; null for one that was never set. */
export interface LegalHold {
  readonly set: LegalHoldSet;
  /** Digest of the person who set that revision. */
  readonly setter: string;
  readonly lifted: LegalHoldLifted | null;
}

export interface Custodian {
  /** Principal id. */
  readonly principal: string;
  /** Digest of the person (protocol §18.1). */
  readonly person: string;
}

/** Codes of the refusals (protocol §20.4). */
export type HoldRefusal =
  | 'invalid_LegalHoldInput'
  | 'identity_conflict'
  | 'not_found'
  | 'second_person_required';

/** A command's answer. `record` is null where nothing changes. */
export interface HoldStep<Recorded> {
  readonly refused: HoldRefusal | null;
  readonly next: LegalHold | null;
  readonly record: Recorded | null;
}

/** Whether the hold keeps its requests at this time, epoch milliseconds (protocol §20.3). */
export function isInForce({ set, lifted }: LegalHold, now: number): boolean {
  return lifted === null && now < timeOf(set.until);
}

/**
 * Sets a hold, or makes it larger or longer (protocol §20.2). The same content again changes nothing and answers with the
 * revision in force. A custodian cannot take a request out of a hold or end it earlier: that would be a lift by one person.
 *
 * @param digests value digests of the requests that are still there, by id
 * @param now epoch milliseconds
 */
export function setHold(
  known: LegalHold | null,
  id: string,
  { requests, reference, until }: LegalHoldInput,
  digests: ReadonlyMap<string, LegalHoldSet['requests'][number]['digest']>,
  by: Custodian,
  now: number,
): HoldStep<LegalHoldSet> {
  if (known !== null && known.lifted !== null) return refuse(known, 'identity_conflict');
  const end = timeOf(until);
  if (end <= now || end > now + MOST_HELD_MS) return refuse(known, 'invalid_LegalHoldInput');
  const before = known?.set;
  const isLess =
    before !== undefined &&
    (end < timeOf(before.until) || before.requests.some((held) => !requests.includes(held.id)));
  if (isLess) return refuse(known, 'invalid_LegalHoldInput');
  const held = [];
  for (const request of [...requests].sort()) {
    const digest = digests.get(request);
    if (digest === undefined) return refuse(known, 'not_found');
    held.push({ id: request, digest });
  }
  const isSame =
    before?.requests.length === held.length &&
    before.reference === reference &&
    timeOf(before.until) === end;
  if (isSame) return { refused: null, next: known, record: null };
  const set: LegalHoldSet = {
    id,
    revision: (before?.revision ?? 0) + 1,
    requests: held,
    reference,
    until: formatTimestamp(end),
    set_by: by.principal,
    set_at: formatTimestamp(now),
  };
  return { refused: null, next: { set, setter: by.person, lifted: null }, record: set };
}

/**
 * Lifts a hold before its end, by another person than the one who set the revision in force (protocol §20.3). A hold that was
 * lifted or ran out is none any more.
 *
 * @param now epoch milliseconds
 */
export function liftHold(
  known: LegalHold | null,
  by: Custodian,
  now: number,
): HoldStep<LegalHoldLifted> {
  if (known === null || !isInForce(known, now)) return refuse(known, 'not_found');
  const { id, reference, set_by } = known.set;
  if (by.person === known.setter || by.principal === set_by) {
    return refuse(known, 'second_person_required');
  }
  const lifted: LegalHoldLifted = {
    ...{ id, reference, lifted_by: by.principal, set_by },
    lifted_at: formatTimestamp(now),
  };
  return { refused: null, next: { ...known, lifted }, record: lifted };
}

function refuse(known: LegalHold | null, refused: HoldRefusal): HoldStep<never> {
  return { refused, next: known, record: null };
}

/** Of a text that its schema has accepted. */
function timeOf(text: string): number {
  const time = parseTimestamp(text);
  if (time === null) throw new TypeError('no time');
  return time;
}
