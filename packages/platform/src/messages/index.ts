export { newMessageKey, readMessageKeys } from './keys.js';
export type { MessageKey } from './keys.js';
export { LOCAL_SEALER, LOCAL_VERIFIER } from './local.js';
export { createMessageSealer } from './sealer.js';
export type { MessageSealer } from './sealer.js';
export { createMessageVerifier } from './verifier.js';
export type { MessageVerifier } from './verifier.js';
