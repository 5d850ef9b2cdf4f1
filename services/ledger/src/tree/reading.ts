import {
  HASH_BYTES,
  Refusal,
  TILE_WIDTH,
  entryBundle,
  inclusionPath,
  readTilePath,
  tileWidth,
  tlogProofText,
  treeEntry,
} from '@countersign/protocol';
import type { TileRequest } from '@countersign/protocol';
import { requireCaller, requireOperator, withFreshState } from '@countersign/database';
import type { Directory } from '@countersign/database';
import { isId } from '@countersign/platform';
import type { BusHandler, BusReply, Caller, MessageVerifier } from '@countersign/platform';
import type { PublishedTree, TreeStore } from '../store/tree.js';
import { pathHashes } from './tiles.js';

export interface ReadingDeps {
  readonly store: TreeStore;
  readonly directory: Directory;
}

const PROOF = /^proof\/([1-9]\d{0,15})$/;

type Asked = TileRequest | { readonly kind: 'proof'; readonly sequence: number };

/**
 * The contents below the prefix of a log: checkpoint, tiles and entry bundles (c2sp.org/tlog-tiles), and besides
 * `proof/<sequence>` (c2sp.org/tlog-proof). The operators of its tenant may read a log, or anyone if the tenant's access
 * says so; for all others it does not exist.
 */
export function readTree(deps: ReadingDeps, verifier: MessageVerifier): BusHandler {
  return async (request) => {
    const { caller } = await verifier.verify(request);
    const { ledger, generation, path } = JSON.parse(request.headers.params ?? '{}') as Record<
      string,
      string
    >;
    return withFreshState(async () => {
      const known = isId(ledger) && isId(generation);
      const tree = known ? await deps.store.published(ledger, generation) : undefined;
      const isPublic = tree?.access === 'public';
      if (!isPublic) await requireReader(deps, tree, caller);
      const asked = askedOf(path ?? '');
      if (tree === undefined || asked === null) throw new Refusal('not_found');
      const reply = await answer(deps.store, tree, asked);
      // A checkpoint is the newest for a moment only; private answers stay in no cache.
      const lasts = isPublic && (asked.kind === 'tile' || asked.kind === 'entries');
      const cached = { 'cache-control': 'public, max-age=31536000, immutable' };
      return { ...reply, headers: { ...reply.headers, ...(lasts ? cached : {}) } };
    });
  };
}

async function requireReader(
  { directory }: ReadingDeps,
  tree: PublishedTree | undefined,
  caller: Caller | null,
): Promise<void> {
  // First: a caller without a credential must not learn whether the log exists.
  if (caller === null) throw new Refusal('unauthenticated');
  const revision = await directory.revision(caller.tenant);
  const principal = await requireCaller(directory, caller, revision);
  if (tree?.tenant !== caller.tenant) throw new Refusal('not_found');
  requireOperator(principal);
}

function askedOf(path: string): Asked | null {
  const sequence = PROOF.exec(path)?.[1];
  return sequence === undefined
    ? readTilePath(path)
    : { kind: 'proof', sequence: Number(sequence) };
}

async function answer(store: TreeStore, tree: PublishedTree, asked: Asked): Promise<BusReply> {
  const { tenant, size, note } = tree;
  // There is no tree before its first checkpoint.
  if (note === null) throw new Refusal('not_found');
  const checkpoint = `${note}${tree.cosignatures.map((line) => `${line}\n`).join('')}`;
  switch (asked.kind) {
    case 'checkpoint':
      return text(checkpoint);
    case 'tile': {
      const { tile, width } = asked;
      if (tileWidth(tile, size) < width) throw new Refusal('not_found');
      const [found] = await store.tiles(tenant, [tile]);
      if (found === undefined) throw new Refusal('not_found');
      return bytes(found.hashes.subarray(0, width * HASH_BYTES));
    }
    case 'entries': {
      const { index, width } = asked;
      if (tileWidth({ level: 0, index }, size) < width) throw new Refusal('not_found');
      const digests = await store.digests(tenant, index * TILE_WIDTH, width);
      return bytes(entryBundle(digests.map(treeEntry)));
    }
    case 'proof': {
      const index = asked.sequence - 1;
      if (index >= size) throw new Refusal('not_found');
      const path = await pathHashes(store, tenant, inclusionPath(index, size));
      return text(tlogProofText({ index, path, checkpoint }));
    }
  }
}

function text(body: string): BusReply {
  return { status: 200, body, headers: { 'content-type': 'text/plain; charset=utf-8' } };
}

/** Messages carry text. */
function bytes(content: Uint8Array): BusReply {
  return {
    status: 200,
    body: Buffer.from(content).toString('base64'),
    headers: { 'content-type': 'application/octet-stream', 'content-encoding': 'base64' },
  };
}
