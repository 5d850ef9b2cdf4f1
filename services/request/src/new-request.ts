import { randomInt } from 'node:crypto';
import { commit } from '@countersign/database';
import type { NewRecord, StepStatement, Values } from '@countersign/database';
import type { OperationCall } from '@countersign/platform';
import type { JsonText, RequestStatus } from '@countersign/protocol';
import type { CreationInput } from './creation-input.js';
import type { Prepared } from './creation.js';
import type { RequestDeps } from './deps.js';
import { NO_PARTS, statusText } from './status-view.js';
import { SLOTS, quotaRefusal } from './store/creation.js';
import type { CreationRow } from './store/creation.js';

/** The data that `request.supersede` saves of the request that it replaces. */
interface Replaced {
  readonly records: readonly NewRecord[];
  readonly values: Values;
}

/**
 * Saves the new request of `request.create` or `request.supersede` with its events, deadlines and answer. Answers its
 * RequestStatus, which is the answer to the call. Throws the refusal of a quota that is used up.
 */
export async function saveNewRequest(
  deps: RequestDeps,
  statement: StepStatement,
  call: OperationCall<'request.create' | 'request.supersede', CreationInput>,
  row: CreationRow,
  { request, creation, transition }: Prepared,
  replaced?: Replaced,
): Promise<JsonText<RequestStatus>> {
  const { tenant } = call.caller;
  const { id } = request;
  const { owner, digest, canonical } = creation;
  const { next } = transition;
  const status = { id, digest, canonical, lifecycle: next, row };
  const body = statusText(status, NO_PARTS, deps.notary.origin);
  const slot = randomInt(SLOTS);
  const on = { tenant, id, owner, version: 1, request, row };
  try {
    await commit(deps, statement, on, transition, {
      before: next.reviewDeadline,
      answer: { call, status: 201, result: body },
      others: replaced?.records ?? [],
      own: { ...deps.creations.valuesOf(creation), slot, ...replaced?.values },
      // Beside quotas, which are the tenant's, creations meet in this row alone.
      holds: `${tenant} ${owner} ${slot}`,
    });
  } catch (error) {
    throw quotaRefusal(error) ?? error;
  }
  return body;
}
