export { answer, storedReply } from './answer.js';
export type { Answer, OperationAnswer } from './answer.js';
export { traceBus } from './bus/traced.js';
export { busFaultOf } from './bus/fault.js';
export { createInProcessBus } from './bus/in-process.js';
export { createNatsBus } from './bus/nats.js';
export type { NatsLogin } from './bus/nats-link.js';
export { throttle } from './bus/throttle.js';
export type { ParcelStore } from './bus/parcels.js';
export { createFurtherTries } from './bus/further-tries.js';
export { SMALL_BODY_BYTES } from './bus/responder.js';
export type {
  Bus,
  BusBody,
  BusFaultKind,
  BusHandler,
  BusHeaders,
  BusReply,
  BusRequest,
} from './bus/types.js';
export { BODY_LIMITS, BodyWorkers } from './body-workers/body-workers.js';
export type { BodyPlace } from './body-workers/body-workers.js';
export type { BodyOwner } from './body-workers/places.js';
export { withInput } from './body-workers/with-input.js';
export type { ReadBody } from './body-workers/with-input.js';
export { createApprovalMetrics } from './approval-metrics.js';
export type { ApprovalMetrics } from './approval-metrics.js';
export { createKeyMetrics } from './key-metrics.js';
export type { KeyMetrics } from './key-metrics.js';
export { cachedGauges } from './cached-gauges.js';
export type { GaugeSample } from './cached-gauges.js';
export { CALL_SECONDS, meteredBus } from './bus-metrics.js';
export { readCallerKey, readCallerKeys } from './caller.js';
export type { Caller, CallerKey, CallerKeys } from './caller.js';
export { changing } from './changing.js';
export type { Changing } from './changing.js';
export { createDatabaseClock } from './database-clock.js';
export type { DatabaseClock } from './database-clock.js';
export { deadlineWorker, jobOf } from './deadline-worker.js';
export type {
  DeadlineSource,
  DueItem,
  Effect,
  UpcomingItem,
  WorkerRuntime,
} from './deadline-worker.js';
export { ConfigurationError, flag, list, loadConfig, wholeNumber } from './config.js';
export type { Configuration, ConfigurationFault, ConfigurationShape } from './config.js';
export { REDIS_SETTINGS, redisFaults, redisServers } from './redis-servers.js';
export type { RedisServers } from './redis-servers.js';
export { healthListener } from './health.js';
export { isId, newId } from './ids.js';
export { drawBytes } from './random.js';
export { createLogger } from './log.js';
export type { LogLevel, Logger } from './log.js';
export { assembleModules } from './module.js';
export type { Module, Modules } from './module.js';
export { startLoop } from './loop.js';
export type { Loop } from './loop.js';
export * from './messages/index.js';
export * from './notary.js';
export type { AdminCall, OperationCall, OperationHead } from './operation-call.js';
export { SchemaChecks } from './schema-check/asking.js';
export { untilDelivered } from './bus/until-delivered.js';
export { firstSchemaAnswer } from './schema-check/first-answer.js';
export * from './long-answer.js';
export * from './turn.js';
export * from './serve-operation.js';
export * from './sharing.js';
export { LARGE_ANSWER, isLargeAnswer, readSized } from './sized-answer.js';
export type { LargeStep } from './sized-answer.js';
export * from './subjects.js';
export { inSpan, inSpanOfEach, openCall, openSpan, recordedTraceparent } from './spans.js';
export type { OpenSpan } from './spans.js';
export {
  createMetrics,
  currentTrace,
  inTrace,
  newTrace,
  traceparentOf,
  tracerInUse,
} from './telemetry.js';
export type { Trace } from './telemetry.js';
export { Counter, Gauge, Histogram } from 'prom-client';
export type { Registry } from 'prom-client';
export { sourceOfLine } from './source-of-line.js';
export { KeyedWorker } from './keyed-worker.js';
export { createWorkerMetrics } from './worker-metrics.js';
export type { WorkerMetrics } from './worker-metrics.js';
export { HINTS } from './service.js';
export type { ServiceRuntime } from './service.js';
export { SignerUnavailable } from './signers/vault-call.js';
export { kubernetesLogin } from './signers/vault-login.js';
export { TransitEngine } from './signers/vault-transit.js';
export type { TransitSettings, TransitVersion } from './signers/vault-transit.js';
