import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { valueDigest } from '@countersign/protocol';
import type { Answer, Client } from '../../support/client.js';
import { executionBinding, executionInput } from '../../support/requests.js';
import { attempt, insist } from './insist.js';
import type { Attempts } from './insist.js';
import type { Cast } from './fixture.js';

export type Step = 'create' | 'propose' | 'confirm' | 'claim' | 'admit' | 'report';

/** The answers that one client got, from the creation of a request to its end. */
export interface Journal {
  readonly requestId: string;
  readonly occurrence: string;
  readonly identity: string;
  /** Every success, as it was sent: repeated calls more than once, admissions once a nonce. */
  readonly answers: readonly { readonly step: Step; readonly text: string }[];
}

export interface LifecycleOptions {
  /** Members of the request in place of the usual ones. */
  readonly changes?: Record<string, unknown>;
  /**
   * Processes of the release before take part. A gateway sends an admission without an answer again, and theirs refuse it:
   * they do not know that it is the same call. The client takes a new nonce then, as after a lost answer.
   */
  readonly withReleaseBefore?: boolean;
}

const LOOK_EVERY_MS = 30;
const AVAILABLE_WITHIN_MS = 90_000;

/**
 * Takes one request from its creation to its outcome, and never gives up: each call is repeated under its key until it is
 * answered, an admission under a new nonce. Then tries forbidden calls: a second claim, a spent nonce. Throws at the first
 * answer that is neither the success nor the refusal that belongs there.
 */
export async function completeLifecycle(
  cast: Cast,
  attempts: Attempts,
  { changes = {}, withReleaseBefore = false }: LifecycleOptions = {},
): Promise<Journal> {
  const { demo, producer, reviewer } = cast;
  const answers: { step: Step; text: string }[] = [];
  async function keyed(
    step: Step,
    client: Client,
    path: string,
    body: unknown,
    status: number,
    key: string = randomUUID(),
  ): Promise<Answer> {
    const answer = expectAnswer(await insist(client, attempts, path, { body, key }), status);
    answers.push({ step, text: answer.text });
    return answer;
  }

  const binding = (changes['execution'] ?? executionBinding()) as ReturnType<
    typeof executionBinding
  >;
  const input = executionInput(demo, { execution: binding, ...changes });
  const created = await keyed('create', producer, '/v2/requests', input, 201);
  const { id } = created.body.request;
  const path = `/v2/requests/${id}`;

  const proposal = { response: { note: 'seen' }, decision: 'authorise' };
  const candidate = await keyed('propose', reviewer, `${path}/candidates`, proposal, 201);
  const confirmation = {
    candidate_id: candidate.body.id,
    candidate_digest: valueDigest(candidate.body),
  };
  await keyed('confirm', reviewer, `${path}/confirm`, confirmation, 200);
  await untilAvailable(producer, attempts, path);

  const identity = `executor/${randomUUID()}`;
  const claimInput = {
    execution_identity: identity,
    execution_binding_digest: valueDigest(created.body.request.execution),
  };
  const claimKey = randomUUID();
  const claim = await keyed('claim', producer, `${path}/claims`, claimInput, 201, claimKey);
  await keyed('claim', producer, `${path}/claims`, claimInput, 201, claimKey);
  const another = { ...claimInput, execution_identity: `executor/${randomUUID()}` };
  expectRefusal(
    await insist(producer, attempts, `${path}/claims`, { body: another, key: randomUUID() }),
    'grant_unavailable',
  );

  const permit = { claim_id: claim.body.payload.id, execution_identity: identity };
  const { admission, nonce } = await admit(
    producer,
    attempts,
    `${path}/admission`,
    permit,
    withReleaseBefore,
  );
  answers.push({ step: 'admit', text: admission.text });
  expectRefusal(
    await insist(producer, attempts, `${path}/admission`, {
      body: { ...permit, nonce },
      key: null,
    }),
    'nonce_reused',
  );

  const outcome = { execution_identity: identity, status: 'completed', details: { note: 'done' } };
  await keyed('report', producer, `${path}/outcomes`, outcome, 200);
  return { requestId: id, occurrence: binding.action_occurrence_id, identity, answers };
}

/** An admission has no key: after a lost answer the client takes a new nonce. */
async function admit(
  client: Client,
  attempts: Attempts,
  path: string,
  permit: Record<string, unknown>,
  withReleaseBefore: boolean,
): Promise<{ admission: Answer; nonce: string }> {
  for (const end = performance.now() + 60_000; performance.now() < end; await delay(20)) {
    attempts.ended.throwIfAborted();
    const nonce = randomUUID();
    const answer = await attempt(client, attempts, path, { body: { ...permit, nonce }, key: null });
    if (answer === null || answer.status === 503) continue;
    if (withReleaseBefore && answer.body?.error === 'nonce_reused') continue;
    return { admission: expectAnswer(answer, 200), nonce };
  }
  throw new Error(`${path} was never answered`);
}

async function untilAvailable(client: Client, attempts: Attempts, path: string): Promise<void> {
  for (const end = performance.now() + AVAILABLE_WITHIN_MS; ; await delay(LOOK_EVERY_MS)) {
    const status = expectAnswer(await insist(client, attempts, path, { method: 'GET' }), 200);
    if (status.body.grant_state === 'available') return;
    if (status.body.grant_state !== 'pending_anchor' || performance.now() > end) {
      throw new Error(`${path} has the grant ${status.body.grant_state}`);
    }
  }
}

export function expectAnswer(answer: Answer, status: number): Answer {
  if (answer.status !== status) {
    throw new Error(`expected ${status}, was answered ${answer.status} ${answer.text}`);
  }
  return answer;
}

export function expectRefusal(answer: Answer, code: string): void {
  if (answer.status !== 409 || answer.body?.error !== code) {
    throw new Error(`expected 409 ${code}, was answered ${answer.status} ${answer.text}`);
  }
}

/** Does `work` for 0 … `many` - 1, `atOnce` at a time; the first failure ends it. */
export async function inParallel<T>(
  many: number,
  atOnce: number,
  work: (index: number) => Promise<T>,
): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  let failed = false;
  const worker = async (): Promise<void> => {
    while (next < many && !failed) {
      const index = next;
      next += 1;
      try {
        results[index] = await work(index);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}
