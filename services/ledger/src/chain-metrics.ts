import type { Pool } from '@countersign/database';
import { INCIDENTS } from '@countersign/protocol';
import { Histogram, cachedGauges } from '@countersign/platform';
import type { GaugeSample, Logger, Registry } from '@countersign/platform';
import { LagStore } from './store/lag.js';

/** Seconds: from a store on the same machine to one that was unavailable overnight. */
const ANCHOR_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200];

/** Metrics of the chain. Every replica reports the same values: take the maximum. Labels are codes, never tenants. */
export function chainMetrics(registry: Registry, log: Logger, pool: Pool): void {
  const store = new LagStore(pool);
  cachedGauges(
    registry,
    log,
    [
      {
        name: 'countersign_chain_lag_seconds',
        help: 'The waiting time of the oldest committed record that is not chained yet.',
      },
      {
        name: 'countersign_anchor_lag_seconds',
        help: 'The waiting time of the oldest signed checkpoint that is not anchored yet.',
      },
      { name: 'countersign_tenants', help: 'Tenants.' },
      {
        name: 'countersign_fenced_tenants',
        help: 'Fenced tenants, which can claim, admit and anchor nothing.',
        labelNames: ['reason'],
      },
      {
        name: 'countersign_incidents_last_hour',
        help: 'Incidents that were opened within the last hour.',
        labelNames: ['code'],
      },
    ],
    async () => {
      const lag = await store.lag();
      return {
        countersign_chain_lag_seconds: [{ value: lag.unchainedSeconds }],
        countersign_anchor_lag_seconds: [{ value: lag.unanchoredSeconds }],
        countersign_tenants: [{ value: lag.tenants }],
        countersign_fenced_tenants: countsOf('reason', { ...NO_FENCES, ...lag.fenced }),
        countersign_incidents_last_hour: countsOf('code', { ...NO_INCIDENTS, ...lag.incidents }),
      };
    },
  );
}

/** Observes, for every checkpoint, the milliseconds from its signature until it was anchored and applied. */
export function anchoredTimer(registry: Registry): (lateMs: number) => void {
  const histogram = new Histogram({
    name: 'countersign_anchor_seconds',
    help: 'The time between the signature of a checkpoint and its anchor, which opens its grants.',
    buckets: ANCHOR_SECONDS,
    registers: [registry],
  });
  return (lateMs) => histogram.observe(Math.max(0, lateMs) / 1000);
}

/** Zeros, so that an alert sees the first one as a change. */
const NO_INCIDENTS: Readonly<Record<string, number>> = Object.fromEntries(
  Object.keys(INCIDENTS).map((code) => [code, 0]),
);
const NO_FENCES: Readonly<Record<string, number>> = { new_tenant: 0 };

function countsOf(label: string, counts: Readonly<Record<string, number>>): GaugeSample[] {
  return Object.entries(counts).map(([name, value]) => ({ value, labels: { [label]: name } }));
}
