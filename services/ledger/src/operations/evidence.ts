import { EVIDENCE_FORMAT, Refusal, sharedPath, textDigest } from '@countersign/protocol';
import type { AnchorProof, AuditCheckpoint, Evidence } from '@countersign/protocol';
import { isOperator, oneLargeAtATime, requireCaller } from '@countersign/database';
import { LARGE_ANSWER, answerOf } from '@countersign/platform';
import type { OperationCall, OperationHandler } from '@countersign/platform';
import type { ChainDeps, LedgerDeps } from '../deps.js';
import type { CoveringHead } from '../store/tree.js';
import { pathHashes } from '../tree/tiles.js';
import { auditEntry, loadExport } from './export.js';
import type { LoadedExport } from './export.js';

/** A checkpoint of the chain follows its entries within 5 s, one of the tree within a second more. */
const RETRY_SECONDS = 2;

/** The anchored stretch of the chain; null where there is no proof of this generation. */
interface Anchored {
  /** Sequences of its nodes, the first of which is the receipt's. */
  readonly sequences: readonly number[];
  /** Sequence of the chain's checkpoint. */
  readonly through: number;
}

/** `ledger.evidence`: the export, and with it the proofs that make it hold for a stranger (protocol §7.1); never writes. */
export function evidence(deps: ChainDeps): OperationHandler<'ledger.evidence'> {
  return oneLargeAtATime(async (call) => {
    const { caller, id } = call;
    // First: what is chained later than this may be missing below, and is no part of what was asked.
    const unchained = await deps.store.unchained(caller.tenant, id);
    const found = await loadOrRemains(deps, call);
    if (found === null) return LARGE_ANSWER;
    const { parts, records, entries, anchor } = found;
    const chained = new Set(entries.map(({ record_digest }) => record_digest));
    if (unchained || records.some((text) => !chained.has(textDigest(text)))) throw incomplete();

    const last = entries.at(-1)?.sequence;
    if (last === undefined) throw incomplete();
    const heads = await deps.tree.covering(caller.tenant, last);
    const head = mostWitnessed(heads);
    if (head === undefined) throw incomplete();
    const anchored = anchoredIn(anchor, head.generation);
    const opening = anchored === null ? null : await openingOf(deps, call, anchored, head);
    const leaves = [...entries.map(({ sequence }) => sequence), ...(anchored?.sequences ?? [])];
    const path = sharedPath(
      leaves.map((sequence) => sequence - 1),
      { size: head.size, earlier: opening?.size ?? null },
    );
    const nodes = Buffer.concat(await pathHashes(deps.tree, caller.tenant, path));
    const log = {
      checkpoint: signed(head),
      opening: opening && signed(opening),
      nodes: nodes.toString('base64'),
    };
    return answerOf<Evidence>(200, [
      `{"evidence":"${EVIDENCE_FORMAT}","export":`,
      ...parts,
      `,"log":${JSON.stringify(log)},"trust":${deps.manifest}}`,
    ]);
  });
}

/**
 * The export; of a deleted request the entries that the ledger keeps, for operators, as they read the whole ledger. They have no
 * texts, nor have those of a request that is hidden.
 */
async function loadOrRemains(
  deps: LedgerDeps,
  call: OperationCall<'ledger.evidence'>,
): Promise<LoadedExport | null> {
  try {
    return await loadExport(deps, call);
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'not_found') throw error;
    const { caller, id } = call;
    const revision = await deps.directory.revision(caller.tenant);
    const principal = await requireCaller(deps.directory, caller, revision);
    if (!isOperator(principal)) throw error;
    const entries = await deps.store.entriesOf(caller.tenant, id);
    if (entries.length === 0) throw error;
    const remains = JSON.stringify(entries.map((entry) => auditEntry({ ...entry, record: null })));
    return { parts: ['null,"remains":', remains], records: [], entries, anchor: null };
  }
}

/** Of the checkpoints that hold all entries: the one that most witnesses signed, the oldest of these. */
function mostWitnessed(heads: readonly CoveringHead[]): CoveringHead | undefined {
  const most = Math.max(...heads.map(({ cosignatures }) => cosignatures.length));
  return heads.find(({ cosignatures }) => cosignatures.length === most);
}

function anchoredIn(text: string | null, generation: string): Anchored | null {
  if (text === null) return null;
  const { checkpoint, proof } = JSON.parse(text) as AnchorProof;
  const payload = checkpoint.payload as AuditCheckpoint;
  // A recovery lay between: the tree of that generation was another log.
  if (payload.generation !== generation) return null;
  return { sequences: proof.map(({ sequence }) => sequence), through: payload.sequence };
}

/** The first checkpoint over the stretch that was anchored when the grant opened; null when it is the other one. */
async function openingOf(
  { tree }: LedgerDeps,
  { caller }: OperationCall<'ledger.evidence'>,
  { through }: Anchored,
  { size }: CoveringHead,
): Promise<CoveringHead | null> {
  const [first] = await tree.covering(caller.tenant, through);
  return first === undefined || first.size >= size ? null : first;
}

function signed({ note, cosignatures }: CoveringHead): string {
  return `${note}${cosignatures.map((line) => `${line}\n`).join('')}`;
}

function incomplete(): Refusal {
  return new Refusal('evidence_incomplete', { retryAfter: RETRY_SECONDS });
}
