import { Counter, Histogram } from 'prom-client';
import type { Metric, Registry } from 'prom-client';
import { DECISIONS, ENDING_REASONS, TIERS } from '@countersign/protocol';

/** What this process did with the votes of requests that several people decide, told once it is committed. */
export interface ApprovalMetrics {
  voted(decision: string, mode: string): void;
  ended(reason: string): void;
  /** The milliseconds between the acceptance of a request and the vote that decided it. */
  decided(afterMs: number): void;
  /** A yes with attention. `afterMs`: since its giver first had the material; `isFast`: faster than the document can be read. */
  read(tier: string, afterMs: number, isFast: boolean): void;
}

/** Seconds: from a minute to the longest review, a day. */
const QUORUM_SECONDS = [60, 300, 900, 1800, 3600, 7200, 14_400, 28_800, 57_600, 86_400];

/** Seconds: from a glance to a working day. */
const READ_SECONDS = [5, 15, 30, 60, 120, 300, 600, 1800, 3600, 28_800];

/** Two services of one process share them. Labels are words of the protocol. */
export function createApprovalMetrics(registry: Registry): ApprovalMetrics {
  const registers = [registry];
  const made = <M extends Metric>(name: string, make: (name: string) => M): M =>
    (registry.getSingleMetric(name) as M | undefined) ?? make(name);
  const votes = made('countersign_approvals_total', (name) => {
    const help = 'Votes on requests that several people decide.';
    const counter = new Counter({ name, help, labelNames: ['decision', 'mode'], registers });
    // There from the start, so that the first one is seen as a change.
    for (const decision of DECISIONS) counter.inc({ decision, mode: 'normal' }, 0);
    return counter;
  });
  const endings = made('countersign_approvals_ended_total', (name) => {
    const help = 'Votes that ended before their request was decided.';
    const counter = new Counter({ name, help, labelNames: ['reason'], registers });
    for (const reason of ENDING_REASONS) counter.inc({ reason }, 0);
    return counter;
  });
  const times = made(
    'countersign_quorum_seconds',
    (name) =>
      new Histogram({
        ...{ name, registers, buckets: QUORUM_SECONDS },
        help: 'The time between the acceptance of a request and the vote that decided it.',
      }),
  );
  const readings = made('countersign_approval_read_seconds', (name) => {
    const help =
      'The time between the first reading of the material and a yes, by the tier of the policy.';
    return new Histogram({ name, help, registers, labelNames: ['tier'], buckets: READ_SECONDS });
  });
  const fast = made('countersign_approvals_fast_total', (name) => {
    const help = 'Yes-votes on documents that were given faster than they can be read.';
    const counter = new Counter({ name, help, registers, labelNames: ['tier'] });
    for (const tier of TIERS) counter.inc({ tier }, 0);
    return counter;
  });
  return {
    voted: (decision, mode) => votes.inc({ decision, mode }),
    ended: (reason) => endings.inc({ reason }),
    decided: (afterMs) => times.observe(Math.max(0, afterMs) / 1000),
    read(tier, afterMs, isFast) {
      readings.observe({ tier }, Math.max(0, afterMs) / 1000);
      if (isFast) fast.inc({ tier });
    },
  };
}
