import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { textDigest } from '@countersign/protocol';
import type { Answer, Connection } from './connection.js';
import type { NewRequest } from './request-body.js';

/** `available` is no call: it lasts from confirmation's answer until a status read sees the grant available. */
export const STEPS = [
  'create',
  'propose',
  'confirm',
  'available',
  'claim',
  'admit',
  'outcome',
] as const;
export type Step = (typeof STEPS)[number];

/** Whom the load generator calls, and as whom. */
export interface Target {
  readonly origin: string;
  readonly producer: Readonly<Record<string, string>>;
  readonly reviewers: readonly Readonly<Record<string, string>>[];
  readonly route: string;
  /** Whether a grant has to be waited for. */
  readonly waits: boolean;
}

/** Told of every step as it ends: how long it took and how many bytes were answered. */
export type Note = (step: Step, ms: number, bytes: number) => void;

export interface Walker {
  readonly connection: Connection;
  readonly target: Target;
  readonly reviewer: Readonly<Record<string, string>>;
  readonly newRequest: (occurrence: string) => NewRequest;
  readonly wait: Waiting;
  readonly note: Note;
}

const PROPOSAL = JSON.stringify({
  decision: 'authorise',
  response: { reason: 'Tests pass, the migration is harmless, roll-back is known.' },
});
const LONGEST_WAIT_MS = 30_000;

/** One request's whole way, as producer and reviewer in turn. Throws at the first answer that is no success. */
export async function walk(walker: Walker): Promise<void> {
  const { connection, target, reviewer, wait, note } = walker;
  const post = async (
    step: Step,
    path: string,
    who: Readonly<Record<string, string>>,
    body: string,
  ): Promise<string> => {
    const began = performance.now();
    const headers = { ...who, 'idempotency-key': randomUUID() };
    let answer = await connection.send('POST', path, headers, body);
    // Busy is no failure: a caller asks again with its key, and the step has taken that long.
    for (let tries = 1; isBusy(answer) && tries < MOST_TRIES; tries += 1) {
      wait.busy += 1;
      await delay(wait.pauseMs);
      answer = await connection.send('POST', path, headers, body);
    }
    if (answer.status !== 200 && answer.status !== 201) throw refused(step, path, answer);
    note(step, performance.now() - began, answer.text.length);
    return answer.text;
  };

  const { body, bindingDigest } = walker.newRequest(`deploy/shop-frontend/${randomUUID()}`);
  const created = await post('create', '/v2/requests', target.producer, body);
  const { request } = JSON.parse(created) as { request: { id: string } };
  const path = `/v2/requests/${request.id}`;

  const candidate = await post('propose', `${path}/candidates`, reviewer, PROPOSAL);
  const { id } = JSON.parse(candidate) as { id: string };
  const confirmation = JSON.stringify({
    candidate_id: id,
    // Candidates are answered in canonical form.
    candidate_digest: textDigest(candidate),
  });
  await post('confirm', `${path}/confirm`, reviewer, confirmation);
  if (target.waits) await untilAvailable(walker, path);

  const identity = `run/${randomUUID()}`;
  const claim = await post(
    'claim',
    `${path}/claims`,
    target.producer,
    JSON.stringify({ execution_identity: identity, execution_binding_digest: bindingDigest }),
  );
  const { payload } = JSON.parse(claim) as { payload: { id: string } };
  await post(
    'admit',
    `${path}/admission`,
    target.producer,
    JSON.stringify({
      claim_id: payload.id,
      nonce: randomBytes(24).toString('base64url'),
      execution_identity: identity,
    }),
  );
  await post(
    'outcome',
    `${path}/outcomes`,
    target.producer,
    JSON.stringify({
      execution_identity: identity,
      status: 'completed',
      details: { version: '4.2.0', instances: 6 },
    }),
  );
}

const MOST_TRIES = 200;

/**
 * How grants are awaited: by status reads, the first one after three quarters of the time after which the reads that found
 * one were lately sent, the others `pauseMs` apart. Every read costs both sides, so a client that asks as soon as it can
 * measures mostly itself; the time that a read takes is no reason to send the next one later.
 */
export interface Waiting {
  readonly pauseMs: number;
  lately: number;
  reads: number;
  /** Answers that the service is too busy, after which a step was tried again. */
  busy: number;
}

const SHARE_OF_LATEST = 0.05;

export function newWaiting(pauseMs: number): Waiting {
  return { pauseMs, lately: 20, reads: 0, busy: 0 };
}

async function untilAvailable({ connection, target, wait, note }: Walker, path: string) {
  const began = performance.now();
  for (let pause = wait.lately * 0.75; ; pause = wait.pauseMs) {
    await delay(pause);
    const asked = performance.now() - began;
    const answer = await connection.send('GET', path, target.producer);
    wait.reads += 1;
    const waited = performance.now() - began;
    if (answer.status !== 200) throw refused('available', path, answer);
    if (answer.text.includes('"grant_state":"available"')) {
      wait.lately += (asked - wait.lately) * SHARE_OF_LATEST;
      note('available', waited, answer.text.length);
      return;
    }
    if (!answer.text.includes('"grant_state":"pending_anchor"') || waited > LONGEST_WAIT_MS) {
      throw refused('available', path, answer);
    }
  }
}

/** Too much at once: 503, or a schema check that did not get its processor in time. */
function isBusy({ status, text }: Answer): boolean {
  return status === 503 || (status === 400 && text.includes('"error":"schema_validation_timeout"'));
}

function refused(step: Step, path: string, { status, text }: Answer): Error {
  return new Error(`${step}: ${path} answered ${status} ${text.slice(0, 400)}`);
}
