import type { Logger } from '@countersign/platform';
import type { DEFAULT_RATES } from '@countersign/protocol';
import { Redis } from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';

const WINDOW_SECONDS = 60;
/** How long the shared store is left alone after a fault, so that a hanging one delays nobody. */
const REST_MS = 1_000;
const ANSWER_WITHIN_MS = 250;

/** Calls per fixed window of 60 s (contract §9.4). */
export type RateName = keyof typeof DEFAULT_RATES;
export type RateLimits = Readonly<Record<RateName, number>>;

/** What a refused caller is told. */
export interface RateExcess {
  readonly policy: RateName;
  readonly limit: number;
  /** Whole seconds until the window ends, at least 1. */
  readonly seconds: number;
}

export interface Rates {
  /** Counts one call; the answer is null while the bucket has room. Never throws. */
  take(bucket: RateName, key?: string): Promise<RateExcess | null>;
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
  redisUrl: string | undefined,
  log: Pick<Logger, 'warn'>,
): Rates {
  const redis = redisUrl === undefined ? null : connect(redisUrl);
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
          // A caller over its limit is refused without asking again.
          inMemoryBlockOnConsumed: limits[name] + 1,
        });
      return [name, { own: new RateLimiterMemory(options), shared }];
    }),
  );
  redis?.on('error', countAlone);
  redis?.on('ready', () => {
    restUntil = 0;
  });

  async function count(bucket: Bucket, key: string): Promise<RateLimiterRes> {
    if (bucket.shared && Date.now() >= restUntil) {
      try {
        const room = await bucket.shared.consume(key);
        alone = false;
        return room;
      } catch (excess) {
        if (excess instanceof RateLimiterRes) throw excess;
        countAlone(excess);
      }
    }
    return bucket.own.consume(key);
  }

  return {
    async take(name, key = '') {
      try {
        await count(buckets.get(name) as Bucket, key);
        return null;
      } catch (excess) {
        const wait = excess instanceof RateLimiterRes ? excess.msBeforeNext : 1_000;
        return { policy: name, limit: limits[name], seconds: Math.max(1, Math.ceil(wait / 1_000)) };
      }
    },
    async close() {
      redis?.disconnect();
    },
  };
}

function connect(url: string): Redis {
  return new Redis(url, {
    connectionName: 'countersign-gateway-rates',
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: 2_000,
    commandTimeout: ANSWER_WITHIN_MS,
    enableAutoPipelining: true,
    retryStrategy: (attempt) => Math.min(100 * attempt, 2_000),
  });
}
