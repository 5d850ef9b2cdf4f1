import type { ServiceName } from '@countersign/protocol';

/** `countersign.<service>.<operation>`. */
export function subjectOf(name: string): `countersign.${string}` {
  return `countersign.${name}`;
}

/** A service that the gateway asks. */
export type AskedService = Exclude<ServiceName, 'gateway'>;

/** The service that answers it. */
export function serviceOf(subject: string): AskedService {
  return subject.split('.')[1] as AskedService;
}

// Questions between services that are none of the operations of the protocol.

/** Asked before the body of an operation with `preflight` is read. */
export const PREFLIGHT_SUBJECT = subjectOf('request.preflight');

/** Reads of a tenant's tree below /log/. */
export const TREE_SUBJECT = subjectOf('ledger.tree');

/** Whether a response schema, and a response, are good (protocol §10). */
export const SCHEMA_SUBJECT = subjectOf('schema.check');
