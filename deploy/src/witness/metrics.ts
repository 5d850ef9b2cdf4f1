import { Counter, Gauge, createMetrics } from '@countersign/platform';
import type { Registry } from '@countersign/platform';
import type { WitnessRefusal } from '@countersign/protocol';

export interface WitnessMetrics {
  readonly registry: Registry;
  cosigned(origin: string): void;
  refused(reason: WitnessRefusal | 'not_saved'): void;
  forked(origin: string): void;
}

/** `sizes`: of the tree that was signed last, by origin. */
export function witnessMetrics(sizes: () => Iterable<readonly [string, number]>): WitnessMetrics {
  const registry = createMetrics('witness');
  const registers = [registry];
  const cosigned = new Counter({
    name: 'countersign_witness_cosigned_total',
    help: 'Checkpoints that this witness signed.',
    labelNames: ['origin'],
    registers,
  });
  const refused = new Counter({
    name: 'countersign_witness_refused_total',
    help: 'Requests for a signature that this witness refused, by reason.',
    labelNames: ['reason'],
    registers,
  });
  const forks = new Counter({
    name: 'countersign_witness_forks_total',
    help: 'Checkpoints that a log signed beside another one of the same size: proof of two histories.',
    labelNames: ['origin'],
    registers,
  });
  new Gauge({
    name: 'countersign_witness_size',
    help: 'Entries of the tree that this witness signed last.',
    labelNames: ['origin'],
    registers,
    collect() {
      for (const [origin, size] of sizes()) this.set({ origin }, size);
    },
  });
  return {
    registry,
    cosigned: (origin) => cosigned.inc({ origin }),
    refused: (reason) => refused.inc({ reason }),
    forked: (origin) => forks.inc({ origin }),
  };
}
