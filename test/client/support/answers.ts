import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { RequestStatus, SignedRecord } from '@countersign/client';
import type { Vector } from '../../conformance/vectors/vector.js';

// Answers of a service, made of the vectors of the verifier.

export const VECTORS = resolve(__dirname, '../../conformance/vectors');
const ORIGIN = 'https://proto.example';

export interface Document {
  readonly request: RequestStatus['request'];
  readonly request_digest: string;
  readonly records: readonly SignedRecord[];
  readonly anchor: RequestStatus['anchor'];
}

export const vectorOf = (name: string) =>
  JSON.parse(readFileSync(join(VECTORS, `${name}.json`), 'utf8')) as Vector;
export const documentOf = ({ document = '' }: Vector) => JSON.parse(document) as Document;
/** The status that has the records of an export. */
export function statusOf({ request, request_digest, records, anchor }: Document): RequestStatus {
  const last = (...types: string[]) =>
    records.findLast(({ protected: { type } }) => types.includes(type)) ?? null;
  const [receipt, claim] = [last('DecisionReceipt'), last('ExecutionClaim')];
  const outcome = last('ExecutionOutcome', 'ExecutionReconciliation');
  const decision = (receipt?.payload as { decision?: string } | undefined)?.decision;
  return {
    ...{ request, request_digest, receipt, claim, outcome, anchor, revision: 3, delivery: [] },
    decision_state: receipt === null ? 'pending' : 'confirmed',
    audit_state: anchor === null ? 'pending' : 'anchored',
    grant_state:
      claim === null ? (decision === 'authorise' && anchor ? 'available' : 'none') : 'consumed',
    execution_state: outcome === null ? 'unclaimed' : outcomeOf(outcome),
    review_link: `${ORIGIN}/review/${request.id}`,
    polling_link: `${ORIGIN}/v2/requests/${request.id}`,
  };
}

const outcomeOf = ({ payload }: SignedRecord) =>
  (payload as { outcome: { status: RequestStatus['execution_state'] } }).outcome.status;

/** `fetch` of a service that answers so, one answer after the other. */
export function answering(answers: readonly unknown[]): typeof globalThis.fetch {
  let at = 0;
  return async (url) => {
    const body = answers[Math.min(at, answers.length - 1)];
    at += 1;
    return new Response(JSON.stringify(body), {
      status: String(url).endsWith('/claims') ? 201 : 200,
      headers: { 'content-type': 'application/json' },
    });
  };
}
