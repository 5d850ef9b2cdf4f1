// ARCHIVED AND UNSUPPORTED: see README.md.
export { openClient } from './client.js';
export type { Client, ClientOptions, Ending, TransportKind } from './client.js';
