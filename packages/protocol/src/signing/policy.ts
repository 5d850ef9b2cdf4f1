import type { ServiceName } from '../operations.js';
import type { RecordType } from '../records/index.js';
import { SIGNED_RECORDS } from '../records/index.js';

/** What each service may sign with its own key: a stolen notifier cannot sign a receipt. */
export const SIGNING_POLICY = {
  request: [
    'RequestChangedEvent',
    'MaterialDiscarded',
    'BundleRegistered',
    'PrincipalConfigured',
    'RouteConfigured',
  ],
  review: ['DecisionReceipt', 'RequestChangedEvent'],
  'execution-authority': [
    'ExecutionClaim',
    'AdmissionStatus',
    'ExecutionOutcome',
    'ExecutionReconciliation',
    'RequestChangedEvent',
  ],
  ledger: ['AuditCheckpoint', 'RequestChangedEvent'],
  notifier: ['WebhookDelivery', 'RequestChangedEvent'],
} as const satisfies Partial<Record<ServiceName, readonly RecordType[]>>;

export type SigningService = keyof typeof SIGNING_POLICY;

export function isRecordType(name: string): name is RecordType {
  return Object.hasOwn(SIGNED_RECORDS, name);
}

/** Whether a record of that type may carry that purpose (contract §2.5). */
export function fitsPurpose(type: RecordType, purpose: string): boolean {
  return SIGNED_RECORDS[type].purpose === 'service'
    ? purpose === 'service'
    : purpose === 'review' || purpose === 'authorise_execution';
}
