import { randomUUID } from 'node:crypto';
import { textDigest, valueDigest } from '@countersign/protocol';
import type { Answer, Client } from './client.js';
import type { Demo } from './instance.js';

const digest = textDigest('an artefact');

/** A RequestInput of purpose review; `changes` replace members. */
export function reviewInput(demo: Demo, changes: Record<string, unknown> = {}) {
  return {
    protocol_revision: '2.0.0-draft.3',
    purpose: 'review',
    profiles: {},
    route: demo.routes.review,
    summary: 'Is this text right?',
    artefact: { digest, representation: 'text/plain', digest_rules: 'utf-8-sha256' },
    payload: { text: 'hello', list: [1, 2.5, true, null] },
    response_schema: {
      type: 'object',
      additionalProperties: false,
      required: ['note'],
      properties: { note: { type: 'string', maxLength: 100 } },
    },
    review_document: '# Is this text right?\n\nhello\n',
    ...changes,
  };
}

export function executionBinding(changes: Record<string, unknown> = {}) {
  return {
    action_occurrence_id: `pay/${randomUUID()}`,
    proposal_digest: digest,
    proposal_format: 'application/json',
    context_digest: digest,
    context_format: 'application/json',
    policy: { source: 'policy', revision: '1', digest },
    mode: 'durable',
    valid_until: new Date(Date.now() + 3_600_000).toISOString(),
    execution_seconds: 60,
    provenance: { profile: 'proto.execution', version: '1-draft.1', references: {} },
    ...changes,
  };
}

/** A RequestInput of purpose authorise_execution. */
export function executionInput(demo: Demo, changes: Record<string, unknown> = {}) {
  return reviewInput(demo, {
    purpose: 'authorise_execution',
    profiles: { 'proto.execution': '1-draft.1' },
    route: demo.routes.execution,
    summary: 'Pay invoice 17',
    execution: executionBinding(),
    ...changes,
  });
}

/** Freezes and confirms; gives the receipt's answer. */
export async function decide(
  reviewer: Client,
  requestId: string,
  decision: string,
  response: unknown = { note: 'seen' },
): Promise<Answer> {
  const candidate = await reviewer.post(`/v2/requests/${requestId}/candidates`, {
    response,
    decision,
  });
  if (candidate.status !== 201) return candidate;
  return reviewer.post(`/v2/requests/${requestId}/confirm`, {
    candidate_id: candidate.body.id,
    candidate_digest: valueDigest(candidate.body),
  });
}

/** How long a test lets a queue's store take: a busy machine is no failure. */
export const PATIENT_ENQUEUE_MS = 60_000;

/**
 * Asks until it is so; the state that was awaited is the assertion. The bound only ends tests that hang, before jest does.
 */
export async function until<T>(
  ask: () => Promise<T>,
  enough: (answer: T) => boolean,
  withinMs = 45_000,
): Promise<T> {
  const end = Date.now() + withinMs;
  for (;;) {
    const answer = await ask();
    if (enough(answer)) return answer;
    if (Date.now() > end)
      throw new Error(`never came: last seen ${JSON.stringify(answer)?.slice(0, 600)}`);
    await new Promise((resume) => setTimeout(resume, 15));
  }
}

export async function untilAvailable(client: Client, requestId: string): Promise<Answer> {
  return until(
    () => client.get(`/v2/requests/${requestId}`),
    (answer) => answer.body.grant_state === 'available',
  );
}

/** An execution request that a reviewer authorised and that is anchored: ready to be claimed. */
export async function authorisedRequest(
  demo: Demo,
  producer: Client,
  reviewer: Client,
  input: Record<string, unknown> = {},
): Promise<Answer> {
  const created = await producer.post('/v2/requests', executionInput(demo, input));
  if (created.status !== 201) throw new Error(`created: ${created.status} ${created.text}`);
  const decided = await decide(reviewer, created.body.request.id, 'authorise');
  if (decided.status !== 200) throw new Error(`decided: ${decided.status} ${decided.text}`);
  return untilAvailable(producer, created.body.request.id);
}

export function claimInput(status: Answer, identity = `executor/${randomUUID()}`) {
  return {
    execution_identity: identity,
    execution_binding_digest: valueDigest(status.body.request.execution),
  };
}
