import { canonicalText, textDigest } from '../json/canonical.js';
import { parseStrictJson } from '../json/strict-body.js';
import { isJsonObject } from '../json/value.js';
import type { JsonObject, JsonValue } from '../json/value.js';
import { parseTimestamp } from '../records/index.js';
import { SECURITY_KINDS, isSecurityKind, verifySecurityCheckpoint } from '../security-log/index.js';
import type { SecurityCheckpoint, SecurityEntry, SecurityEvent } from '../security-log/index.js';
import { chainHeadOrNull } from '../signing/chain.js';
import { DOCUMENT_LIMITS } from './context.js';
import type { VerifierContext } from './context.js';
import { plainText } from './plain-text.js';

interface Pages {
  readonly tenant: string;
  readonly ledgerId: string;
  readonly entries: readonly JsonValue[];
  readonly checkpoints: readonly JsonValue[];
}

/** A valid checkpoint and its source. */
interface Point {
  readonly checkpoint: SecurityCheckpoint;
  readonly text: string;
}

const ENTRY_MEMBERS = 'entry,head,previous_head,sequence';
const EVENT_MEMBERS = 'actor,detail,kind,request_id,source,subject,tenant,time';

/** Why pages of a security log do not have their shape, or null. */
export function securityLogFault(value: JsonObject): string | null {
  const pages = pagesOf(value);
  if (pages === null) return 'It does not have the members of pages of a security log.';
  const many = pages.entries.length > DOCUMENT_LIMITS.entries;
  return many ? `It has more than ${DOCUMENT_LIMITS.entries} entries.` : null;
}

/** Pages of a security log: its chain, the checkpoints that came with it, and those that the anchor store holds. */
export function checkSecurityLog(context: VerifierContext, value: JsonObject): void {
  const { findings, expected } = context;
  const pages = pagesOf(value);
  if (pages === null) return;
  const { tenant, ledgerId } = pages;
  const [first] = pages.entries;
  if (first === undefined) {
    const says = 'There are no entries, so nothing was checked.';
    findings.unknown('security_entry', '', { says });
    return;
  }
  if (expected.tenant !== undefined) {
    const path = '/security_log/tenant';
    findings.check('expected_tenant', path, expected.tenant === tenant);
  }
  if (expected.ledgerId !== undefined) {
    const path = '/security_log/ledger_id';
    findings.check('security_ledger', path, expected.ledgerId === ledgerId);
  }
  const entries = chainOf(context, pages);
  if (entries === null) return;
  const served = servedPoints(context, pages, entries);
  const stored = storedPoints(context, pages, entries, served);
  const proven = Math.max(0, ...[...served, ...stored].map((point) => point.checkpoint.sequence));
  for (const [at, entry] of entries.entries()) {
    const event = JSON.parse(entry.entry) as SecurityEvent;
    findings.add({
      at: event.time,
      says: wordsOf(event),
      path: `/entries/${at}`,
      proven: entry.sequence <= proven,
      brief: true,
    });
  }
}

/** The entries when every one of them continues the chain; the first that does not ends the check. */
function chainOf(
  { findings }: VerifierContext,
  { tenant, entries }: Pages,
): SecurityEntry[] | null {
  const chained: SecurityEntry[] = [];
  for (const [at, value] of entries.entries()) {
    const before = chained.at(-1);
    const fault = isEntry(value) ? entryFault(value, before, tenant) : 'malformed_entry';
    if (fault !== null) {
      findings.check('security_entry', `/entries/${at}`, false, { reason: fault });
      return null;
    }
    chained.push(value as unknown as SecurityEntry);
  }
  const [first, last] = [chained[0], chained.at(-1)];
  findings.check('security_entry', '', true, {
    detail: `Entries ${first?.sequence} to ${last?.sequence}.`,
  });
  if (first?.sequence !== 1) {
    findings.unknown('range_start', '/entries/0/previous_head', {
      says: `It begins with entry ${first?.sequence}; what came before is not in this file.`,
      decisive: false,
    });
  }
  return chained;
}

function entryFault(
  entry: SecurityEntry,
  before: SecurityEntry | undefined,
  tenant: string,
): string | null {
  const { sequence, previous_head, head, entry: text } = entry;
  if (before !== undefined) {
    if (sequence !== before.sequence + 1) return 'sequence_gap';
    if (previous_head !== before.head) return 'previous_head_mismatch';
  }
  if (chainHeadOrNull(previous_head, textDigest(text), sequence) !== head) return 'head_mismatch';
  const event = eventIn(text);
  if (event === null) return 'malformed_entry';
  return event['tenant'] === tenant ? null : 'tenant_mismatch';
}

/** The checkpoints of the file: each must be signed, of this log and on the chain. */
function servedPoints(
  context: VerifierContext,
  pages: Pages,
  entries: readonly SecurityEntry[],
): Point[] {
  const { findings } = context;
  const points = pages.checkpoints.flatMap((value, at) =>
    pointOf(context, pages, entries, value, `/checkpoints/${at}`),
  );
  const end = entries.at(-1)?.sequence ?? 0;
  const covered = Math.max(0, ...points.map(({ checkpoint }) => checkpoint.sequence));
  if (covered < end) {
    const from = Math.max(covered + 1, entries[0]?.sequence ?? 1);
    findings.unknown('security_checkpoint', '/checkpoints', {
      says: `No checkpoint in this file covers entries ${from} to ${end}.`,
      decisive: points.length === 0,
    });
  }
  return points;
}

function pointOf(
  { findings, trust }: VerifierContext,
  { ledgerId }: Pages,
  entries: readonly SecurityEntry[],
  value: JsonValue,
  path: string,
): Point[] {
  const verified = verifySecurityCheckpoint(value, trust);
  if (!verified.ok) {
    findings.check('security_checkpoint', path, false, { reason: verified.reason });
    return [];
  }
  const { checkpoint } = verified;
  const entry = entries[checkpoint.sequence - (entries[0]?.sequence ?? 1)];
  const fits = checkpoint.ledgerId === ledgerId && entry?.head === checkpoint.head;
  findings.check('security_checkpoint', path, fits, {
    ...(fits ? {} : { reason: 'checkpoint_mismatch' }),
    detail: `It covers the log up to entry ${checkpoint.sequence}.`,
  });
  return fits ? [{ checkpoint, text: canonicalText(value) }] : [];
}

/** The checkpoints that the anchor store holds for this range: signed, on the chain, and the same as those served. */
function storedPoints(
  context: VerifierContext,
  pages: Pages,
  entries: readonly SecurityEntry[],
  served: readonly Point[],
): Point[] {
  const { findings, copies, expected } = context;
  const store = copies?.security;
  if (store === undefined) {
    const says =
      'The anchor store was not looked into, so nothing outside this file says that the log was not rewritten.';
    findings.skipped('security_store', '', { says });
    return [];
  }
  const from = entries[0]?.sequence ?? 1;
  const end = from + entries.length - 1;
  const kept = store.within(expected.ledgerId ?? pages.ledgerId, from, end);
  const points = kept.flatMap(({ bytes, generation, sequence }): Point[] => {
    const path = `/entries/${sequence - from}/head`;
    const value = valueIn(bytes);
    const verified = value === undefined ? null : verifySecurityCheckpoint(value, context.trust);
    const text = new TextDecoder().decode(bytes);
    const twin = served.find(
      ({ checkpoint }) => checkpoint.sequence === sequence && checkpoint.generation === generation,
    );
    const holds =
      verified?.ok === true &&
      verified.checkpoint.sequence === sequence &&
      verified.checkpoint.generation === generation &&
      verified.checkpoint.ledgerId === pages.ledgerId &&
      verified.checkpoint.head === entries[sequence - from]?.head &&
      (twin === undefined || twin.text === text);
    findings.check('security_store', path, holds);
    return holds ? [{ checkpoint: verified.checkpoint, text }] : [];
  });
  const last = kept.at(-1)?.sequence ?? from - 1;
  if (last < end) {
    findings.unknown('security_store', `/entries/${last + 1 - from}`, {
      says: `The anchor store has no checkpoint over entries ${last + 1} to ${end}.`,
      decisive: kept.length === 0,
    });
  }
  return points;
}

function valueIn(bytes: Uint8Array): JsonValue | undefined {
  try {
    return parseStrictJson(bytes);
  } catch {
    return undefined;
  }
}

function eventIn(text: string): JsonObject | null {
  const value = valueIn(new TextEncoder().encode(text));
  if (!isJsonObject(value) || Object.keys(value).sort().join() !== EVENT_MEMBERS) return null;
  const { kind, source, time, actor, subject, request_id, detail } = value;
  const textOrNull = (member: JsonValue | undefined) =>
    member === null || typeof member === 'string';
  const isActor =
    actor === null ||
    (isJsonObject(actor) &&
      Object.keys(actor).sort().join() === 'id,kind' &&
      Object.values(actor).every((member) => typeof member === 'string'));
  const isShaped =
    typeof kind === 'string' &&
    typeof source === 'string' &&
    typeof time === 'string' &&
    parseTimestamp(time) !== null &&
    isActor &&
    textOrNull(subject) &&
    textOrNull(request_id) &&
    isJsonObject(detail);
  return isShaped && canonicalText(value) === text ? value : null;
}

function isEntry(value: JsonValue): value is JsonObject & SecurityEntry {
  if (!isJsonObject(value) || Object.keys(value).sort().join() !== ENTRY_MEMBERS) return false;
  const { sequence, previous_head, head, entry } = value;
  return (
    typeof sequence === 'number' &&
    [previous_head, head, entry].every((member) => typeof member === 'string')
  );
}

function pagesOf(value: JsonObject): Pages | null {
  const { security_log: log, entries, checkpoints } = value;
  const members = Object.keys(value).sort().join();
  const isShaped =
    ['checkpoints,entries,next,security_log', 'checkpoints,entries,security_log'].includes(
      members,
    ) &&
    isJsonObject(log) &&
    Object.keys(log).sort().join() === 'ledger_id,tenant';
  if (!isShaped || !Array.isArray(entries) || !Array.isArray(checkpoints)) return null;
  const { tenant, ledger_id: ledgerId } = log as JsonObject;
  if (typeof tenant !== 'string' || typeof ledgerId !== 'string') return null;
  return { tenant, ledgerId, entries, checkpoints };
}

function wordsOf({ kind, actor, subject, request_id, source }: SecurityEvent): string {
  const says = isSecurityKind(kind) ? SECURITY_KINDS[kind].says : kind;
  const about = [
    ...(subject === null ? [] : [`about ${subject}`]),
    ...(request_id === null ? [] : [`request ${request_id}`]),
    ...(actor === null ? [] : [`by ${actor.id} (${actor.kind})`]),
  ];
  return plainText(`${[says, ...about].join(', ')}; noted by ${source}`);
}
