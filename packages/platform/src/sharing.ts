/**
 * How long a call of one tenant counts for the others. While it counts, a gateway has a half to two thirds of its throughput.
 * A tenant that calls less often than this first waits for the calls of the others that are under way.
 */
const SHARED_MS = 2_000;

/** Whether several tenants call a process. What a tenant does while it calls alone delays no other. */
export interface Sharing {
  /** Notes a call of a tenant. */
  note(tenant: string): void;
  /** Whether two tenants have called within the last two seconds. */
  isShared(): boolean;
}

export function createSharing(now = () => performance.now()): Sharing {
  let latest: { readonly tenant: string; readonly at: number } | undefined;
  let sharedUntil = -Infinity;
  return {
    note(tenant) {
      if (latest !== undefined && latest.tenant !== tenant) sharedUntil = latest.at + SHARED_MS;
      latest = { tenant, at: now() };
    },
    isShared: () => now() < sharedUntil,
  };
}

/** Of this process, for the pace of large values: the gateway and each service note the calls that they serve. */
export const sharing = createSharing();
