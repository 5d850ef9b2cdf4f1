import {
  appendEntries,
  edgeOf,
  logKey,
  noteText,
  signatureLine,
  treeEntry,
  treeHeadText,
  treeOrigin,
  treeRoot,
} from '@countersign/protocol';
import type { TileReader, Trust } from '@countersign/protocol';
import { KeyedWorker } from '@countersign/platform';
import type { Logger, Notary } from '@countersign/platform';
import type { TreePosition, TreeStore } from '../store/tree.js';
import { asOf, keyOf, readerOf } from './tiles.js';

/** How often a tree grows: checkpoints of a busy ledger are not worth signing one by one. */
const EVERY_MS = 1000;
const AT_ONCE = 2048;

export interface FollowerDeps {
  readonly store: TreeStore;
  readonly notary: Notary;
  /** Has the public half of the key that signs. */
  readonly trust: Trust;
  readonly log: Logger;
}

/**
 * Grows each tenant's tree behind its ledger. It goes as far as checkpoints of the chain are accepted by the anchor store
 * and no further: a restored database cannot publish a tree that forks one that was published before (I7). Where it
 * stands, its tiles and its checkpoint move in one statement, from the size that was read: any number of replicas may run,
 * and none leaves a gap or writes an entry twice.
 */
export function treeFollower(deps: FollowerDeps): KeyedWorker {
  return new KeyedWorker({
    name: 'tree',
    work: (tenant) => grow(deps, tenant),
    poll: () => deps.store.behind(),
    pollMs: EVERY_MS,
    log: deps.log,
  });
}

async function grow(deps: FollowerDeps, tenant: string): Promise<boolean> {
  const position = await deps.store.position(tenant);
  if (position === undefined) return false;
  const { size, anchored, generation } = position;
  const most = Math.min(AT_ONCE, Math.max(0, anchored - size));
  const digests = most === 0 ? [] : await deps.store.digests(tenant, size, most);
  const to = size + digests.length;
  if (digests.length === 0 && (to === 0 || position.head === to)) return false;

  const kept = asOf(size, await readerOf(deps.store, tenant, edgeOf(size)));
  const tiles = appendEntries(size, kept, digests.map(treeEntry));
  const grown = new Map(tiles.map((tile) => [keyOf(tile), tile.hashes]));
  const read: TileReader = (id) => grown.get(keyOf(id)) ?? kept(id);
  const note = await signHead(deps, position, to, treeRoot(read, to));
  const saved = await deps.store.append(tenant, generation, { from: size, to, tiles, note });
  return saved && to < anchored;
}

async function signHead(
  { notary, trust }: FollowerDeps,
  { ledgerId, generation }: TreePosition,
  size: number,
  root: Buffer,
): Promise<string> {
  const origin = treeOrigin(notary.origin, ledgerId, generation);
  const head = treeHeadText({ origin, size, root });
  const { keyId, signature } = await notary.signText(head);
  const key = trust.keys.get(keyId);
  if (key === undefined) throw new Error(`the manifest does not list the key ${keyId}`);
  return noteText(head, [signatureLine(logKey(origin, key.publicKey), signature)]);
}
