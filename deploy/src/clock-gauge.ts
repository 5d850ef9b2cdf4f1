import { Gauge } from '@countersign/platform';
import type { Registry } from '@countersign/platform';

/** How far this machine's clock is ahead of the database's; without a value where the process does not read that clock. */
export function clockGauge(registry: Registry, offsetMs: () => number | null): void {
  new Gauge({
    name: 'countersign_clock_offset_seconds',
    help: "Seconds by which the machine's clock is ahead of the database's.",
    registers: [registry],
    collect() {
      const offset = offsetMs();
      if (offset === null) this.remove();
      else this.set(offset / 1000);
    },
  });
}
