import type { DEFAULT_CONCURRENCY } from '@countersign/protocol';

type Who = keyof typeof DEFAULT_CONCURRENCY;
export type PlaceKind = 'calls' | 'large';

/** How many calls of one principal and of one tenant may be under way at the same time in this process (protocol R34). */
export type PlaceLimits = Readonly<Record<Who, Readonly<Record<PlaceKind, number>>>>;

/** The limit that was reached. */
export interface PlaceExcess {
  readonly policy: `${Who}_${PlaceKind}`;
  readonly limit: number;
}

export interface Places {
  /** Takes one place for a principal and its tenant. Returns a function that frees it, or the limit that was reached. */
  take(kind: PlaceKind, tenant: string, principal: string): (() => void) | PlaceExcess;
}

/** `quotas: 'off'`, for development and measurements. */
export const unlimitedPlaces: Places = { take: () => () => {} };

/** `principal` keys must not be those of another tenant: see principalKey. */
export function createPlaces(limits: PlaceLimits): Places {
  const taken = new Map<string, number>();

  function change(name: string, by: 1 | -1): void {
    const count = (taken.get(name) ?? 0) + by;
    if (count === 0) taken.delete(name);
    else taken.set(name, count);
  }

  return {
    take(kind, tenant, principal) {
      const asked = [
        ['principal', `${kind} principal ${principal}`],
        ['tenant', `${kind} tenant ${tenant}`],
      ] as const;
      for (const [who, name] of asked) {
        const limit = limits[who][kind];
        if ((taken.get(name) ?? 0) >= limit) return { policy: `${who}_${kind}`, limit };
      }
      for (const [, name] of asked) change(name, 1);
      return () => {
        for (const [, name] of asked) change(name, -1);
      };
    },
  };
}

/** The draft-8 header fields of a limit of concurrent calls. */
export function placeHeaders({ policy, limit }: PlaceExcess): Record<string, string> {
  return {
    'RateLimit-Policy': `"${policy}";q=${limit};qu="concurrent-requests"`,
    RateLimit: `"${policy}";r=0;t=1`,
  };
}
