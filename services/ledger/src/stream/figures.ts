import { askedGauges } from '@countersign/platform';
import type { Logger, Registry } from '@countersign/platform';
import type { SecurityStreamStore, SinkName } from '../store/security-stream.js';

/** How far each collector is behind: the same from every replica, so take the maximum. */
export function securityStreamFigures(
  registry: Registry,
  log: Logger,
  store: SecurityStreamStore,
  sinks: readonly SinkName[],
): void {
  const labelNames = ['sink'];
  askedGauges(
    registry,
    log,
    [
      {
        name: 'countersign_security_log_lag_seconds',
        help: 'For how long the oldest entry of the security log waits to be sent.',
        labelNames,
      },
      {
        name: 'countersign_security_log_unsent_total',
        help: 'Entries of the security log that a collector never gets: it was away too long, or refused them.',
        labelNames,
        counts: true,
      },
    ],
    async () => {
      const found = (await store.figures(sinks)).map((of) => ({
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
