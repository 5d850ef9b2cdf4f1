import type { RecordName, RecordOf } from './registry.js';

/**
 * The signed record types (protocol §2.5): whose purpose and audience, which services sign it with their own key (R36;
 * this service writes no fence), whether the ledger holds it, its payload.
 */
export const SIGNED_RECORDS = {
  RequestChangedEvent: {
    purpose: 'request',
    signedBy: ['request', 'review', 'execution-authority', 'ledger', 'notifier'],
    audience: 'producer',
    ledger: true,
    payload: 'RequestChangedEvent',
  },
  DecisionReceipt: {
    purpose: 'request',
    signedBy: ['review'],
    audience: 'producer',
    ledger: true,
    payload: 'DecisionReceipt',
  },
  ExecutionClaim: {
    purpose: 'request',
    signedBy: ['execution-authority'],
    audience: 'producer',
    ledger: true,
    payload: 'ExecutionClaim',
  },
  AdmissionStatus: {
    purpose: 'request',
    signedBy: ['execution-authority'],
    audience: 'producer',
    ledger: true,
    payload: 'AdmissionStatus',
  },
  ExecutionOutcome: {
    purpose: 'request',
    signedBy: ['execution-authority'],
    audience: 'producer',
    ledger: true,
    payload: 'RecordedOutcome',
  },
  ExecutionReconciliation: {
    purpose: 'request',
    signedBy: ['execution-authority'],
    audience: 'producer',
    ledger: true,
    payload: 'RecordedReconciliation',
  },
  MaterialDiscarded: {
    purpose: 'request',
    signedBy: ['request'],
    audience: 'producer',
    ledger: true,
    payload: 'MaterialDiscarded',
  },
  BundleRegistered: {
    purpose: 'service',
    signedBy: ['request'],
    audience: 'publisher',
    ledger: true,
    payload: 'ReviewBundle',
  },
  PrincipalConfigured: {
    purpose: 'service',
    signedBy: ['request'],
    audience: 'operator',
    ledger: true,
    payload: 'PrincipalConfigured',
  },
  RouteConfigured: {
    purpose: 'service',
    signedBy: ['request'],
    audience: 'operator',
    ledger: true,
    payload: 'RouteResult',
  },
  RoutePolicyConfigured: {
    purpose: 'service',
    signedBy: ['request'],
    audience: 'operator',
    ledger: true,
    payload: 'RoutePolicyConfigured',
  },
  MembershipConfigured: {
    purpose: 'service',
    signedBy: ['request'],
    audience: 'proto.directory',
    ledger: true,
    payload: 'MembershipConfigured',
  },
  ApprovalRecord: {
    purpose: 'request',
    signedBy: ['review'],
    audience: 'producer',
    ledger: true,
    payload: 'ApprovalRecord',
  },
  ApprovalEnded: {
    purpose: 'request',
    signedBy: ['review', 'request'],
    audience: 'producer',
    ledger: true,
    payload: 'ApprovalEnded',
  },
  CredentialBound: {
    purpose: 'service',
    signedBy: ['request'],
    audience: 'proto.directory',
    ledger: true,
    payload: 'CredentialBound',
  },
  CredentialEnded: {
    purpose: 'service',
    signedBy: ['request'],
    audience: 'proto.directory',
    ledger: true,
    payload: 'CredentialEnded',
  },
  LegalHoldSet: {
    purpose: 'service',
    signedBy: ['request'],
    audience: 'proto.custody',
    ledger: true,
    payload: 'LegalHoldSet',
  },
  LegalHoldLifted: {
    purpose: 'service',
    signedBy: ['request'],
    audience: 'proto.custody',
    ledger: true,
    payload: 'LegalHoldLifted',
  },
  AuditCheckpoint: {
    purpose: 'service',
    signedBy: ['ledger'],
    audience: 'proto.audit',
    ledger: false,
    payload: 'AuditCheckpoint',
  },
  WebhookDelivery: {
    purpose: 'service',
    signedBy: ['notifier'],
    audience: 'producer',
    ledger: false,
    payload: 'WebhookDelivery',
  },
  RecoveryFence: {
    purpose: 'service',
    signedBy: [],
    audience: 'proto.recovery',
    ledger: false,
    payload: 'RecoveryFence',
  },
} as const satisfies Record<
  string,
  {
    purpose: 'request' | 'service';
    signedBy: readonly string[];
    audience:
      | 'producer'
      | 'publisher'
      | 'operator'
      | `proto.${'audit' | 'recovery' | 'directory' | 'custody'}`;
    ledger: boolean;
    payload: RecordName;
  }
>;

export type RecordType = keyof typeof SIGNED_RECORDS;
export type PayloadOf<Type extends RecordType> = RecordOf<(typeof SIGNED_RECORDS)[Type]['payload']>;
