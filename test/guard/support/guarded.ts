import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { personOf } from '../../support/client.js';
import type { Client as Person } from '../../support/client.js';
import { newFolder } from '../../support/folder.js';
import type { Demo, Instance, InstanceOptions } from '../../support/instance.js';
import { runCommand, startInstance } from '../../support/instance.js';
import { decide } from '../../support/requests.js';
import { startCounter } from './counter.js';
import type { Counter } from './counter.js';

/** A service, a connection file for its producer, a reviewer, and an outside world. */
export interface Setup {
  readonly instance: Instance;
  readonly demo: Demo;
  readonly folder: string;
  /** The connection file. */
  readonly connection: string;
  readonly reviewer: Person;
  readonly counter: Counter;
  /** Where journals are: a database of its own, and the service's Redis. */
  readonly stores: { readonly postgres: string; readonly redis: string };
  stop(): Promise<void>;
}

export async function startGuarded(options: InstanceOptions = {}): Promise<Setup> {
  const instance = await startInstance(options);
  const { demo, dataDirectory } = instance;
  const folder = newFolder('guard');
  const connection = join(folder, 'countersign.json');
  writeFileSync(join(folder, 'token'), `${demo.producer.token}\n`);
  const { code, stderr } = await runCommand([
    ...['connection', '--producer', demo.producer.id, '--tenant', demo.tenant],
    ...['--out', connection, '--data', dataDirectory, '--token-file', 'token'],
    ...['--anchor-store', join(dataDirectory, 'anchor')],
  ]);
  if (code !== 0) throw new Error(stderr);
  const reviewer = await personOf(demo, dataDirectory, demo.people[1]!.id);
  const counter = await startCounter();
  const stores = await journalStores(dataDirectory);
  return {
    ...{ instance, demo, folder, connection, reviewer, counter, stores },
    async stop() {
      await counter.stop();
      await instance.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const TABLES = resolve(__dirname, '../../../packages/guard/postgres.sql');

async function journalStores(dataDirectory: string): Promise<Setup['stores']> {
  const { urls } = JSON.parse(readFileSync(join(dataDirectory, 'stores.json'), 'utf8')) as {
    urls: { DATABASE_URL: string; REDIS_URL: string };
  };
  return { postgres: await journalDatabase(urls.DATABASE_URL), redis: urls.REDIS_URL };
}

/** Makes a database for journals on the server of another one, and gives its URL. */
export async function journalDatabase(databaseUrl: string): Promise<string> {
  const url = new URL(databaseUrl);
  await inDatabase(url.href, 'CREATE DATABASE journal');
  url.pathname = '/journal';
  await inDatabase(url.href, readFileSync(TABLES, 'utf8'));
  return url.href;
}

async function inDatabase(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(statement);
  await client.end();
}

/** Decides a request as the reviewer; the answer has a note. */
export async function decided(
  { reviewer }: Pick<Setup, 'reviewer'>,
  id: string,
  decision: 'authorise' | 'refuse' = 'authorise',
  response: unknown = { note: 'seen' },
): Promise<void> {
  const { status, text } = await decide(reviewer, id, decision, response);
  if (status !== 200) throw new Error(`not decided: ${status} ${text}`);
}
