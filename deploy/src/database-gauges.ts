import type { RoleName } from '@countersign/database';
import { Gauge } from '@countersign/platform';
import type { Registry } from '@countersign/platform';
import type { Pool } from '@countersign/database';

/** Connections of each role that this process acts as; `waiting` counts calls that wait for one. */
export function databaseGauges(
  registry: Registry,
  pools: ReadonlyMap<RoleName, Pool>,
  most: number,
): void {
  new Gauge({
    name: 'countersign_database_connections',
    help: 'Connections of this process: open and unused ones, and calls that wait for one.',
    labelNames: ['role', 'state'],
    registers: [registry],
    collect() {
      for (const [role, pool] of pools) {
        const { total, idle, waiting } = pool.gauges();
        this.set({ role, state: 'open' }, total);
        this.set({ role, state: 'unused' }, idle);
        this.set({ role, state: 'waiting' }, waiting);
      }
    },
  });
  new Gauge({
    name: 'countersign_database_connections_limit',
    help: 'The maximum number of connections of this process for one role.',
    registers: [registry],
  }).set(most);
}
