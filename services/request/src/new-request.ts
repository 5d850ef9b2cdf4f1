import type { Step } from '@countersign/database';
import type { OperationCall } from '@countersign/platform';
import type { JsonText, RequestStatus } from '@countersign/protocol';
import type { CreationInput } from './creation-input.js';
import type { Prepared } from './creation.js';
import type { RequestDeps } from './deps.js';
import { NO_PARTS, statusText } from './status-view.js';
import type { CreationRow } from './store/creation.js';

/** A request that is only about to be stored. */
export interface NewRequest {
  /** Its RequestStatus: the answer to the call, kept under the caller's key. */
  readonly body: JsonText<RequestStatus>;
  readonly transit: Step;
}

/**
 * What `request.create` and `request.supersede` store of a new request in one statement: its events, deadlines and answer.
 */
export async function newRequest(
  deps: RequestDeps,
  {
    caller,
    key,
    scope,
    input,
  }: OperationCall<'request.create' | 'request.supersede', CreationInput>,
  row: CreationRow,
  { request, creation, transition }: Prepared,
): Promise<NewRequest> {
  const { id } = request;
  const { next, records, deadlines } = transition;
  const { digest, canonical } = creation;
  const body = statusText(
    { id, digest, canonical, lifecycle: next, row },
    NO_PARTS,
    deps.notary.origin,
  );
  const about = { id, owner: creation.owner, request };
  const transit: Step = {
    tenant: caller.tenant,
    directoryRevision: row.directory_revision,
    requestId: id,
    version: 1,
    before: next.reviewDeadline,
    records: await deps.notary.sign(caller.tenant, about, records, row.now),
    deadlines,
    answer: {
      principal: caller.id,
      operation: scope,
      key,
      body: input,
      status: 201,
      result: body,
      recordId: null,
    },
  };
  return { body, transit };
}
