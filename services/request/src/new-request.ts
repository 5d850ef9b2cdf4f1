import type { Step } from '@countersign/database';
import type { OperationCall, RecordSubject } from '@countersign/platform';
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
  readonly subject: RecordSubject;
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
  const { next, events } = transition;
  const { digest, canonical } = creation;
  const body = statusText(
    { id, digest, canonical, lifecycle: next, row },
    NO_PARTS,
    deps.notary.origin,
  );
  const subject = {
    tenant: caller.tenant,
    audience: creation.owner,
    purpose: request.purpose,
    profiles: request.profiles,
  };
  const transit: Step = {
    tenant: caller.tenant,
    directoryRevision: row.directory_revision,
    requestId: id,
    version: 1,
    before: next.reviewDeadline,
    records: await deps.notary.events(id, subject, events, row.now),
    deadlines: [
      { kind: 'review', due: next.reviewDeadline },
      { kind: 'private_deletion', due: next.privateDeleteAt },
      { kind: 'audit_deletion', due: creation.auditDeleteAt },
    ],
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
  return { body, subject, transit };
}
