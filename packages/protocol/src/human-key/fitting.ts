import type { CredentialBound, RoutePolicy } from '../records/index.js';

/** The part of a policy about keys (protocol §18.2). */
export type KeyPolicy = NonNullable<RoutePolicy['human_key']>;

/** Whether a key, as its record binds it, is one that the policy takes (protocol §19.5). Service and verifier ask the same. */
export function fitsPolicy(
  { device_bound, attestation, aaguid, countersigned_by }: FittingKey,
  policy: KeyPolicy,
): boolean {
  return (
    (policy.device === 'any' || device_bound) &&
    (policy.attestation === 'none' || (attestation.verified && policy.aaguids.includes(aaguid))) &&
    (policy.enrolment === 'self' || countersigned_by !== null)
  );
}

type FittingKey = Pick<
  CredentialBound,
  'device_bound' | 'attestation' | 'aaguid' | 'countersigned_by'
>;
