import {
  INBOX_DECISIONS,
  INBOX_SIZES,
  INBOX_SORTS,
  INBOX_TABS,
  Refusal,
  jsonText,
} from '@countersign/protocol';
import type { DecisionRequest, INBOX_READ, InboxItem, InboxPage } from '@countersign/protocol';
import { requireCaller } from '@countersign/database';
import { answer, isId } from '@countersign/platform';
import type { AdminCall } from '@countersign/platform';
import type { RequestDeps } from '../deps.js';
import { wordsOf } from '../search-words.js';
import { statesIn } from '../status-view.js';
import type { Behind } from '../store/admin-reads.js';
import type { InboxRow, InboxRows, PastRows } from '../store/inbox.js';

/** Later than any request: 9999-12-31. */
const LATEST = 253_402_300_799_999;
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/**
 * `request.inbox`: what waits for a person on the routes that name them as a reviewer, or what is over there (decisions/0025).
 * The answer holds no time of its own: it is the same text as long as nothing is new.
 */
export function inbox(deps: RequestDeps) {
  return async ({ caller, params }: AdminCall<typeof INBOX_READ>) => {
    const revision = await deps.directory.revision(caller.tenant);
    const { kind } = await requireCaller(deps.directory, caller, revision);
    if (kind !== 'human') throw new Refusal('human_required');
    const tab = oneOf(INBOX_TABS, 'tab', params.tab) ?? 'waiting';
    const filter = {
      route: params.route ?? null,
      producer: params.producer ?? null,
      words: wordsOf(params.words),
      limit: limitOf(params.limit),
    };
    if (tab === 'mine' || tab === 'waiting') {
      const sort = oneOf(INBOX_SORTS, 'sort', params.sort) ?? 'deadline';
      const rows = await deps.inbox.waiting(caller, { ...filter, mine: tab === 'mine', sort });
      const { waiting, mine, matching } = rows;
      const more = rows.looked_at > INBOX_SIZES.waiting;
      return pageOf(rows, { waiting, mine, matching, more, next: null });
    }
    const past = {
      ...filter,
      decision: oneOf(INBOX_DECISIONS, 'decision', params.decision) ?? null,
      by: oneOf(['me', 'others'] as const, 'by', params.by) ?? null,
    };
    const [rows, open] = await Promise.all([
      tab === 'decided'
        ? deps.inbox.decided(caller, past, receiptOf(params.after))
        : deps.inbox.ended(caller, past, behindOf(params.after)),
      deps.inbox.counts(caller),
    ]);
    const more = open.looked_at > INBOX_SIZES.waiting;
    const { waiting, mine } = open;
    return pageOf(rows, { waiting, mine, more, matching: null, next: nextOf(rows, filter.limit) });
  };
}

function pageOf(
  rows: InboxRows,
  counts: Pick<InboxPage, 'waiting' | 'mine' | 'matching' | 'more' | 'next'>,
) {
  const { routes, producers, reviews } = rows;
  const items = rows.items.map((row) => itemOf(row, rows));
  const page: InboxPage = { items, ...counts, routes, producers, reviews };
  return answer(200, jsonText(page));
}

function itemOf(row: InboxRow, { now, fence_reason }: InboxRows): InboxItem {
  const { id, purpose, route, producer, requester, frozen, replaces, assignment, outcome } = row;
  const due = row.grant_deadline === null ? null : Date.parse(row.grant_deadline);
  const states = statesIn({
    ...row,
    now,
    fence_reason,
    review_deadline: Date.parse(row.review_deadline),
    grant_deadline: due,
  });
  return {
    id,
    summary:
      row.canonical === null ? row.summary : (JSON.parse(row.canonical) as DecisionRequest).summary,
    purpose,
    route,
    producer,
    requester,
    accepted_at: stamp(row.accepted_at),
    deadline: stamp(row.review_deadline),
    ...states,
    assignment: assignment && { ...assignment, expires_at: stamp(assignment.expires_at) },
    frozen,
    outcome,
    replaces,
  };
}

const stamp = (text: string) => new Date(text).toISOString();

function nextOf(rows: PastRows, limit: number): string | null {
  if (rows.items.length === limit) return rows.last_shown;
  return rows.looked_at === INBOX_SIZES.past ? rows.last_looked_at : null;
}

function oneOf<Value extends string>(
  known: readonly Value[],
  name: string,
  given: string | undefined,
): Value | undefined {
  const found = known.find((value) => value === given);
  if (given === undefined || found !== undefined) return found;
  throw new Refusal('invalid_state', { detail: `“${name}” is one of ${known.join(', ')}.` });
}

function limitOf(given: string | undefined): number {
  if (given === undefined) return INBOX_SIZES.usual;
  const limit = Number(given);
  if (Number.isInteger(limit) && limit >= 1 && limit <= INBOX_SIZES.most) return limit;
  throw new Refusal('invalid_offset', {
    detail: `“limit” is a whole number from 1 to ${INBOX_SIZES.most}.`,
  });
}

const badPlace = () =>
  new Refusal('invalid_offset', { detail: '“after” is the “next” of the page before.' });

function receiptOf(after: string | undefined): string {
  if (after === undefined) return LAST_ID;
  if (!isId(after)) throw badPlace();
  return after;
}

/** `<milliseconds>/<id>` of the last item of the page before. */
function behindOf(after: string | undefined): Behind {
  if (after === undefined) return { at: LATEST, id: FIRST_ID };
  const [at = '', id = ''] = after.split('/', 2);
  if (!/^\d{1,15}$/.test(at) || !isId(id)) throw badPlace();
  return { at: Number(at), id };
}
