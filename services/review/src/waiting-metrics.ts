import { isReachable, progressOf } from '@countersign/protocol';
import { withFreshState, votingOf } from '@countersign/database';
import { cachedGauges } from '@countersign/platform';
import type { Logger, Registry } from '@countersign/platform';
import { eligiblePeople } from './approvals.js';
import { reviewDeps } from './deps.js';
import type { ReviewDeps, ReviewOptions } from './deps.js';
import type { WaitingRow } from './store/index.js';

const STAGES = [1, 2, 3, 4, 5];

/**
 * Gauges of the pending requests that several people decide. Every replica reports the same values: take the maximum. Where the
 * profile is not offered they are zero, and nothing is read.
 */
export function waitingMetrics(registry: Registry, log: Logger, options: ReviewOptions): void {
  const deps = reviewDeps(options);
  const isOffered = Object.hasOwn(options.offered, 'proto.approval');
  cachedGauges(
    registry,
    log,
    [
      {
        name: 'countersign_quorum_pending',
        help: 'Pending requests that several people decide, by the open stage.',
        labelNames: ['stage'],
      },
      {
        name: 'countersign_quorum_unreachable',
        help: 'Of these, the ones whose seats the people who may vote cannot fill.',
      },
    ],
    async () => {
      const found = isOffered ? await withFreshState(() => waitingOf(deps)) : NOTHING;
      return {
        countersign_quorum_pending: STAGES.map((stage) => ({
          value: found.stages.filter((open) => open === stage).length,
          labels: { stage: String(stage) },
        })),
        countersign_quorum_unreachable: [{ value: found.unreachable }],
      };
    },
  );
}

interface Waiting {
  /** The open stage of each request. */
  readonly stages: readonly number[];
  readonly unreachable: number;
}

const NOTHING: Waiting = { stages: [], unreachable: 0 };

async function waitingOf(deps: ReviewDeps): Promise<Waiting> {
  const stages: number[] = [];
  let unreachable = 0;
  for (const row of await deps.store.waiting()) {
    const { tally } = votingOf(row.approval.policy.quorum, row);
    stages.push(progressOf(row.approval.policy.quorum, tally).stage);
    if (row.was_unreachable && !(await isReachableNow(deps, row, tally))) unreachable += 1;
  }
  return { stages, unreachable };
}

/** The mark stays when people join the groups again: only those that have it are looked at. */
async function isReachableNow(
  deps: ReviewDeps,
  { tenant, route, directory_revision: revision, approval }: WaitingRow,
  tally: Parameters<typeof isReachable>[1],
): Promise<boolean> {
  const people = await eligiblePeople(deps, { tenant, route, approval }, revision);
  return isReachable(approval.policy.quorum, tally, people);
}
