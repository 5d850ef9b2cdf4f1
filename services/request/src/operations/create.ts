import { storedAnswer } from '@countersign/database';
import type { NewDeadline, RequestRow } from '@countersign/database';
import type { DecisionRequest, Lifecycle } from '@countersign/protocol';
import { answer, keyScope, newId } from '@countersign/platform';
import type { Handler } from '@countersign/platform';
import { namesIn, prepare, readInput, requireAcceptable, requireCreator } from '../creation.js';
import type { Creation } from '../store/creation.js';
import type { RequestDeps } from '../module.js';
import { NO_PARTS, statusText } from '../status-view.js';

/** #4: one immutable review request; its records, reservation, deadlines and answer commit together. */
export function create(deps: RequestDeps): Handler {
  return async (call) => {
    const { caller } = call;
    const input = readInput(call.text);
    const operation = keyScope('request.create');
    const row = await deps.creations.load(caller, operation, call.key, namesIn(input));
    const owner = await requireCreator(deps, call, row?.directory_revision);
    const loaded = row as NonNullable<typeof row>;
    const replay = storedAnswer(loaded, call.text);
    if (replay !== null) return answer(replay.status, replay.body);
    const route = await requireAcceptable(deps, call, owner, loaded, input);
    const id = newId(loaded.now);
    const { request, creation, transition } = await prepare(
      deps,
      call,
      owner,
      loaded,
      input,
      route,
      id,
      null,
    );
    const body = statusOfNew(deps, request, creation, transition.next, loaded);
    const subject = {
      tenant: caller.tenant,
      audience: creation.owner,
      purpose: request.purpose,
      profiles: request.profiles,
    };
    await deps.creations.create(
      {
        tenant: caller.tenant,
        directoryRevision: loaded.directory_revision,
        requestId: id,
        version: 1,
        before: transition.next.reviewDeadline,
        records: await deps.notary.events(id, subject, transition.events, loaded.now),
        deadlines: deadlinesOfNew(transition.next, creation.auditDeleteAt),
        answer: {
          principal: caller.id,
          operation,
          key: call.key ?? '',
          body: call.text,
          status: 201,
          result: body,
          recordId: null,
        },
      },
      creation,
    );
    deps.chained(caller.tenant);
    return answer(201, body);
  };
}

export function deadlinesOfNew(state: Lifecycle, auditDeleteAt: number): NewDeadline[] {
  return [
    { kind: 'review', due: state.reviewDeadline },
    { kind: 'private_deletion', due: state.privateDeleteAt },
    { kind: 'audit_deletion', due: auditDeleteAt },
  ];
}

/** RequestStatus of a request that is only about to be stored. */
export function statusOfNew(
  deps: RequestDeps,
  request: DecisionRequest,
  creation: Creation,
  state: Lifecycle,
  row: Pick<RequestRow, 'now' | 'fence_reason'>,
): string {
  const stored = {
    id: request.id,
    digest: creation.digest,
    canonical: creation.canonical,
    lifecycle: state,
    row,
  };
  return statusText(stored, NO_PARTS, deps.notary.origin);
}
