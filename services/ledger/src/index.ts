export { AnchorError, AnchorStoreUnfit, anchorKey } from './anchor/anchor-store.js';
export type { AnchorStore, CheckpointToAnchor } from './anchor/anchor-store.js';
export { FileAnchorStore } from './anchor/files.js';
export { openS3Anchors, openS3Copies } from './anchor/open.js';
export type { S3AnchorSettings } from './anchor/s3.js';
export type { S3AnchorCopies } from './anchor/s3-copies.js';
export {
  anchorWorkerModule,
  ledgerModule,
  securityCheckpointModule,
  treeModule,
} from './module.js';
export type { LedgerOptions } from './deps.js';
export { MetricsStore } from './store/metrics.js';
export { SecurityReadingStore } from './store/security-reading.js';
export { SecurityStore } from './store/security.js';
export { SecurityStreamStore } from './store/security-stream.js';
export type { StreamBounds } from './store/security-stream.js';
export { securityStreamMetrics } from './stream/metrics.js';
export { fileSink, stdoutSink } from './stream/lines.js';
export { otlpSink } from './stream/otlp.js';
export { securityStreamModule } from './stream/sender.js';
export type { CollectorTls, Sink } from './stream/sink.js';
export { syslogSink } from './stream/syslog.js';
export { securityMetrics, securityLagMetrics } from './security/metrics.js';
export { TreeStore } from './store/tree.js';
export { readWitness } from './tree/witness.js';
export type { Witness } from './tree/witness.js';
export { anchoredTimer, chainMetrics } from './chain-metrics.js';
export * as ledgerStatements from './store/statements.js';
export * as securityLogStatements from './store/security-stream.js';
