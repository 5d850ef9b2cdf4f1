import { cachedGauges } from '@countersign/platform';
import type { Logger, Registry } from '@countersign/platform';
import type { SecurityStreamStore, SinkName } from '../store/security-stream.js';

/** How far each collector is behind. Every replica reports the same values: take the maximum. */
export function securityStreamMetrics(
  registry: Registry,
  log: Logger,
  store: SecurityStreamStore,
  sinks: readonly SinkName[],
): void {
  const labelNames = ['sink'];
  cachedGauges(
    registry,
    log,
    [
      {
        name: 'countersign_security_log_lag_seconds',
        help: 'The waiting time of the oldest unsent entry of the security log.',
        labelNames,
      },
      {
        name: 'countersign_security_log_unsent_total',
        help: 'Entries of the security log that a collector never gets: it was unavailable for too long, or refused them.',
        labelNames,
        counts: true,
      },
    ],
    async () => {
      const found = (await store.metrics(sinks)).map((of) => ({
        ...of,
        labels: { sink: of.sink },
      }));
      return {
        countersign_security_log_lag_seconds: found.map(({ labels, lagSeconds: value }) => ({
          labels,
          value,
        })),
        countersign_security_log_unsent_total: found.map(({ labels, unsent: value }) => ({
          labels,
          value,
        })),
      };
    },
  );
}
