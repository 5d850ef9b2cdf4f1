/** The reasons why a signature by a person's key is refused: every code with its meaning (protocol §19.2). */
export const ASSERTION_REASONS = {
  client_data_malformed: 'The client data is no strict JSON object of at most 4096 bytes.',
  wrong_type: 'The browser was asked for something else than a signature.',
  wrong_challenge: 'It was given for something else than this statement.',
  wrong_origin: 'It was given on another site.',
  cross_origin: 'It was given in a frame of another site.',
  token_binding: 'It is bound to a TLS connection, which cannot be checked later.',
  authenticator_data_malformed: 'The authenticator data is not what its flags announce.',
  wrong_relying_party: 'The key was asked for another site.',
  user_not_present: 'The authenticator was not touched.',
  user_not_verified: 'The authenticator did not verify its user.',
  wrong_backup: 'The key can be copied although it was bound as one that cannot, or the reverse.',
  attestation_malformed:
    'The attestation object is none of the format "none", or holds something else.',
  unusable_key: 'The public key is none of its curve and algorithm.',
  malformed_signature: 'The signature is not the one spelling of a signature of its algorithm.',
  wrong_signature: 'The signature does not fit what was signed.',
} as const;

export type AssertionReason = keyof typeof ASSERTION_REASONS;
