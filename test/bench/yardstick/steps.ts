import { randomUUID } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import type pg from 'pg';
import { digestOf, eventOf, eventPayload, kept, signed, withSignature } from './records.js';
import type { About, Kept } from './records.js';

/** The services that a step needs. */
export interface Yardstick {
  readonly pool: pg.Pool;
  readonly key: KeyObject;
  readonly origin: string;
}

/** The body of a call, as JSON.parse gave it: nothing checks it. */
type Body = any;

/** Does a step on request `id` and returns its answer. */
export type StepHandler = (yardstick: Yardstick, id: string, body: Body) => Promise<string>;

const TENANT = 'yardstick';
const OWNER = 'producer-1';
const REVIEWER = 'reviewer-1';
const DAY_MS = 86_400_000;
/** Stands for a digest that only a read would tell: the same size, and no read. */
const ELSEWHERE = digestOf('what a read would tell');

/** By the last part of the path. */
export const STEP_HANDLERS: Readonly<Record<string, StepHandler>> = {
  requests: create,
  candidates: propose,
  confirm,
  claims: claim,
  admission: admit,
  outcomes: reportOutcome,
};

async function create(yardstick: Yardstick, _id: string, body: Body): Promise<string> {
  const id = randomUUID();
  const about = aboutOf(yardstick, id);
  const [at, deadline] = times();
  const payload = JSON.stringify(body.payload);
  const schema = JSON.stringify(body.response_schema);
  const document: string = body.review_document;
  const request = JSON.stringify({
    accepted_at: at,
    audit_delete_at: deadline,
    authority_namespace: id,
    authorisation_revision: 1,
    execution: body.execution,
    id,
    limits: LIMITS,
    metadata: body.metadata,
    private_delete_at: deadline,
    producer: OWNER,
    profiles: body.profiles,
    protocol_revision: body.protocol_revision,
    purpose: body.purpose,
    requester: { source: 'operator_directory', subject: 'owner-1' },
    review: {
      artefact_digest: body.artefact.digest,
      digest_rules: body.artefact.digest_rules,
      document_digest: digestOf(document),
      payload_digest: digestOf(payload),
      representation: body.artefact.representation,
      response_schema_digest: digestOf(schema),
    },
    review_deadline: deadline,
    route: body.route,
    summary: body.summary,
    tenant: TENANT,
  });
  const digest = digestOf(request);
  const eventId = randomUUID();
  const payloadOfEvent = eventPayload(eventId, about, 1, 'created', at);
  const event = signed(yardstick.key, 'RequestChangedEvent', about, payloadOfEvent, at);
  await call(yardstick, 'create_request', [
    TENANT,
    id,
    OWNER,
    body.route,
    body.summary,
    digest,
    request,
    payload,
    schema,
    document,
    body.execution.action_occurrence_id,
    deadline,
    ...valuesOf(event),
  ]);
  return `{"request":${request},"request_digest":"${digest}","decision_state":"pending","grant_state":"none","execution_state":"unclaimed","revision":1}`;
}

async function propose(yardstick: Yardstick, id: string, body: Body): Promise<string> {
  const [at] = times();
  const response = JSON.stringify(body.response);
  const candidate = {
    created_at: at,
    decision: body.decision,
    id: randomUUID(),
    request_digest: ELSEWHERE,
    request_id: id,
    response: body.response,
    response_canonical: response,
    response_digest: digestOf(response),
    reviewer: REVIEWER,
    revision: 1,
  };
  const open = JSON.stringify(candidate).slice(0, -1);
  const { digest, text } = kept(candidate.id, withSignature(yardstick.key, open));
  await call(yardstick, 'propose', [TENANT, id, REVIEWER, candidate.id, digest, text]);
  return text;
}

async function confirm(yardstick: Yardstick, id: string, body: Body): Promise<string> {
  const about = aboutOf(yardstick, id);
  const [at, deadline] = times();
  const receipt = signed(
    yardstick.key,
    'DecisionReceipt',
    about,
    {
      candidate_digest: body.candidate_digest,
      candidate_id: body.candidate_id,
      confirmed_at: at,
      decision: 'authorise',
      grant_deadline: deadline,
      purpose: 'authorise_execution',
      request_digest: ELSEWHERE,
      request_id: id,
      requester: 'owner-1',
      response_digest: ELSEWHERE,
      reviewer: REVIEWER,
    },
    at,
  );
  await move(yardstick, 'confirm', about, 2, at, receipt, [
    body.candidate_id,
    body.candidate_digest,
    deadline,
  ]);
  return receipt.text;
}

async function claim(yardstick: Yardstick, id: string, body: Body): Promise<string> {
  const about = aboutOf(yardstick, id);
  const [at, deadline] = times();
  const record = signed(
    yardstick.key,
    'ExecutionClaim',
    about,
    {
      action_occurrence_id: ELSEWHERE.slice(0, 58),
      claimed_at: at,
      dispatch_before: deadline,
      execution_binding_digest: body.execution_binding_digest,
      execution_identity: body.execution_identity,
      execution_seconds: 600,
      id: randomUUID(),
      receipt_digest: ELSEWHERE,
      request_digest: ELSEWHERE,
      request_id: id,
    },
    at,
  );
  await move(yardstick, 'claim', about, 4, at, record, [body.execution_identity]);
  return record.text;
}

async function admit(yardstick: Yardstick, id: string, body: Body): Promise<string> {
  const about = aboutOf(yardstick, id);
  const [at, deadline] = times();
  const record = signed(
    yardstick.key,
    'AdmissionStatus',
    about,
    {
      checked_at: at,
      claim_digest: ELSEWHERE,
      claim_id: body.claim_id,
      dispatch_before: deadline,
      execution_binding_digest: ELSEWHERE,
      execution_identity: body.execution_identity,
      execution_seconds: 600,
      nonce: body.nonce,
      request_id: id,
    },
    at,
  );
  await move(yardstick, 'admit', about, 5, at, record, [body.nonce]);
  return record.text;
}

async function reportOutcome(yardstick: Yardstick, id: string, body: Body): Promise<string> {
  const about = aboutOf(yardstick, id);
  const [at] = times();
  const record = signed(
    yardstick.key,
    'ExecutionOutcome',
    about,
    {
      claim_digest: ELSEWHERE,
      outcome: body,
      recorded_at: at,
      recorded_by: { kind: 'producer', subject: OWNER },
      request_id: id,
    },
    at,
  );
  await move(yardstick, 'report_outcome', about, 6, at, record, [body.status]);
  return record.text;
}

/** A step on the request's row, with its record and its event. */
async function move(
  yardstick: Yardstick,
  name: string,
  about: About,
  revision: number,
  at: string,
  record: Kept,
  own: readonly unknown[],
): Promise<void> {
  const event = eventOf(about, revision, name, at);
  await call(yardstick, name, [
    TENANT,
    about.requestId,
    OWNER,
    ...own,
    ...valuesOf(record),
    ...valuesOf(event),
  ]);
}

/** One function call, prepared once for each connection: one round trip, one transaction. */
async function call({ pool }: Yardstick, name: string, values: unknown[]): Promise<void> {
  const places = values.map((_, place) => `$${place + 1}`);
  await pool.query({ name, text: `SELECT ${name}(${places.join(', ')})`, values });
}

function aboutOf({ origin }: Yardstick, requestId: string): About {
  return { tenant: TENANT, owner: OWNER, requestId, origin };
}

function valuesOf({ id, digest, text }: Kept): string[] {
  return [id, digest, text];
}

/** Now, and a deadline a day ahead. */
function times(): [string, string] {
  const now = Date.now();
  return [new Date(now).toISOString(), new Date(now + DAY_MS).toISOString()];
}

const LIMITS = {
  audit_seconds: 31_536_000,
  bundle_bytes: 1_048_576,
  execution_seconds: 3600,
  grant_seconds: 3600,
  inline_result_bytes: 65_536,
  payload_bytes: 10_485_760,
  reconciliation_seconds: 86_400,
  response_bytes: 65_536,
  retained_bytes: 1_073_741_824,
  review_seconds: 86_400,
};
