import { randomBytes, randomUUID } from 'node:crypto';
import type { Client } from '../../support/client.js';
import { inParallel } from '../../support/parallel.js';
import { ask } from '../matrix/asking.js';
import { OPERATIONS } from '../matrix/reading.js';
import { difference } from './sameness.js';
import type { Target } from './targets.js';

export interface Swept {
  readonly findings: readonly string[];
  readonly pairs: number;
}

/** Every operation on every request, by every caller who must not know of it, against one that does not exist. */
export async function sweepOperations(targets: readonly Target[]): Promise<Swept> {
  const operations = OPERATIONS.filter((name) => name !== 'list' && name !== 'outcomes again');
  const calls = targets.flatMap(({ scenario, built, strangers }) =>
    strangers.flatMap((stranger) =>
      operations.map((operation) => ({ scenario, built, stranger, operation })),
    ),
  );
  return pairs(calls, async ({ scenario, built, stranger, operation }, turn) => {
    const found = await ask(built, operation, stranger, turn);
    const missing = await ask({ ...built, id: missingId(turn) }, operation, stranger, turn);
    const said = difference(found.answer, missing.answer);
    const about = `${operation} by ${stranger.name} on ${built.situation.name}, ${scenario.name}`;
    return said === null ? null : `${about}: ${said}`;
  });
}

/** The very calls that led to a request, with the owner's own keys and bodies: stored answers are their callers' alone. */
export async function sweepStoredAnswers(targets: readonly Target[]): Promise<Swept> {
  const calls = targets.flatMap(({ built, strangers }) =>
    built.steps
      .filter(({ path }) => path.includes(built.id))
      .flatMap((step) => strangers.map((stranger) => ({ built, step, stranger }))),
  );
  return pairs(calls, async ({ built, step, stranger }, turn) => {
    const { call, path, body, key } = step;
    const found = await stranger.client.post(path, body, { key });
    const elsewhere = path.replace(built.id, missingId(turn));
    const missing = await stranger.client.post(elsewhere, body, { key });
    const said = difference(found, missing);
    return said === null ? null : `${call} with its key by ${stranger.name}: ${said}`;
  });
}

/** Ids in every wrong shape, even of the caller's own requests: 404, and never a failure of ours. */
export async function sweepShapes(targets: readonly Target[]): Promise<Swept> {
  const calls = targets.flatMap(({ scenario, built }) =>
    misshapen(built.id).map((id) => ({ owner: scenario.owner, id })),
  );
  return pairs(calls, async ({ owner, id }, turn) => {
    const found = await owner.get(`/v2/requests/${id}`, { undescribed: true });
    const missing = await owner.get(`/v2/requests/${missingId(turn)}`);
    const said = difference(found, missing);
    return said === null ? null : `${id}: ${said}`;
  });
}

function misshapen(id: string): readonly string[] {
  return [
    id.toUpperCase(),
    id.slice(1),
    `${id}0`,
    `%20${id.slice(1)}`,
    `${id}%00`,
    id.replaceAll('-', ''),
    '-'.repeat(36),
    'f'.repeat(36),
    `{${id}}`,
    '00000000-0000-0000-0000-000000000000',
  ];
}

/** Principals and routes by their ids, by every caller who is no operator: existing and missing ones are refused alike. */
export async function sweepConfiguration(
  callers: Readonly<Record<string, Client>>,
  known: { readonly principals: readonly string[]; readonly routes: readonly string[] },
): Promise<Swept> {
  const strangers = Object.entries(callers).filter(([name]) => !name.includes('operator'));
  const calls = Object.entries(known).flatMap(([what, ids]) =>
    ids.flatMap((id) => strangers.map(([name, client]) => ({ what, id, name, client }))),
  );
  return pairs(calls, async ({ what, id, name, client }) => {
    const put = (of: string) => client.put(`/v2/admin/${what}/${of}`, { id: of });
    const said = difference(await put(id), await put(`none-${randomUUID()}`));
    return said === null ? null : `${what} ${id} by ${name}: ${said}`;
  });
}

/** The page of a review, which needs a person. */
export async function sweepPages(targets: readonly Target[]): Promise<Swept> {
  const calls = targets.flatMap(({ built, strangers }) =>
    strangers
      .filter(({ client }) => client.credentials !== null && 'cookie' in client.credentials)
      .flatMap((stranger) =>
        ['text/html', 'application/json'].map((accept) => ({ built, stranger, accept })),
      ),
  );
  return pairs(calls, async ({ built, stranger, accept }, turn) => {
    const page = (id: string) => stranger.client.get(`/review/${id}`, { headers: { accept } });
    const [found, missing] = [await page(built.id), await page(missingId(turn))];
    const said = difference(withoutShownTrace(found), withoutShownTrace(missing));
    return said === null ? null : `page by ${stranger.name}: ${said}`;
  });
}

/** A page shows the trace of its call to the reader. */
function withoutShownTrace<T extends { readonly text: string }>(answer: T): T {
  return { ...answer, text: answer.text.replace(/\b[0-9a-f]{32}\b/g, 'trace') };
}

async function pairs<T>(
  calls: readonly T[],
  compare: (call: T, turn: number) => Promise<string | null>,
): Promise<Swept> {
  const findings = await inParallel(calls, 8, compare);
  return { findings: findings.filter((finding) => finding !== null), pairs: calls.length };
}

/** Of the forms that ids have: any, and one that says it was made just now. */
export function missingId(turn: number): string {
  if (turn % 2 === 0) return randomUUID();
  const time = Date.now().toString(16).padStart(12, '0');
  const rest = randomBytes(10).toString('hex');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${rest.slice(0, 3)}-8${rest.slice(3, 6)}-${rest.slice(6, 18)}`;
}
