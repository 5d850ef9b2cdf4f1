import { SIGNED_RECORDS, valueDigest } from '@countersign/protocol';
import type {
  AnchorProof,
  AuditExport,
  PayloadOf,
  RecordType,
  RequestChangedEvent,
  Signed,
} from '@countersign/protocol';
import { ISSUER, signer } from './keys.js';
import type { KeyName } from './keys.js';
import { newVoting } from './voting.js';
import type { Scenario } from './scenario.js';
import { LEDGER_ID, clock, iso, newLedger, sign, uuid } from './ledger.js';
import type { Ledger } from './ledger.js';
import {
  ACCEPTED,
  BUNDLE,
  CONFIRMED,
  EXECUTOR,
  PRODUCER,
  REQUEST_ID,
  REVIEWER,
  ask,
  propose,
} from './request.js';
import type { Asked } from './request.js';

/** The evidence of a scenario. */
export interface Evidence {
  readonly document: AuditExport;
  readonly ledger: Ledger;
  readonly asked: Asked;
  /** By their names: `receipt`, `claim`, `admission`, `outcome`, `event` (the newest) … */
  readonly records: Readonly<Record<string, Signed>>;
}

const STEPS = ['asked', 'decided', 'anchored', 'claimed', 'admitted', 'reported'] as const;

/** Whom a record without a request is for; a constant for those of a directory (protocol §2.5). */
function audienceOf(type: RecordType): string {
  const { audience } = SIGNED_RECORDS[type];
  return audience.startsWith('proto.') ? audience : 'ops-1';
}

/** Runs one request through its lifecycle and makes the records that the service would make. */
export function buildEvidence(scenario: Scenario = {}): Evidence {
  const asked = ask(scenario);
  const { request, digest } = asked;
  const executes = request.purpose === 'authorise_execution';
  const decision = scenario.decision ?? (executes ? 'authorise' : 'approve');
  const granted = decision === 'authorise';
  const last = STEPS.indexOf(scenario.until ?? (granted ? 'reported' : 'anchored'));
  const reaches = (step: (typeof STEPS)[number]): boolean => STEPS.indexOf(step) <= last;

  const keyOf = (type: RecordType): KeyName => scenario.keys?.[type] ?? 'k-2026-01';
  const ledger = newLedger(LEDGER_ID, keyOf('AuditCheckpoint'));
  const named: Record<string, Signed> = {};
  const listed: Signed[] = [];
  let state: RequestChangedEvent['state'] = {
    decision: 'pending',
    audit: 'unanchored',
    grant: executes ? 'none' : 'not_applicable',
    execution: executes ? 'unclaimed' : 'not_applicable',
  };
  let revision = 0;
  let deadline = request.review_deadline;

  const at = (moment: keyof NonNullable<Scenario['at']>, usual: number): number => {
    const given = scenario.at?.[moment];
    return given === undefined ? usual : clock(given);
  };
  const made = <Type extends RecordType>(
    type: Type,
    at: number,
    usual: PayloadOf<Type>,
  ): Signed => {
    const payload = scenario.amend?.[type]?.(usual) ?? usual;
    const service = SIGNED_RECORDS[type].purpose === 'service';
    return sign(
      type,
      {
        purpose: service ? 'service' : request.purpose,
        profiles: service ? {} : request.profiles,
        audience: service ? audienceOf(type) : PRODUCER,
        issuedAt: at,
      },
      payload,
      signer(keyOf(type)),
    );
  };
  const keep = (name: string, record: Signed, inRecords: boolean) => {
    named[name] = record;
    if (inRecords) listed.push(record);
    return ledger.append(record, REQUEST_ID);
  };
  const event = (reason: string, at: number, changes: Partial<typeof state>) => {
    state = { ...state, ...changes };
    revision += 1;
    const changed = made('RequestChangedEvent', at, {
      event_id: uuid(revision),
      type: 'proto.request.changed',
      request_id: REQUEST_ID,
      revision,
      reason,
      state,
      deadline,
      status_ref: `${ISSUER}/v2/requests/${REQUEST_ID}`,
    });
    keep('event', changed, false);
  };
  const neighbour = (number: number, at: number) => {
    if (scenario.neighbours === false) return;
    const payload = { id: `bot-${number}`, kind: 'producer', enabled: true } as const;
    ledger.append(made('PrincipalConfigured', at, payload), null);
  };

  neighbour(1, clock('08:00:00.000'));
  if (scenario.neighbours !== false) {
    const registered = sign(
      'BundleRegistered',
      {
        purpose: 'service',
        profiles: {},
        audience: BUNDLE.publisher,
        issuedAt: clock('08:00:00.000'),
      },
      { ...BUNDLE, created_at: iso(clock('08:00:00.000')) },
      signer(keyOf('BundleRegistered')),
    );
    ledger.append(registered, null);
  }
  const voting =
    scenario.votes === undefined ? null : newVoting(scenario.votes, asked, { made, keep, event });
  for (const record of voting?.directory ?? []) ledger.append(record, null);
  event('created', ACCEPTED, {});
  neighbour(2, ACCEPTED);

  const answer = { ...(voting?.candidate ?? {}), ...scenario.candidate };
  const votes = reaches('decided') || scenario.votes?.undecided === true;
  const proposed = votes ? propose(asked, decision, answer) : null;
  const decided = proposed === null ? null : (voting?.decide(proposed) ?? { candidate: proposed });
  const candidate = reaches('decided') ? (decided?.candidate ?? null) : null;
  const confirmed = at('confirmed', decided?.at ?? CONFIRMED);
  let anchor: AnchorProof | null = null;
  if (candidate !== null && decided !== null) {
    const grant_deadline = '2026-05-02T09:00:00.000Z';
    const payload = {
      request_id: REQUEST_ID,
      request_digest: digest,
      candidate_id: candidate.id,
      candidate_digest: valueDigest(candidate),
      reviewer: decided.reviewer ?? REVIEWER,
      requester: 'owner-1',
      response_digest: candidate.response_digest,
      decision: candidate.decision,
      confirmed_at: iso(confirmed),
      purpose: request.purpose,
      ...(executes ? { grant_deadline } : {}),
      ...(decided.quorum === undefined ? {} : { quorum: decided.quorum }),
    } as PayloadOf<'DecisionReceipt'>;
    const entry = keep('receipt', made('DecisionReceipt', confirmed, payload), true);
    if (executes) deadline = grant_deadline;
    event('decision', confirmed, {
      decision: 'confirmed',
      audit: 'pending',
      ...(granted ? { grant: 'pending_anchor' as const } : {}),
    });
    if (reaches('anchored')) {
      neighbour(3, confirmed);
      anchor = ledger.anchor(at('anchored', confirmed + 1000), entry);
      event('anchor_accepted', confirmed + 1500, {
        audit: 'anchored',
        ...(granted ? { grant: 'available' as const } : {}),
      });
    }
  }

  if (granted && reaches('claimed') && anchor !== null) {
    const claimed = execute();
    if (reaches('reported')) report(claimed);
  }
  if (scenario.discarded) {
    const at = clock('10:00:00.000');
    keep(
      'discarded',
      made('MaterialDiscarded', at, {
        request_id: REQUEST_ID,
        request_digest: digest,
        reason: 'retention',
        recorded_by: { kind: 'producer', subject: PRODUCER },
      }),
      false,
    );
    event('material_deleted', at, state.decision === 'pending' ? { decision: 'expired' } : {});
  }

  function execute(): Signed {
    const { execution } = request;
    if (execution === undefined || anchor === null) throw new TypeError('nothing to execute');
    const claimedAt = at('claimed', clock('09:06:00.000'));
    const bounds = {
      request_id: REQUEST_ID,
      execution_identity: EXECUTOR,
      execution_binding_digest: valueDigest(execution),
      dispatch_before: '2026-05-02T09:00:00.000Z',
      execution_seconds: execution.execution_seconds,
    };
    const payload = {
      ...bounds,
      id: uuid(500),
      request_digest: digest,
      receipt_digest: (named['receipt'] as Signed).digest,
      action_occurrence_id: execution.action_occurrence_id,
      claimed_at: iso(claimedAt),
    };
    const claim = made('ExecutionClaim', claimedAt, payload);
    keep('claim', claim, true);
    if (scenario.secondClaim) {
      const second = { ...payload, id: uuid(501), execution_identity: 'runner-2/run-1' };
      keep('second claim', made('ExecutionClaim', claimedAt, second), true);
    }
    event('claimed', claimedAt, { grant: 'consumed', execution: 'claimed' });
    const admissions = reaches('admitted') ? (scenario.admissions ?? 1) : 0;
    for (let number = 1; number <= admissions; number += 1) {
      const checked = at('admitted', claimedAt + number * 1000);
      const admitted = made('AdmissionStatus', checked, {
        ...bounds,
        claim_id: uuid(500),
        claim_digest: claim.digest,
        checked_at: iso(checked),
        nonce: `n0nce_-${String(number).padStart(12, '0')}`,
        anchor: { ...anchor },
      });
      keep('admission', admitted, true);
      state = { ...state, execution: 'admitted' };
    }
    return claim;
  }

  function report(claim: Signed): void {
    const outcome = (
      at: number,
      status: 'completed' | 'failed',
      details: Record<string, string>,
    ) => ({
      request_id: REQUEST_ID,
      claim_digest: claim.digest,
      outcome: { execution_identity: EXECUTOR, status, details },
      recorded_at: iso(at),
    });
    const closed = at('reported', clock('09:10:00.000'));
    const reported = made('ExecutionOutcome', closed, {
      ...outcome(closed, 'completed', { transfer: 'T-2026-0815' }),
      recorded_by: { kind: 'producer', subject: PRODUCER },
    });
    keep('outcome', reported, true);
    if (scenario.secondOutcome) {
      const later = {
        ...outcome(closed + 1, 'failed', {}),
        recorded_by: { kind: 'producer', subject: PRODUCER },
      } as const;
      keep('second outcome', made('ExecutionOutcome', closed + 1, later), true);
    }
    event('outcome', closed, { execution: 'completed' });
    for (let number = 1; number <= (scenario.reconciliations ?? 0); number += 1) {
      const settled = closed + number * 1000;
      const details = { reason: 'The bank refused it', evidence: `statement-${number}` };
      const reconciled = made('ExecutionReconciliation', settled, {
        ...outcome(settled, 'failed', details),
        recorded_by: { kind: 'operator', subject: 'ops-1' },
      });
      keep('reconciliation', reconciled, true);
      event('outcome', settled, { execution: 'failed' });
    }
  }

  const document: AuditExport = {
    request,
    request_digest: digest,
    records: listed.map(({ record }) => record),
    audit: ledger.entries
      .filter(({ request_id }) => request_id === REQUEST_ID)
      .map(({ sequence, previous_head, head, record_digest, record }) => ({
        sequence,
        previous_head,
        head,
        record_digest,
        record,
      })),
    anchor,
    material: scenario.discarded ? null : { ...asked.material, candidate },
    ...(voting === null ? {} : { evidence: { records: voting.evidence() } }),
    verification: 'Verify every signature against keys that you obtained out of band.',
  };
  return { document, ledger, asked, records: named };
}

/** A delivery of the newest event, as a webhook receives it. */
export function deliver({ records }: Evidence, at: number, key: KeyName = 'k-2026-01'): Signed {
  const event = records['event'] as Signed;
  const { event_id } = event.record.payload as unknown as RequestChangedEvent;
  return sign(
    'WebhookDelivery',
    { purpose: 'service', profiles: {}, audience: PRODUCER, issuedAt: at },
    { delivery_id: uuid(700), event_id, timestamp: iso(at), event: event.record },
    signer(key),
  );
}
