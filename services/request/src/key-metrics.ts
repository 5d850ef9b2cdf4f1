import { cachedGauges } from '@countersign/platform';
import type { Logger, Registry } from '@countersign/platform';
import { CREDENTIAL_STATES } from '@countersign/protocol';
import type { RequestOptions } from './deps.js';
import { keysByState } from './store/key-figures.js';

/**
 * The keys of people by state. Every replica reports the same values: take the maximum. Where the profile is not offered they are
 * zero, and nothing is read.
 */
export function keyMetrics(
  registry: Registry,
  log: Logger,
  { pool, offered }: Pick<RequestOptions, 'pool' | 'offered'>,
): void {
  const name = 'countersign_credentials';
  const isOffered = Object.hasOwn(offered, 'proto.human-key');
  const gauge = { name, help: 'Keys of people, by state.', labelNames: ['state'] };
  cachedGauges(registry, log, [gauge], async () => {
    const found = isOffered ? await keysByState(pool) : new Map<string, number>();
    return {
      [name]: CREDENTIAL_STATES.map((state) => ({
        value: found.get(state) ?? 0,
        labels: { state },
      })),
    };
  });
}
