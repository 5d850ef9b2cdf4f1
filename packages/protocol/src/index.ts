export * from './constants.js';
export * from './errors.js';
export * from './json/index.js';
export * from './lifecycle/index.js';
export * from './openapi/index.js';
export * from './operations.js';
export * from './records/index.js';
export * from './response-schema/index.js';
export * from './signing/index.js';

// Names that other folders use for the same thing: the schema and its type speak for all.
export { Digest, SignedRecord, TrustManifest } from './records/index.js';
