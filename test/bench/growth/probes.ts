import { randomUUID } from 'node:crypto';
import { DECISION_STATES } from '@countersign/protocol';
import { requestBodies } from '../load/request-body.js';
import { get, post } from './ground.js';
import type { Ground } from './ground.js';
import { bindingDigest } from './templates.js';

/** One call that is measured; each time another one of its kind. Throws when the answer is not the expected one. */
export interface Probe {
  readonly name: string;
  call(): Promise<void>;
}

/** The calls of one side, in the same order and under the same names on every side. `claims`: at most so many. */
export async function probesOf(ground: Ground, claims: number): Promise<Probe[]> {
  return [
    await statusProbe(ground, 'newest'),
    await statusProbe(ground, 'any'),
    ...listProbes(ground, 'producer'),
    ...listProbes(ground, 'reviewer'),
    ...listProbes(ground, 'operator'),
    createProbe(ground),
    await claimProbe(ground, claims),
    await newEventsProbe(ground),
    oldEventsProbe(ground),
  ];
}

/**
 * Of the requests that a list shows first, as callers that wait for one ask for it, or of requests from all over the
 * tenant's life, whose pages are in no cache.
 */
async function statusProbe(ground: Ground, age: 'newest' | 'any'): Promise<Probe> {
  const { producer } = ground;
  const [order, most] = age === 'newest' ? NEWEST : ANY;
  const next = inTurn(await someRequests(ground, order, most));
  return {
    name: age === 'newest' ? 'status' : 'status, any age',
    call: async () => void (await get(ground, `/v2/requests/${next()}`, producer.headers)),
  };
}

const NEWEST = ['accepted_at DESC', 50] as const;
const ANY = ['random()', 1000] as const;

async function someRequests(
  { database, tenant, producer }: Ground,
  order: string,
  most: number,
): Promise<string[]> {
  const { rows } = await database.query<{ request_id: string }>(
    `SELECT request_id FROM lifecycle WHERE tenant = $1 AND owner = $2 ORDER BY ${order} LIMIT ${most}`,
    [tenant, producer.id],
  );
  return rows.map((row) => row.request_id);
}

/**
 * Asks for the states of so many requests of any age, so that later calls meet a database that has been at work: one that
 * was just filled has not even its indexes in memory, which a working one always has.
 */
export async function askAround(ground: Ground, times: number): Promise<void> {
  const next = inTurn(await someRequests(ground, 'random()', times));
  let left = times;
  const ask = async (): Promise<void> => {
    while (left-- > 0) await get(ground, `/v2/requests/${next()}`, ground.producer.headers);
  };
  await Promise.all(Array.from({ length: 8 }, ask));
}

function listProbes(ground: Ground, who: 'producer' | 'reviewer' | 'operator'): Probe[] {
  return ['', ...DECISION_STATES].map((state) => ({
    name: `list of the ${who}${state === '' ? '' : `, ${state}`}`,
    call: async () => {
      const query = state === '' ? '' : `?state=${state}`;
      const text = await get(ground, `/v2/requests${query}`, ground[who].headers);
      // Compared is a full page with a full page.
      const { items } = JSON.parse(text) as { items: unknown[] };
      if (items.length !== 50) throw new Error(`${who} ${state}: ${items.length} items`);
    },
  }));
}

function createProbe(ground: Ground): Probe {
  const bodies = requestBodies(ground.routes.execution);
  return {
    name: 'create',
    call: async () => {
      const { body } = bodies(`measured/${randomUUID()}`);
      await post(ground, '/v2/requests', ground.producer.headers, body);
    },
  };
}

/** Of grants from all over the tenant's life, each once. */
async function claimProbe(ground: Ground, claims: number): Promise<Probe> {
  const { database, tenant, producer, routes } = ground;
  const { rows } = await database.query<{ id: string }>(
    `SELECT request_id AS id FROM lifecycle WHERE tenant = $1 AND owner = $2 AND route = $3 AND grant_state = 'available'
     ORDER BY random() LIMIT $4`,
    [tenant, producer.id, routes.execution, claims],
  );
  const waiting: { id: string; digest: string }[] = [];
  for (const { id } of rows) waiting.push({ id, digest: await bindingDigest(ground, id) });
  return {
    name: 'claim',
    call: async () => {
      const request = waiting.pop();
      if (request === undefined) throw new Error('no grant is left to claim');
      const body = {
        execution_identity: `measured/${request.id}`,
        execution_binding_digest: request.digest,
      };
      await post(
        ground,
        `/v2/requests/${request.id}/claims`,
        producer.headers,
        JSON.stringify(body),
      );
    },
  };
}

/** A poll that continues where the last one ended: the new events. */
async function newEventsProbe(ground: Ground): Promise<Probe> {
  const { database, tenant, producer } = ground;
  const { rows } = await database.query<{ sequence: string }>(
    'SELECT sequence FROM event_head WHERE tenant = $1 AND owner = $2',
    [tenant, producer.id],
  );
  let cursor = Number(rows[0]?.sequence ?? 0);
  return {
    name: 'events, newest cursor',
    call: async () => {
      const text = await get(ground, `/v2/events?after=${cursor}`, producer.headers);
      cursor = (JSON.parse(text) as { next: number }).next;
    },
  };
}

/** A full page of the beginning of the owner's feed. */
function oldEventsProbe(ground: Ground): Probe {
  return {
    name: 'events, old cursor',
    call: async () => {
      const text = await get(ground, '/v2/events?after=20', ground.producer.headers);
      const { next } = JSON.parse(text) as { next: number };
      if (next !== 120) throw new Error(`events after 20 end at ${next}`);
    },
  };
}

function inTurn<T>(values: readonly T[]): () => T {
  let place = 0;
  return () => values[place++ % values.length] as T;
}
