import { Cluster, Redis, SentinelConnector } from 'ioredis';
import type { RedisOptions as AllOptions, SentinelConnectionOptions } from 'ioredis';
import type { RedisServers } from './redis-servers.js';

export type RedisClient = Redis | Cluster;

/** Replies in their usual form. */
type RedisOptions = Omit<AllOptions, 'replyMapping'>;

/** The options of both kinds of clients, beside their servers. */
export type RedisClientOptions = Pick<
  RedisOptions,
  | 'connectionName'
  | 'connectTimeout'
  | 'commandTimeout'
  | 'enableOfflineQueue'
  | 'enableAutoPipelining'
  | 'maxRetriesPerRequest'
> & { readonly retryStrategy: (attempt: number) => number | null };

/**
 * A client that is connecting, and connects again for ever unless `retryStrategy` gives null. With Sentinels it follows the
 * primary; within a cluster it follows the keys. Its `error` events are the caller's to hear.
 */
export function connectRedis(servers: RedisServers, options: RedisClientOptions): RedisClient {
  const { retryStrategy, enableOfflineQueue, enableAutoPipelining, ...connection } = options;
  const [first] = servers.urls.map((url) => new URL(url));
  if (first === undefined) throw new TypeError('Redis has no address');
  const common = {
    ...connection,
    ...given('username', servers.username ?? decodeURIComponent(first.username)),
    ...given('password', servers.password ?? decodeURIComponent(first.password)),
    ...tlsOf(first, servers),
  };
  const queueing = {
    ...given('enableOfflineQueue', enableOfflineQueue),
    ...given('enableAutoPipelining', enableAutoPipelining),
  };
  if (servers.cluster === true) {
    return new Cluster(servers.urls.map(addressOf(6379)), {
      ...queueing,
      redisOptions: common,
      clusterRetryStrategy: retryStrategy,
      // Certificates are for names: none is replaced by its address.
      dnsLookup: (name, found) => found(null, name),
    });
  }
  const single: RedisOptions = { ...common, ...queueing, retryStrategy, ...databaseOf(first) };
  if (servers.sentinel === undefined)
    return new Redis({ ...single, ...addressOf(6379)(first.href) });
  return new Redis({
    ...single,
    sentinels: servers.urls.map(addressOf(26379)),
    name: servers.sentinel,
    ...given('sentinelPassword', servers.sentinelPassword),
    ...('tls' in common && { enableTLSForSentinelMode: true, sentinelTLS: common.tls }),
    sentinelRetryStrategy: retryStrategy,
    // A primary that lost its office answers on: its Sentinels tell who follows it.
    failoverDetector: true,
    Connector: ReconnectingSentinelConnector,
  });
}

/**
 * Connects anew without the detector of failovers that belongs to the connection before. Such a detector ends the present
 * connection; where that was still being made, ioredis 6.0.0 takes it for a client that its owner closed.
 */
class ReconnectingSentinelConnector extends SentinelConnector {
  constructor(options: unknown) {
    super(options as SentinelConnectionOptions);
  }

  override connect(...report: Parameters<SentinelConnector['connect']>) {
    this.disconnect();
    return super.connect(...report);
  }
}

function addressOf(port: number) {
  return (url: string) => {
    const { hostname, port: named } = new URL(url);
    // IPv6 addresses stand in brackets there.
    return { host: hostname.replace(/^\[|\]$/g, ''), port: named === '' ? port : Number(named) };
  };
}

function databaseOf({ pathname }: URL): { db?: number } {
  const number = Number(pathname.slice(1));
  return number > 0 ? { db: number } : {};
}

function tlsOf({ protocol }: URL, { ca, cert, key }: RedisServers): Pick<RedisOptions, 'tls'> {
  if (protocol !== 'rediss:') return {};
  return { tls: { ...given('ca', ca), ...given('cert', cert), ...given('key', key) } };
}

function given<K extends string, V>(name: K, value: V | undefined): { [Name in K]?: V } {
  return value === undefined || value === ''
    ? {}
    : ({ [name]: value } as unknown as { [Name in K]: V });
}
