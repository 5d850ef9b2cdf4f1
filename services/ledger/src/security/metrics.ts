import type { Pool } from '@countersign/database';
import { Counter, cachedGauges } from '@countersign/platform';
import type { Logger, Registry } from '@countersign/platform';
import { SecurityStore } from '../store/security.js';

/** How far the security log is behind. Every replica reports the same values: take the maximum. */
export function securityLagMetrics(registry: Registry, log: Logger, pool: Pool): void {
  const store = new SecurityStore(pool);
  cachedGauges(
    registry,
    log,
    [
      {
        name: 'countersign_security_chain_lag_seconds',
        help: 'The waiting time of the oldest event of the security log that is not chained yet.',
      },
      {
        name: 'countersign_security_anchor_lag_seconds',
        help: 'The waiting time of the oldest entry of the security log without a checkpoint in the anchor store.',
      },
    ],
    async () => {
      const { unchainedSeconds, unanchoredSeconds } = await store.lag();
      return {
        countersign_security_chain_lag_seconds: [{ value: unchainedSeconds }],
        countersign_security_anchor_lag_seconds: [{ value: unanchoredSeconds }],
      };
    },
  );
}

export interface SecurityMetrics {
  /** The anchor store refused a checkpoint, with this fault. */
  refused(fault: string): void;
}

export function securityMetrics(registry: Registry): SecurityMetrics {
  const refusals = new Counter({
    name: 'countersign_security_anchor_refusals_total',
    help: 'Checkpoints of the security log that the anchor store did not accept.',
    labelNames: ['fault'],
    registers: [registry],
  });
  return { refused: (fault) => refusals.inc({ fault }) };
}
