import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Ends } from '../ends.js';
import { connect } from '../load/connection.js';
import type { Answer, Connection } from '../load/connection.js';
import { startProduct } from '../product.js';

export type Headers = Readonly<Record<string, string>>;

/** One running product that is grown and measured: who calls it, and its database as the owner. */
export interface Ground {
  readonly name: 'small' | 'large';
  readonly tenant: string;
  readonly producer: { readonly id: string; readonly headers: Headers };
  /** Of both routes. */
  readonly reviewer: { readonly id: string; readonly headers: Headers };
  readonly operator: { readonly id: string; readonly headers: Headers };
  readonly routes: { readonly review: string; readonly execution: string };
  readonly connection: Connection;
  readonly databaseUrl: string;
  readonly database: pg.Client;
}

interface Demo {
  readonly tenant: string;
  readonly producer: { id: string };
  readonly operator: { id: string; token: string };
  readonly people: { id: string }[];
  readonly routes: { review: string; execution: string };
}

/**
 * Postgres' default of 128 MB is for small machines; who keeps a million requests gives it a part of the memory, as
 * docs/operations.md says. Both sizes get the same.
 */
const SHARED_BUFFERS = '2GB';

/** Needs a start of its own, because only a server that starts takes it over. */
async function giveMemory(folder: string, ends: Ends): Promise<void> {
  const product = await startProduct({ folder, split: false }, ends);
  const database = new pg.Client({ connectionString: product.databaseUrl });
  await database.connect();
  await database.query(`ALTER SYSTEM SET shared_buffers = '${SHARED_BUFFERS}'`);
  await database.end();
  await product.stop();
}

/** The product all in one process, without quotas, on a database of its own below `folder`. */
export async function startGround(
  name: Ground['name'],
  folder: string,
  ends: Ends,
): Promise<Ground> {
  const place = join(folder, name);
  mkdirSync(place, { recursive: true, mode: 0o711 });
  await giveMemory(place, ends);
  const { target, databaseUrl } = await startProduct({ folder: place, split: false }, ends);
  const demo = JSON.parse(readFileSync(join(place, 'demo.json'), 'utf8')) as Demo;
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  ends.push(() => database.end());
  const connection = connect(target.origin);
  ends.push(() => connection.close());
  return {
    name,
    tenant: demo.tenant,
    producer: { id: demo.producer.id, headers: target.producer },
    // The first of the people is the producer's owner, who reviews nothing of its own.
    reviewer: { id: demo.people[1]?.id ?? '', headers: target.reviewers[0] ?? {} },
    operator: {
      id: demo.operator.id,
      headers: { authorization: `Bearer ${demo.operator.token}` },
    },
    routes: demo.routes,
    connection,
    databaseUrl,
    database,
  };
}

const MOST_TRIES = 50;
const PAUSE_MS = 20;

/** Reads a path; throws when the answer is no success. */
export function get(ground: Ground, path: string, headers: Headers): Promise<string> {
  return patiently(path, () => ground.connection.send('GET', path, headers));
}

/** Sends a body under a new key; throws when the answer is no success. */
export function post(ground: Ground, path: string, headers: Headers, body: string) {
  const keyed = { ...headers, 'idempotency-key': randomUUID() };
  return patiently(path, () => ground.connection.send('POST', path, keyed, body));
}

/** On a machine with neighbours the service may be too busy: a caller asks again, and the call has taken that long. */
async function patiently(path: string, send: () => Promise<Answer>): Promise<string> {
  for (let tries = 1; ; tries += 1) {
    const { status, text } = await send();
    if (status === 200 || status === 201) return text;
    const busy = status === 503 || text.includes('"error":"schema_validation_timeout"');
    if (!busy || tries === MOST_TRIES)
      throw new Error(`${path} answered ${status} ${text.slice(0, 400)}`);
    await delay(PAUSE_MS);
  }
}
