export { busFaultOf } from './bus/fault.js';
export { createInProcessBus } from './bus/in-process.js';
export type { InProcessBusOptions } from './bus/in-process.js';
export { createNatsBus } from './bus/nats.js';
export type { NatsBusOptions } from './bus/nats.js';
export { createMemoryParcels } from './bus/parcels.js';
export type { ParcelStore } from './bus/parcels.js';
export type {
  Bus,
  BusFault,
  BusFaultKind,
  BusHandler,
  BusHeaders,
  BusReply,
  BusRequest,
  ServeOptions,
} from './bus/types.js';
export { createCallerMinter, createCallerVerifier } from './caller.js';
export type { Caller, CallerMinter, CallerVerifier } from './caller.js';
export { ConfigurationError, flag, list, loadConfig, wholeNumber } from './config.js';
export type { Configuration, ConfigurationFault, ConfigurationShape } from './config.js';
export { createHealthHandler, healthListener } from './health.js';
export type { HealthHandler, HealthListenerOptions, HealthOptions } from './health.js';
export { isId, newId } from './ids.js';
export { createLogger } from './log.js';
export type { LogLevel, LogOptions, Logger } from './log.js';
export { assembleModules, startModules } from './module.js';
export type { Module, ModuleOptions, Modules, Readiness } from './module.js';
export * from './notary.js';
export * from './schema-workers/pool.js';
export * from './serve-operation.js';
export {
  createMetrics,
  currentTrace,
  inTrace,
  newTrace,
  parseTraceparent,
  traceparentOf,
} from './telemetry.js';
export type { Trace } from './telemetry.js';
export { HINTS } from './service.js';
export type { ServiceRuntime } from './service.js';
