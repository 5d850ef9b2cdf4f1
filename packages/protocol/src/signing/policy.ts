import type { RecordType } from '../records/index.js';
import { SIGNED_RECORDS } from '../records/index.js';
import { SERVICES } from '../services.js';
import type { ServiceName } from '../services.js';

export type SigningService = Extract<
  (typeof SIGNED_RECORDS)[RecordType]['signedBy'][number],
  ServiceName
>;

/**
 * The record types that each service may sign with its own key. Signers refuse other types, and so do verifiers (protocol
 * R36): a receipt by a stolen key of the notifier does not verify.
 */
export const SIGNING_POLICY = policyOf(SIGNED_RECORDS);

function policyOf(
  records: Readonly<Record<RecordType, { readonly signedBy: readonly SigningService[] }>>,
): Readonly<Record<SigningService, readonly RecordType[]>> {
  const policy: Partial<Record<SigningService, RecordType[]>> = {};
  for (const [type, { signedBy }] of Object.entries(records) as [
    RecordType,
    { readonly signedBy: readonly SigningService[] },
  ][]) {
    for (const service of signedBy) (policy[service] ??= []).push(type);
  }
  return policy as Record<SigningService, RecordType[]>;
}

/** A service that no record type names, such as the gateway, may sign none. */
const BY_SERVICE: Readonly<Partial<Record<ServiceName, readonly RecordType[]>>> = SIGNING_POLICY;

/** The service that a key id names: `review-…` is the review service's. Null for ids of other implementations. */
export function serviceOfKey(keyId: string): ServiceName | null {
  const services = Object.keys(SERVICES) as ServiceName[];
  return services.find((service) => keyId.startsWith(`${service}-`)) ?? null;
}

/** Whether a record of that type counts under that key (protocol R36). A key that names no service signs any type. */
export function keyMaySign(keyId: string, type: RecordType): boolean {
  const service = serviceOfKey(keyId);
  return service === null || (BY_SERVICE[service]?.includes(type) ?? false);
}

export function isRecordType(name: string): name is RecordType {
  return Object.hasOwn(SIGNED_RECORDS, name);
}

/** Whether a record of that type may carry that purpose (protocol §2.5). */
export function fitsPurpose(type: RecordType, purpose: string): boolean {
  return SIGNED_RECORDS[type].purpose === 'service'
    ? purpose === 'service'
    : purpose === 'review' || purpose === 'authorise_execution';
}
