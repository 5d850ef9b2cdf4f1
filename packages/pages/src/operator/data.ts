import type { AdminPage, AdminPreview } from '@countersign/protocol';

import { read, send } from '../api/client.js';

const DATA = '/operator/data';

export type Query = Readonly<Record<string, string | null | undefined>>;

/** Reads a page of one of the operators' lists (packages/protocol/src/admin-reads.ts). Empty parameters are left out. */
export function readAdmin<Item>(
  list: string,
  query: Query = {},
  words = '',
): Promise<AdminPage<Item>> {
  const headers: Record<string, string> =
    words === '' ? {} : { 'X-Search': encodeURIComponent(words) };
  return read(`${DATA}/${list}${queryText(query)}`, { headers });
}

/** The one item of that id, or null. */
export async function readOne<Item>(list: string, id: string): Promise<Item | null> {
  const { items } = await readAdmin<Item>(list, { id });
  return items[0] ?? null;
}

const MOST = 2_000;

/** A whole list, up to a size that a person can read. */
export async function readAll<Item>(list: string): Promise<Item[]> {
  const all: Item[] = [];
  let after: string | null = null;
  do {
    const page: AdminPage<Item> = await readAdmin<Item>(list, { after });
    all.push(...page.items);
    after = page.next;
  } while (after !== null && all.length < MOST);
  return all;
}

export function previewOf(
  kind: 'route' | 'principal',
  id: string,
  body: unknown,
): Promise<AdminPreview> {
  return send('POST', `${DATA}/preview/${kind}${queryText({ id })}`, body);
}

export function queryText(query: Query): string {
  const given = Object.entries(query).filter((pair): pair is [string, string] => Boolean(pair[1]));
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
}
