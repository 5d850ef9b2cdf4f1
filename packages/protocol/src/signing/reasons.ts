/** The reasons why a record, a proof or a range of the ledger fails: every code with its meaning. */
export const VERIFICATION_REASONS = {
  malformed_record: 'It does not have the shape of a signed record.',
  issuer_mismatch: 'It was issued by another service than the trusted one.',
  audience_mismatch: 'It is addressed to someone else.',
  type_mismatch: 'It is a record of another type.',
  revision_mismatch: 'It belongs to another revision of the protocol.',
  tenant_mismatch: 'It belongs to another tenant.',
  purpose_mismatch: 'It serves another purpose.',
  profiles_mismatch: 'It was made under other profiles.',
  unknown_key: 'The trust manifest does not list the key that it names.',
  key_not_for_type: 'Its key belongs to a service that does not sign records of this type.',
  key_not_yet_valid: 'It was issued before its key became valid.',
  key_expired: 'It was issued after its key ran out.',
  key_revoked: 'It was issued after its key was revoked.',
  issued_in_future: 'It was issued more than 30 seconds in the future.',
  malformed_signature: 'Its signature is not 86 characters of canonical base64url.',
  wrong_signature: 'Its signature does not fit its content.',
} as const;

export const PROOF_REASONS = {
  ...VERIFICATION_REASONS,
  malformed_proof: 'It does not have the shape of an anchor proof.',
  checkpoint_mismatch: 'The checkpoint is of another ledger or generation.',
  empty_proof: 'The proof has no nodes.',
  receipt_not_proven: 'The proof starts at another record.',
  node_head_mismatch: 'A node of the proof does not hash to its head.',
  node_sequence_gap: 'The nodes of the proof are not consecutive.',
  node_chain_broken: 'A node of the proof does not follow the one before it.',
  checkpoint_not_reached: 'The proof ends elsewhere than the checkpoint.',
  stored_copy_differs: 'The anchor store holds something else than the checkpoint.',
  acceptance_digest_mismatch: 'The acceptance is of another checkpoint.',
  retention_too_short: 'The anchor store keeps the checkpoint for less than 90 days.',
} as const;

export const LEDGER_REASONS = {
  ...VERIFICATION_REASONS,
  malformed_entry: 'It does not have the shape of a ledger entry.',
  sequence_gap: 'Its number does not follow the one before it.',
  previous_head_mismatch: 'It does not continue the chain before it.',
  head_mismatch: 'Its head does not follow from its content.',
  record_not_canonical: 'Its record is not in canonical form.',
  record_digest_mismatch: 'Its record is not the one that was chained.',
  request_mismatch: 'Its record is about another request.',
  point_mismatch: 'The chain has another head here than the one already known.',
  point_outside_range: 'A known point of the chain lies outside these entries.',
} as const;

export type VerificationReason = keyof typeof VERIFICATION_REASONS;
export type ProofReason = keyof typeof PROOF_REASONS;
export type LedgerReason = keyof typeof LEDGER_REASONS;
