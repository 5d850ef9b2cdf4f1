import type { IncomingHttpHeaders } from 'node:http';

import { HINTS } from '@countersign/platform';
import type { BusReply } from '@countersign/platform';
import { LONG_POLLS } from '@countersign/protocol';
import type { EventPage, Operation, RequestStatus } from '@countersign/protocol';

import { etagOf, isKnown } from './etag.js';
import type { Pace } from './long-polls.js';

/** What a caller wants to wait for (protocol §6.5). */
export interface WaitPreference {
  readonly seconds: number;
  /** The hint after which there may be an answer that is new. */
  readonly hint: string;
  readonly pace?: Pace;
  isNew(reply: BusReply): boolean;
}

/** A page of many requests costs more than one request: its held calls look less often. */
const PAGE_PACE: Pace = { lookMs: 5_000, restMs: 1_000 };

/**
 * The preference `wait` (RFC 7240 §4.3) of a call, or null: without one, outside 1 to 30 s, of an operation that does not
 * wait, and without the state that the caller knows. A preference is never refused.
 */
export function readWait(
  { waits }: Pick<Operation, 'waits'>,
  headers: IncomingHttpHeaders,
  params: Readonly<Record<string, string>>,
): WaitPreference | null {
  const preference = readPrefer(headers['prefer']);
  if (waits === null || preference === null) return null;
  const { seconds, revision } = preference;
  switch (waits) {
    case 'revision': {
      if (revision === null) return null;
      const isNew = ({ body }: BusReply) => (JSON.parse(body) as RequestStatus).revision > revision;
      return { seconds, hint: HINTS.outbox, isNew };
    }
    case 'event': {
      const after = Number(params['after']);
      // Events that are gone have numbers too: the reader's cursor moves past them.
      const isNew = ({ body, bytes }: BusReply) =>
        bytes !== undefined || (JSON.parse(body) as EventPage).next > after;
      return { seconds, hint: HINTS.grown, isNew };
    }
    case 'etag': {
      const known = headers['if-none-match'];
      if (known === undefined) return null;
      const isNew = ({ body }: BusReply) => !isKnown(known, etagOf(body));
      return { seconds, hint: HINTS.outbox, isNew };
    }
  }
}

/** As {@link readWait}, of a list whose answers have entity tags. */
export function readWaitOfList(headers: IncomingHttpHeaders): WaitPreference | null {
  const wait = readWait({ waits: 'etag' }, headers, {});
  return wait && { ...wait, pace: PAGE_PACE };
}

interface Prefer {
  readonly seconds: number;
  readonly revision: number | null;
}

/** `wait=25` or `wait=25; revision=2` among other preferences; the first `wait` counts (RFC 7240 §2). */
function readPrefer(header: string | readonly string[] | undefined): Prefer | null {
  if (typeof header !== 'string') return null;
  for (const preference of header.split(',')) {
    const [first = '', ...parameters] = preference.split(';');
    const wait = valueOf('wait', first);
    if (wait === undefined) continue;
    const { least, most } = LONG_POLLS.seconds;
    if (wait === null || wait < least || wait > most) return null;
    const [revision] = parameters.flatMap((each) => valueOf('revision', each) ?? []);
    return { seconds: wait, revision: revision ?? null };
  }
  return null;
}

/** The number in `name=number`, null for another value, undefined for another name. */
function valueOf(name: string, text: string): number | null | undefined {
  const [given = '', value = ''] = text.split('=', 2);
  if (given.trim().toLowerCase() !== name) return undefined;
  const digits = /^\s*("?)(\d{1,15})\1\s*$/.exec(value)?.[2];
  return digits === undefined ? null : Number(digits);
}
