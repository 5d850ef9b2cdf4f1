import type { RoleName } from '@countersign/database';
import { TABLE } from '@countersign/deploy';
import type { Hint, Target } from '@countersign/deploy';
import type { SigningService } from '@countersign/protocol';

/** The rights that a target asked its process for when it was assembled. */
export interface UsedRights {
  readonly roles: readonly RoleName[];
  readonly keys: readonly SigningService[];
  readonly publishes: readonly Hint[];
  readonly queues: boolean;
}

interface Ground {
  pool(role: RoleName): unknown;
  notary(service: SigningService): unknown;
  hint(name: Hint): unknown;
  worker(name: string): unknown;
}

/** Runs `work`, which assembles the target, and returns the rights that it was given. */
export async function withUsedRights<T extends object>(
  target: Target,
  work: () => Promise<T>,
): Promise<T & { readonly uses: UsedRights }> {
  const roles = new Set<RoleName>();
  const keys = new Set<SigningService>();
  const publishes = new Set<Hint>();
  let queues = false;
  const noting = (ground: Ground): Ground => ({
    ...ground,
    pool(role) {
      roles.add(role);
      return ground.pool(role);
    },
    notary(service) {
      keys.add(service);
      return ground.notary(service);
    },
    hint(name) {
      publishes.add(name);
      return ground.hint(name);
    },
    worker(name) {
      queues = true;
      return ground.worker(name);
    },
  });
  const row = TABLE[target] as { load: () => Promise<{ build(ground: Ground): unknown }> };
  const loaded = await row.load();
  const load = jest.spyOn(row, 'load');
  load.mockResolvedValue({ ...loaded, build: (ground) => loaded.build(noting(ground)) });
  try {
    const done = await work();
    const uses = {
      roles: [...roles],
      keys: [...keys],
      publishes: [...publishes].sort(),
      queues,
    };
    return { ...done, uses };
  } finally {
    load.mockRestore();
  }
}
