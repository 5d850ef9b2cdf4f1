import type { Logger, RedisServers } from '@countersign/platform';
import { connectRedis } from '@countersign/platform/redis';
import type { RedisClient } from '@countersign/platform/redis';
import type { DEFAULT_RATES } from '@countersign/protocol';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';

const WINDOW_SECONDS = 60;
/** How long the shared store is not used after a fault, so that a hanging one delays no call. */
const REST_MS = 1_000;
const ANSWER_WITHIN_MS = 250;

/** At most so many empty buckets are remembered: of more, Redis is asked again. */
const MOST_EMPTY = 10_000;

/** Calls per fixed window of 60 s (protocol R34). */
export type RateName = keyof typeof DEFAULT_RATES;
export type RateLimits = Readonly<Record<RateName, number>>;

/** The data of a refusal for a rate. */
export interface RateExcess {
  readonly policy: RateName;
  readonly limit: number;
  /** Whole seconds until the window ends, at least 1. */
  readonly seconds: number;
}

/** The bucket that a call counts in, of that name. */
export interface Take {
  readonly bucket: RateName;
  /** Whose bucket; the fuses have one for all. */
  readonly key?: string;
  /** Of how many calls; 1 without. */
  readonly calls?: number | undefined;
}

export interface Rates {
  /**
   * Counts a call in all the buckets, in one round trip; the answer is null while each has room, else the first that has
   * none. A call that meets a bucket known to be empty counts in no other. Never throws.
   */
  take(takes: readonly Take[]): Promise<RateExcess | null>;
  /** Whether this process knows that the bucket is empty. */
  isEmpty(bucket: RateName, key: string): boolean;
  close(): Promise<void>;
}

/** One key per principal that no other pair of names can spell. */
export function principalKey(tenant: string, principal: string): string {
  return JSON.stringify([tenant, principal]);
}

/** The draft-8 header fields that say which bucket was empty. */
export function rateHeaders(excess: RateExcess): Record<string, string> {
  return {
    'RateLimit-Policy': `"${excess.policy}";q=${excess.limit};w=${WINDOW_SECONDS}`,
    RateLimit: `"${excess.policy}";r=0;t=${excess.seconds}`,
  };
}

/** Buckets that are never empty: `quotas: 'off'`, for development and measurements. */
export const unlimitedRates: Rates = {
  take: () => Promise.resolve(null),
  isEmpty: () => false,
  close: () => Promise.resolve(),
};

interface Bucket {
  readonly own: RateLimiterMemory;
  readonly shared: RateLimiterRedis | null;
}

/**
 * Buckets shared by every process through Redis; while it is absent, silent or gone each process
 * counts for itself.
 */
export function createRates(
  limits: RateLimits,
  servers: RedisServers | undefined,
  log: Pick<Logger, 'warn'>,
): Rates {
  const redis = servers === undefined ? null : connect(servers);
  let restUntil = 0;
  let alone = false;

  function countAlone(error: unknown): void {
    restUntil = Date.now() + REST_MS;
    if (!alone) log.warn({ err: error }, 'rates are counted per process until Redis answers again');
    alone = true;
  }

  const buckets = new Map<RateName, Bucket>(
    (Object.keys(limits) as RateName[]).map((name) => {
      const options = {
        points: limits[name],
        duration: WINDOW_SECONDS,
        keyPrefix: `countersign:rate:${name}`,
      };
      const shared =
        redis &&
        new RateLimiterRedis({
          ...options,
          storeClient: redis,
          rejectIfRedisNotReady: true,
        });
      return [name, { own: new RateLimiterMemory(options), shared }];
    }),
  );
  redis?.on('error', countAlone);
  redis?.on('ready', () => {
    restUntil = 0;
  });

  async function count({ own, shared }: Bucket, key: string, calls: number): Promise<void> {
    if (shared && Date.now() >= restUntil) {
      try {
        await shared.consume(key, calls);
        alone = false;
        return;
      } catch (excess) {
        if (excess instanceof RateLimiterRes) throw excess;
        countAlone(excess);
      }
    }
    await own.consume(key, calls);
  }

  /** Until when a bucket is empty, by its name and key: a caller over a limit is refused without asking again. */
  const empty = new Map<string, number>();

  function excessOf(bucket: RateName, until: number): RateExcess {
    const seconds = Math.max(1, Math.ceil((until - Date.now()) / 1_000));
    return { policy: bucket, limit: limits[bucket], seconds };
  }

  function knownExcess({ bucket, key = '' }: Take): RateExcess | null {
    const name = `${bucket} ${key}`;
    const until = empty.get(name);
    if (until === undefined) return null;
    if (until > Date.now()) return excessOf(bucket, until);
    empty.delete(name);
    return null;
  }

  async function takeOne({ bucket, key = '', calls = 1 }: Take): Promise<RateExcess | null> {
    try {
      await count(buckets.get(bucket) as Bucket, key, calls);
      return null;
    } catch (excess) {
      const wait = excess instanceof RateLimiterRes ? excess.msBeforeNext : 1_000;
      const until = Date.now() + wait;
      // The first is the one that was put in longest ago.
      if (empty.size >= MOST_EMPTY) empty.delete(empty.keys().next().value as string);
      empty.set(`${bucket} ${key}`, until);
      return excessOf(bucket, until);
    }
  }

  const first = (found: readonly (RateExcess | null)[]) =>
    found.find((excess) => excess !== null) ?? null;

  return {
    async take(takes) {
      return first(takes.map(knownExcess)) ?? first(await Promise.all(takes.map(takeOne)));
    },
    isEmpty: (bucket, key) => knownExcess({ bucket, key }) !== null,
    async close() {
      redis?.disconnect();
    },
  };
}

function connect(servers: RedisServers): RedisClient {
  return connectRedis(servers, {
    connectionName: 'countersign-gateway-rates',
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: 2_000,
    commandTimeout: ANSWER_WITHIN_MS,
    enableAutoPipelining: true,
    retryStrategy: (attempt) => Math.min(100 * attempt, 2_000),
  });
}
