import { EXAMPLES, SIGNED_RECORDS, SIGNING_POLICY } from '@countersign/protocol';
import type { RecordType, Signed, SignedRecord, SigningService } from '@countersign/protocol';
import { approvalRecords } from '../../evidence/approvals.js';
import { forged } from '../../evidence/forging.js';
import { serviceManifest } from '../../evidence/keys.js';
import type { KeyName } from '../../evidence/keys.js';
import { LEDGER_ID, clock, sign } from '../../evidence/ledger.js';
import type { Scenario } from '../../evidence/scenario.js';
import { buildEvidence, deliver } from '../../evidence/build-evidence.js';
import { accepted, refused } from '../vector.js';
import type { Options, Vector } from '../vector.js';

const TYPES = Object.keys(SIGNED_RECORDS) as RecordType[];
const SERVICES = Object.keys(SIGNING_POLICY) as SigningService[];
const MINE = { tenant: 'acme', audience: 'bot-7' };
const trust = serviceManifest();

/** Each service signs with its own key, as `countersign keygen` has it. */
const KEYS = Object.fromEntries(
  SERVICES.flatMap((service) =>
    SIGNING_POLICY[service].map((type): [RecordType, KeyName] => [type, `${service}-1`]),
  ),
) as Record<RecordType, KeyName>;

const evidence = buildEvidence({ keys: KEYS });
const { store } = evidence.ledger;
const RECORDS = oneOfEachType();
const withKeys = (keys: Scenario['keys']) => buildEvidence({ keys: { ...KEYS, ...keys } });

/** The record types of a key by its name (protocol R36): every service's key with every type, and records within others. */
export function keyVectors(): Vector[] {
  return [...signedByServices(), ...signedByOthers(), ...insideOthers()];
}

function signedByServices(): Vector[] {
  return SERVICES.flatMap((service) =>
    TYPES.map((type) => {
      const key = `${service}-1` as const;
      return (SIGNING_POLICY[service] as readonly RecordType[]).includes(type)
        ? good(key, type)
        : bad(key, type);
    }),
  );
}

function signedByOthers(): Vector[] {
  return [
    ...TYPES.map((type) => bad('gateway-1', type)),
    good('reviewer-1', 'DecisionReceipt'),
    good('ledger.1', 'DecisionReceipt'),
  ];
}

function insideOthers(): Vector[] {
  const delivered = (key: KeyName, event?: SignedRecord): SignedRecord => {
    const body = deliver(evidence, clock('09:11:00.000'), 'notifier-1').record;
    return forged(body, {
      key,
      ...(event === undefined ? {} : { payload: { event: event as never } }),
    });
  };
  const fresh = { ...MINE, received: '2026-05-01T09:11:01.000Z' };
  const event = (evidence.records['event'] as Signed).record;
  const receiptByNotifier = withKeys({ DecisionReceipt: 'notifier-1' });
  const checkpointByNotifier = withKeys({ AuditCheckpoint: 'notifier-1' });
  const reason = 'key_not_for_type';
  return [
    accepted(
      'key-export-of-services',
      'Every service signed its own records.',
      evidence.document,
      { code: 'anchor_proof', status: 'holds' },
      { trust, store },
    ),
    refused(
      'key-export-receipt-by-notifier',
      'The notifier’s key decided; everything else fits.',
      receiptByNotifier.document,
      { code: 'record_signature', path: '/records/0', reason },
      { trust, store: receiptByNotifier.ledger.store },
    ),
    refused(
      'key-export-checkpoint-by-notifier',
      'The notifier’s key anchored; everything else fits.',
      checkpointByNotifier.document,
      { code: 'anchor_proof', path: '/anchor', reason },
      { trust, store: checkpointByNotifier.ledger.store },
    ),
    refused(
      'key-proof-by-notifier',
      'An anchor proof by the notifier’s key.',
      checkpointByNotifier.document.anchor,
      { code: 'anchor_proof', reason },
      { trust, store: checkpointByNotifier.ledger.store },
    ),
    refused(
      'key-admission-proof-by-notifier',
      'An admission that carries an anchor proof by the notifier’s key.',
      (checkpointByNotifier.records['admission'] as Signed).record,
      { code: 'anchor_proof', path: '/payload/anchor', reason },
      { trust, store: checkpointByNotifier.ledger.store, expected: MINE },
    ),
    refused(
      'key-ledger-receipt-by-notifier',
      'A chain that holds a decision by the notifier’s key.',
      receiptByNotifier.ledger.entries,
      { code: 'range_entry', reason },
      { trust, store: receiptByNotifier.ledger.store },
    ),
    refused(
      'key-ledger-checkpoint-by-notifier',
      'A chain whose only checkpoint is by the notifier’s key.',
      checkpointByNotifier.ledger.entries,
      { code: 'range_store' },
      { trust, store: checkpointByNotifier.ledger.store, expected: { ledger: LEDGER_ID } },
    ),
    refused(
      'key-webhook-by-review',
      'A delivery by the key of the review service.',
      delivered('review-1'),
      { code: 'record_signature', path: '', reason },
      { trust, expected: fresh },
    ),
    refused(
      'key-webhook-event-by-gateway',
      'An event by the gateway’s key in a good delivery.',
      delivered('notifier-1', forged(event, { key: 'gateway-1' })),
      { code: 'record_signature', path: '/payload/event', reason },
      { trust, expected: fresh },
    ),
  ];
}

function good(key: KeyName, type: RecordType): Vector {
  const check = { code: 'record_signature', status: 'holds' } as const;
  const what = `A record of the type ${type} by the key ${key}, alone.`;
  return accepted(
    `key-${key}-${type}`,
    what,
    signedBy(key, type),
    check,
    optionsOf(type),
    'incomplete',
  );
}

function bad(key: KeyName, type: RecordType): Vector {
  const check = { code: 'record_signature', path: '', reason: 'key_not_for_type' } as const;
  const what = `A record of the type ${type} by the key ${key}, which may not sign it.`;
  return refused(`key-${key}-${type}`, what, signedBy(key, type), check, optionsOf(type));
}

function optionsOf(type: RecordType): Options {
  const expected = SIGNED_RECORDS[type].audience === 'producer' ? MINE : {};
  return { trust, expected };
}

/** A record of the type as the verifier wants it but for its key. */
function signedBy(key: KeyName, type: RecordType): SignedRecord {
  return forged(RECORDS.get(type) as SignedRecord, { key });
}

function oneOfEachType(): ReadonlyMap<string, SignedRecord> {
  const { ledger, document, ...rest } = buildEvidence({
    keys: KEYS,
    reconciliations: 1,
    discarded: true,
  });
  const own = { purpose: 'service', profiles: {}, issuedAt: clock('10:20:00.000') } as const;
  const fence = EXAMPLES.RecoveryFence;
  const records = [
    ...ledger.entries.map(({ record }) => JSON.parse(record ?? '') as SignedRecord),
    document.anchor?.checkpoint as SignedRecord,
    deliver({ ledger, document, ...rest }, own.issuedAt).record,
    sign('RouteConfigured', { ...own, audience: 'ops-1' }, EXAMPLES.RouteResult).record,
    ...Object.values(approvalRecords()).map(({ record }) => record),
    sign('RecoveryFence', { ...own, audience: 'proto.recovery', tenant: fence.key }, fence).record,
  ];
  return new Map(records.map((record) => [record.protected.type, record]));
}
