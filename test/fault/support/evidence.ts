import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { loadTrust } from '@countersign/protocol';
import type { AuditExport, LedgerEntry, RequestStatus, Trust } from '@countersign/protocol';
import type { Client } from '../../support/client.js';
import type { Feed, FeedPage } from './feed.js';
import type { Attempts } from './insist.js';
import { insist } from './insist.js';
import type { Journal } from './lifecycles.js';
import { expectAnswer, inParallel } from './lifecycles.js';
import type { Cast } from './fixture.js';

/** All that can be known from outside after a run; `checks.ts` checks it. */
export interface Evidence {
  readonly trust: Trust;
  readonly tenant: string;
  readonly producer: string;
  readonly journals: readonly Journal[];
  /** The whole chain, as `ledger.entries` gives it. */
  readonly ledger: readonly LedgerEntry[];
  readonly feed: readonly FeedPage[];
  /** By request. */
  readonly statuses: ReadonlyMap<string, RequestStatus>;
  readonly exports: ReadonlyMap<string, AuditExport>;
  /** The anchor store's own copies, by key. */
  readonly anchored: ReadonlyMap<string, Uint8Array>;
}

const AT_ONCE = 8;

/**
 * Asks for everything once the last event was seen, which is chained after all that it tells of. `copyAt` reads a key of the
 * anchor store; without it that is the folder beside the trust manifest.
 */
export async function gather(
  cast: Cast,
  attempts: Attempts,
  journals: readonly Journal[],
  feed: Feed,
  copyAt = copiesBeside(cast.demo.trust),
): Promise<Evidence> {
  const { demo, producer, operator } = cast;
  const read = async <T>(client: Client, path: string): Promise<T> =>
    expectAnswer(await insist(client, attempts, path, { method: 'GET' }), 200).body as T;
  const ofEach = async <T>(suffix: string): Promise<Map<string, T>> =>
    new Map(
      await inParallel(journals.length, AT_ONCE, async (index): Promise<[string, T]> => {
        const { requestId } = journals[index] as Journal;
        return [requestId, await read<T>(producer, `/v2/requests/${requestId}${suffix}`)];
      }),
    );

  const statuses = await ofEach<RequestStatus>('');
  await feed.untilSeen(new Map([...statuses].map(([id, { revision }]) => [id, revision])));
  const ledger: LedgerEntry[] = [];
  for (let page = [null] as unknown[]; page.length > 0;) {
    const next = await read<LedgerEntry[]>(operator, `/v2/admin/ledger?after=${ledger.length}`);
    ledger.push(...next);
    page = next;
  }
  const exports = await ofEach<AuditExport>('/export');
  return {
    trust: loadTrust(JSON.parse(readFileSync(demo.trust, 'utf8')), demo.origin),
    tenant: demo.tenant,
    producer: demo.producer.id,
    journals,
    ledger,
    feed: [...feed.pages],
    statuses,
    exports,
    anchored: await anchorCopies(copyAt, [...statuses.values()]),
  };
}

/** Reads one object of the anchor store; null when there is none. */
export type CopyAt = (key: string) => Promise<Uint8Array | null>;

function copiesBeside(trust: string): CopyAt {
  return async (key) => {
    const file = join(dirname(trust), 'anchor', key);
    return existsSync(file) ? readFileSync(file) : null;
  };
}

/** The content of the anchor store, read beside the service. */
async function anchorCopies(
  copyAt: CopyAt,
  statuses: readonly RequestStatus[],
): Promise<Map<string, Uint8Array>> {
  const keys = new Set(statuses.flatMap(({ anchor }) => anchor?.acceptance.key ?? []));
  const copies = new Map<string, Uint8Array>();
  for (const key of keys) {
    const copy = await copyAt(key);
    if (copy !== null) copies.set(key, copy);
  }
  return copies;
}
