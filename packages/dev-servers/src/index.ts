/** Stores as children of this process, for the launcher and the tests. The image has none of this. */
export { findBinary, findNats, findPostgres, findRedis } from './find-binary.js';
export type { PostgresBinaries } from './find-binary.js';
export { startNats } from './nats.js';
export type { NatsOptions } from './nats.js';
export { startPostgres } from './postgres.js';
export { postgresOwner } from './postgres-owner.js';
export type { PostgresOptions, RunningPostgres } from './postgres.js';
export { startRedis } from './redis.js';
export type { RedisOptions } from './redis.js';
export { freePort, isFreePort } from './free-port.js';
export type { RunningStore } from './server-process.js';
