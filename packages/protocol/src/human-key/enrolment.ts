import { valueDigest } from '../json/canonical.js';
import type {
  Assertion,
  CountersignStatement,
  CredentialBound,
  CredentialKey,
  EnrolmentStatement,
} from '../records/index.js';
import { assertionFault, judgeAssertion } from './assertion.js';
import { challengeOf } from './statement.js';
import type { AssertionReason } from './reasons.js';

/** What a new key signs (protocol §19.3). The service tells everything but the key, which the browser does. */
export function enrolmentStatement(
  of: Omit<EnrolmentStatement, 'statement' | 'public_key'>,
  publicKey: CredentialKey,
): EnrolmentStatement {
  const { issuer, tenant, principal, person, credential, issued_at, nonce } = of;
  return {
    statement: 'proto.enrolment-statement/1',
    ...{ issuer, tenant, principal, person, credential },
    public_key: publicKey,
    ...{ issued_at, nonce },
  };
}

/** What a person signs who vouches for an enrolment. `attempt` counts from 1. */
export function countersignStatement(
  of: Pick<CountersignStatement, 'issuer' | 'tenant' | 'operator' | 'person' | 'attempt'>,
  enrolment: EnrolmentStatement,
): CountersignStatement {
  const { issuer, tenant, operator, person, attempt } = of;
  return {
    statement: 'proto.countersign-statement/1',
    ...{ issuer, tenant, operator, person },
    enrolment: valueDigest(enrolment),
    attempt,
  };
}

/** A key as its record binds it: what a signature by it is judged with. */
export type BoundKey = Pick<
  CredentialBound,
  'public_key' | 'algorithm' | 'rp_id' | 'origin' | 'device_bound'
>;

/** Why an assertion over a statement does not count as signed by a bound key; null when it does. */
export function faultOfSigned(
  statement: object,
  assertion: Assertion,
  bound: BoundKey,
): AssertionReason | null {
  return assertionFault(
    judgeAssertion(assertion, { challenge: challengeOf(statement), ...expectedOf(bound) }),
  );
}

export function expectedOf({ public_key, algorithm, rp_id, origin, device_bound }: BoundKey) {
  return { origin, rpId: rp_id, key: public_key, algorithm, deviceBound: device_bound };
}

/** Whether the issuer's origin may use keys of that relying party (WebAuthn, 5.1.2): its host, or a domain above it. */
export function mayUse(rpId: string, origin: string): boolean {
  const host = /^https?:\/\/([^/:]+)(?::\d+)?$/.exec(origin)?.[1];
  return host !== undefined && (host === rpId || host.endsWith(`.${rpId}`));
}
