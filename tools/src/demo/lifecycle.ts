import { randomBytes, randomUUID } from 'node:crypto';
import { canonicalText, valueDigest } from '@countersign/protocol';
import type {
  AdmissionStatus,
  AuditExport,
  DecisionCandidate,
  DecisionReceipt,
  ExecutionClaim,
  Material,
  RecordedOutcome,
  RequestInput,
  RequestList,
  RequestStatus,
  SignedRecord,
} from '@countersign/protocol';
import { apiOf } from '@countersign/deploy/client/api';
import type { Api } from '@countersign/deploy/client/api';
import { WAITING_SUMMARY, releaseNotesRequest } from '@countersign/deploy/client/release-notes';
import { until } from '@countersign/deploy/client/until';
import type { DemoFile } from '../launcher/demo-file.js';
import { PlainError } from '@countersign/deploy/plain-error';
import { deploymentRequest } from './deployment-request.js';
import { followEvents, followLedger } from './feeds.js';
import { logIn } from './login.js';
import { newNarrator } from './narrator.js';
import type { Narrator } from './narrator.js';
import { PAYMENT_SUMMARY, largePaymentRequest } from './large-payment.js';
import { fileExample } from './payment-batch.js';
import { newVerifier } from './verifier.js';
import type { Verifier } from './verifier.js';

interface DemoContext {
  readonly demo: DemoFile;
  readonly producer: Api;
  readonly verifier: Verifier;
  readonly narrator: Narrator;
}

/**
 * Drives one execution request through the running instance, as its producer, a reviewer and the operator would,
 * verifies all that comes back, and leaves a second request waiting. `subjectOf` maps a person to the name at the
 * development provider. Throws PlainError or ApiRefusal at the first thing that is not as it should be.
 */
export async function runLifecycle(
  demo: DemoFile,
  subjectOf: (person: string) => string,
  say: (line: string) => void,
): Promise<void> {
  say('\nOne request travels all the way:\n');
  const context: DemoContext = {
    demo,
    producer: apiOf(demo.origin, { token: demo.producer.token }),
    verifier: newVerifier(demo),
    narrator: newNarrator(say),
  };
  const before = await context.producer.newestEvent();
  const created = await create(context);
  await decide(context, created, subjectOf);
  const granted = await awaitGrant(context, created.request.id);
  await execute(context, granted);
  await audit(context, granted, before);
  await leaveOneWaiting(context);
  await leaveBatchWaiting(context);
  if (demo.approvals !== undefined) await leavePaymentWaiting(context, demo.approvals);
}

async function create({ demo, producer, verifier, narrator }: DemoContext): Promise<RequestStatus> {
  return narrator.step(
    `The producer ${demo.producer.id} asks: may I act?`,
    () =>
      producer.post<RequestStatus>(
        '/v2/requests',
        deploymentRequest(demo.routes.execution, Date.now()),
      ),
    ({ request, request_digest, decision_state, grant_state }) => {
      verifier.same('the request digest', valueDigest(request), request_digest);
      return [
        `"${request.summary}", on behalf of ${request.requester.subject}`,
        `request ${request.id}, accepted ${request.accepted_at}, to be reviewed by ${request.review_deadline}`,
        `digest  ${request_digest}, recomputed`,
        `decision ${decision_state}, grant ${grant_state}`,
      ];
    },
  );
}

async function decide(
  { demo, verifier, narrator }: DemoContext,
  { request, request_digest }: RequestStatus,
  subjectOf: (person: string) => string,
): Promise<void> {
  const reviewer = demo.people[1];
  if (reviewer === undefined) throw new PlainError('demo.json names no reviewer.');
  const path = `/v2/requests/${request.id}`;

  const session = await narrator.step(
    `${reviewer.name} logs in`,
    () => logIn(demo.origin, subjectOf(reviewer.id), { tenant: demo.tenant }),
    ({ subject }) => [`OpenID Connect code flow with PKCE; the session belongs to ${subject}`],
  );
  const human = apiOf(demo.origin, session);
  await narrator.step(
    'and reads what is asked',
    () => human.get<Material>(`${path}/material`),
    ({ payload, review_document }) => {
      verifier.same('the payload digest', request.review.payload_digest, valueDigest(payload));
      return [
        `document of ${review_document.length} characters, ${request.review.document_digest}`,
        `payload ${request.review.payload_digest}, recomputed`,
      ];
    },
  );
  await narrator.step(
    'takes the review',
    () => human.post<{ expires_at: string }>(`${path}/assignment`, {}),
    ({ expires_at }) => [`a lease until ${expires_at}, which grants no authority`],
  );
  const candidate = await narrator.step(
    'writes an answer, which the service freezes',
    () =>
      human.post<DecisionCandidate>(`${path}/candidates`, {
        decision: 'authorise',
        response: { reason: 'Tests pass, the migration is harmless, roll-back is known.' },
      }),
    (frozen) => {
      verifier.same('the response', canonicalText(frozen.response), frozen.response_canonical);
      return [
        `candidate ${frozen.id}, revision ${frozen.revision}`,
        `digest ${valueDigest(frozen)}`,
      ];
    },
  );
  await narrator.step(
    'and confirms exactly that answer',
    () =>
      human.post<SignedRecord>(`${path}/confirm`, {
        candidate_id: candidate.id,
        candidate_digest: valueDigest(candidate),
      }),
    (receipt) => {
      const said = verifier.record<DecisionReceipt>(receipt, {
        type: 'DecisionReceipt',
        audience: demo.producer.id,
        purpose: 'authorise_execution',
      });
      verifier.same('the receipt’s request', request_digest, said.request_digest);
      verifier.same('the receipt’s candidate', valueDigest(candidate), said.candidate_digest);
      return [
        `DecisionReceipt: ${said.reviewer} says ${said.decision} at ${said.confirmed_at}`,
        `signed by ${receipt.protected.key_id}, signature verified`,
        `digest ${valueDigest(receipt)}`,
      ];
    },
  );
}

interface Granted extends RequestStatus {
  receipt: SignedRecord;
  anchor: NonNullable<RequestStatus['anchor']>;
}

async function awaitGrant(
  { producer, verifier, narrator }: DemoContext,
  id: string,
): Promise<Granted> {
  return narrator.step(
    'The receipt is chained and anchored; then the grant is available',
    async () => {
      const status = await until(
        'A grant',
        () => producer.get<RequestStatus>(`/v2/requests/${id}`),
        ({ grant_state }) => grant_state !== 'pending_anchor',
      );
      verifier.same('the grant', 'available', status.grant_state);
      if (status.receipt === null || status.anchor === null) {
        throw new PlainError('A grant became available without receipt or anchor.');
      }
      return { ...status, receipt: status.receipt, anchor: status.anchor };
    },
    ({ receipt, anchor }) => {
      const { sequence, head } = verifier.anchor(anchor, receipt);
      return [
        `checkpoint at entry ${sequence}, head ${head}`,
        `kept as ${anchor.acceptance.key} until ${anchor.acceptance.retained_until}`,
        `proof of ${anchor.proof.length} nodes recomputed, the store’s own copy compared`,
      ];
    },
  );
}

async function execute(
  { demo, producer, verifier, narrator }: DemoContext,
  granted: Granted,
): Promise<void> {
  const { request, receipt } = granted;
  const path = `/v2/requests/${request.id}`;
  const expected = { audience: demo.producer.id, purpose: 'authorise_execution' } as const;
  const execution_identity = `run/${randomUUID()}`;
  const execution_binding_digest = valueDigest(request.execution);

  const claim = await narrator.step(
    'The producer claims the right to act, which only one can',
    () =>
      producer.post<SignedRecord>(`${path}/claims`, {
        execution_identity,
        execution_binding_digest,
      }),
    (record) => {
      const said = verifier.record<ExecutionClaim>(record, { type: 'ExecutionClaim', ...expected });
      verifier.same('the claim’s receipt', valueDigest(receipt), said.receipt_digest);
      return [
        `ExecutionClaim ${said.id} for ${said.action_occurrence_id}`,
        `dispatch before ${said.dispatch_before}, ${said.execution_seconds} s to run; signature verified`,
      ];
    },
  );
  const nonce = randomBytes(24).toString('base64url');
  const claim_id = (claim.payload as unknown as ExecutionClaim).id;
  await narrator.step(
    'is admitted at this moment',
    () => producer.post<SignedRecord>(`${path}/admission`, { claim_id, nonce, execution_identity }),
    (record) => {
      const said = verifier.record<AdmissionStatus>(record, {
        type: 'AdmissionStatus',
        ...expected,
      });
      verifier.same('the admission’s nonce', nonce, said.nonce);
      verifier.same('the admission’s claim', valueDigest(claim), said.claim_digest);
      return [`AdmissionStatus checked at ${said.checked_at}, nonce ${nonce}; signature verified`];
    },
  );
  await narrator.step(
    'acts, and reports what came of it',
    () =>
      producer.post<SignedRecord>(`${path}/outcomes`, {
        execution_identity,
        status: 'completed',
        details: { version: '4.2.0', instances: 6 },
      }),
    (record) => {
      const said = verifier.record<RecordedOutcome>(record, {
        type: 'ExecutionOutcome',
        ...expected,
      });
      return [`ExecutionOutcome ${said.outcome.status} at ${said.recorded_at}; signature verified`];
    },
  );
}

async function audit(context: DemoContext, granted: Granted, before: number): Promise<void> {
  const { producer, verifier, narrator } = context;
  const { id } = granted.request;
  await narrator.step(
    'Everything can be exported',
    () => producer.get<AuditExport>(`/v2/requests/${id}/export`),
    ({ records, request, request_digest, anchor }) => {
      verifier.same('the exported request', valueDigest(request), request_digest);
      for (const record of records) {
        verifier.record(record, {
          type: ['DecisionReceipt', 'ExecutionClaim', 'AdmissionStatus', 'ExecutionOutcome'],
          audience: request.producer,
        });
      }
      if (anchor !== null) verifier.anchor(anchor, granted.receipt);
      const types = records.map(({ protected: { type } }) => type);
      return [`${records.length} signed records verified: ${types.join(', ')}`];
    },
  );
  await narrator.step(
    'The producer’s event feed tells the same story',
    () => followEvents(context, id, before),
    (events) => [
      `${events.map(({ reason }) => reason).join(' → ')}; ${events.length} signatures verified`,
    ],
  );
  await narrator.step(
    'The operator reads the ledger',
    () => followLedger(context, id, granted.anchor),
    ({ first, last }) => [
      `entries ${first} to ${last.sequence} chain without a gap, head ${last.head}`,
      'signatures verified, and the checkpoint lies on this chain',
    ],
  );
}

/** The id of the request of that summary that waits; `input` makes it when there is none. */
async function waiting(producer: Api, summary: string, input: () => RequestInput): Promise<string> {
  const { items } = await producer.get<RequestList>('/v2/requests?state=pending');
  const found = items.find((item) => item.summary === summary);
  if (found !== undefined) return found.id;
  return (await producer.post<RequestStatus>('/v2/requests', input())).request.id;
}

async function leaveOneWaiting({ demo, producer, narrator }: DemoContext): Promise<void> {
  await narrator.step(
    'A second request waits for you',
    () => waiting(producer, WAITING_SUMMARY, () => releaseNotesRequest(demo.routes.review)),
    (id) => [
      `"${WAITING_SUMMARY}": request ${id}`,
      `${demo.origin}/review/${id}, as ${demo.people
        .slice(1)
        .map(({ name }) => name)
        .join(' or ')}`,
    ],
  );
}

async function leaveBatchWaiting({ demo, producer, narrator }: DemoContext): Promise<void> {
  await narrator.step(
    'and a third, with an app to review it in',
    async () => {
      const { items } = await producer.get<RequestList>('/v2/requests?state=pending');
      return items.some(({ summary }) => summary.startsWith('Release payment batch'))
        ? 'it waits since an earlier start'
        : fileExample(demo);
    },
    (said) =>
      said
        .trim()
        .split('\n')
        .map((line) => line.trim()),
  );
}

async function leavePaymentWaiting(
  { demo, producer, narrator }: DemoContext,
  { route, voters }: NonNullable<DemoFile['approvals']>,
): Promise<void> {
  const named = (group: string) =>
    voters
      .filter((voter) => voter.group === group)
      .map(({ name, team }) => `${name} (team ${team})`)
      .join(', ');
  await narrator.step(
    'A fourth waits for three people',
    () => waiting(producer, PAYMENT_SUMMARY, () => largePaymentRequest(route, Date.now())),
    (id) => [
      `"${PAYMENT_SUMMARY}": request ${id}`,
      `one person of finance approves it: ${named('finance')}`,
      `and two of platform: ${named('platform')}; two people of one team count once`,
      `The first one freezes an answer at ${demo.origin}/review/${id} and approves it;`,
      'the others log in, read the same answer, and approve it too. Any of them may refuse.',
    ],
  );
}
