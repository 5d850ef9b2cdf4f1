// In the published bundle this takes the place of packages/protocol/src/signing/reasons.ts (build.mjs): programs act on the
// codes, and docs/protocol has their sentences.

export const VERIFICATION_REASONS: Readonly<Record<string, string>> = {};
export const PROOF_REASONS: Readonly<Record<string, string>> = {};
export const LEDGER_REASONS: Readonly<Record<string, string>> = {};
