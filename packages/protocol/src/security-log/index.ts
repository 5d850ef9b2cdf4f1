export {
  isSecurityStatement,
  readSecurityStatement,
  securityStatement,
  verifySecurityCheckpoint,
} from './checkpoint.js';
export type { SecurityCheckpoint, SignedSecurityCheckpoint } from './checkpoint.js';
export { chainSecurityEvent } from './entry.js';
export type { SecurityEntry, SecurityEvent } from './entry.js';
export { INSTALLATION, SECURITY_KINDS, isSecurityKind } from './kinds.js';
export type { SecurityKind } from './kinds.js';
export { SECURITY_READS } from './reads.js';
export type { SecurityList, SecurityPages, SecurityParameter, SecurityRead } from './reads.js';
