import { setTimeout as delay } from 'node:timers/promises';
import { startLoop } from '@countersign/platform';
import type { Loop } from '@countersign/platform';
import { AnchorError, FENCING_FAULTS } from '../anchor/anchor-store.js';
import type { AnchorStore, KeptCheckpoint } from '../anchor/anchor-store.js';
import { ledgerDeps } from '../deps.js';
import type { LedgerOptions } from '../deps.js';
import { ComparisonStore } from '../store/comparison.js';
import type { ComparedTenant } from '../store/comparison.js';

const LOOK_MS = 1_000;
const EVERY_MS = 60_000;
const AT_ONCE = 100;
/** Tenants compared side by side: a store that hangs must not make each wait for all before it. */
const SIDE_BY_SIDE = 8;
/** How long the start waits for the first round; a tenant not compared by then stays closed until it is. */
const START_MS = 15_000;

export interface ComparisonOptions extends LedgerOptions {
  readonly anchors: AnchorStore;
  /** A hint, never awaited: a tenant has committed records. */
  readonly chained: (tenant: string) => void;
  /** A hint, never awaited: decisions of the tenant can have their checkpoint. */
  readonly decided: (tenant: string) => void;
  /** Called with the time between signing a checkpoint and applying it, in milliseconds. */
  readonly anchored: (lateMs: number) => void;
}

export type ComparisonDeps = ReturnType<typeof comparisonDeps>;

export function comparisonDeps(options: ComparisonOptions) {
  return { ...ledgerDeps(options), comparison: new ComparisonStore(options.pool) };
}

export interface Comparison {
  /** Compares the tenants that are due, then continues by itself. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Compares the tenant unless that was done since the database server started; false when it must not go on. */
  settled(tenant: string): Promise<boolean>;
}

/**
 * R18: at start and every minute the ledger's heads are compared with the anchor store, which a restored backup cannot
 * rewrite. A store that knows a later or a different head fences the tenant. A store that does not answer proves nothing:
 * tenants that were not compared since the database server started stay closed.
 */
export function createComparison(deps: ComparisonDeps): Comparison {
  let loop: Loop | undefined;

  async function compare(of: ComparedTenant): Promise<boolean> {
    const fault = await faultOf(deps, of);
    if (fault === null) {
      await deps.comparison.agreed(of);
      return true;
    }
    if (!of.fenced) {
      deps.log.error({ tenant: of.tenant, fault }, 'the anchor store contradicts the ledger');
    }
    await deps.store.fence(of.tenant, of.generation, fault);
    return false;
  }

  async function compareOrSay(of: ComparedTenant): Promise<void> {
    try {
      await compare(of);
    } catch (error) {
      deps.log.warn({ err: error, tenant: of.tenant }, 'the ledger was not compared');
    }
  }

  async function round(): Promise<void> {
    try {
      const due = await deps.comparison.due(EVERY_MS, AT_ONCE);
      const next = async (): Promise<void> => {
        for (let tenant = due.shift(); tenant !== undefined; tenant = due.shift()) {
          await compareOrSay(tenant);
        }
      };
      await Promise.all(Array.from({ length: SIDE_BY_SIDE }, next));
    } catch (error) {
      deps.log.warn({ err: error }, 'ledgers cannot be compared with the anchor store');
    }
  }

  return {
    async start() {
      const first = round();
      const late = new AbortController();
      await Promise.race([first, delay(START_MS, undefined, { signal: late.signal })]);
      late.abort();
      loop = startLoop(LOOK_MS, () => first.then(round));
    },
    stop: async () => {
      await loop?.stop();
    },
    async settled(tenant) {
      const open = await deps.comparison.uncompared(tenant);
      return open === undefined || compare(open);
    },
  };
}

/** The contradiction, or null. Our heads are read after the store's: they only grow, so new entries are no conflict. */
async function faultOf(deps: ComparisonDeps, of: ComparedTenant): Promise<string | null> {
  const { tenant, ledgerId, generation, accepted } = of;
  let kept: readonly KeptCheckpoint[];
  try {
    kept = await deps.anchors.since(ledgerId, generation, accepted);
  } catch (error) {
    if (error instanceof AnchorError && FENCING_FAULTS.has(error.fault)) return error.fault;
    throw error;
  }
  if (accepted > 0 && kept[0]?.sequence !== accepted) return 'anchor_deleted_version';
  const { last, heads } = await deps.comparison.heads(
    tenant,
    kept.map(({ sequence }) => sequence),
  );
  for (const { sequence, head } of kept) {
    if (sequence > last) return 'ledger_behind_anchor';
    if (heads.get(sequence) !== head) return 'anchor_conflict';
  }
  return null;
}
