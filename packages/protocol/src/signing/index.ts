export { verifyAnchorProof } from './anchor-proof.js';
export { CHAIN_START, chainHead } from './chain.js';
export type { ChainPoint } from './chain.js';
export { generateSigningKey, restrictRemoteSigner, restrictSigner, signerFromPem } from './keys.js';
export type { KeySigner, KeyWindow, RemoteSigner } from './keys.js';
export { verifyLedgerRange } from './ledger-range.js';
export { SIGNING_POLICY, serviceOfKey } from './policy.js';
export type { SigningService } from './policy.js';
export { LEDGER_REASONS, PROOF_REASONS, VERIFICATION_REASONS } from './reasons.js';
export { signPayloadTextLater, signRecord } from './signed-record.js';
export type { RecordHeader, Signed } from './signed-record.js';
export { addKey, createTrustManifest, endKey, revokeKey } from './change-trust.js';
export type { NewKey } from './change-trust.js';
export {
  loadTrust,
  readTrustManifest,
  startUpFaults,
  trustManifestToJwks,
} from './trust-manifest.js';
export type { Trust } from './trust-manifest.js';
export { verifyRecord } from './verify-record.js';
export type { ExpectedRecord, Verification } from './verify-record.js';
export { fingerprintWords, isFingerprint, readFingerprint } from './fingerprint-words.js';
