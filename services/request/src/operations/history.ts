import { SECONDS, asJsonText } from '@countersign/protocol';
import type {
  DecisionRequest,
  HISTORY_READ,
  HistoryNeighbour,
  HistoryStep,
  InboxPerson,
  RequestHistory,
} from '@countersign/protocol';
import { isOperator, openRequest } from '@countersign/database';
import { answer } from '@countersign/platform';
import type { AdminCall } from '@countersign/platform';
import type { RequestDeps } from '../deps.js';
import { HISTORY_MOST } from '../store/history.js';
import type { HistoryRow, RecordStep } from '../store/history.js';
import { statusText } from '../status-view.js';

/** A step whose person has no name yet. */
type Step = Omit<HistoryStep, 'by'> & { readonly by: string | null };

/** Events that only repeat a record of their own. */
const REPEATED: ReadonlySet<string> = new Set([
  'created',
  'decision',
  'claimed',
  'outcome',
  'material_deleted',
  'approval',
  'approval_ended',
]);

/**
 * `request.history`: the state of a request, its steps with the names of its people, and the requests before and after it
 * (decisions/0028). For the people who may see the request; of an answer that is not confirmed it says when it was frozen
 * and by whom, never more.
 */
export function history(deps: RequestDeps) {
  return async ({ caller, params }: AdminCall<typeof HISTORY_READ>) => {
    const id = params.id ?? '';
    const row = await deps.requests.status(caller, id);
    const opened = await openRequest(deps.directory, caller, row, '');
    const stored = await opened.visible();
    const request = JSON.parse(stored.canonical) as DecisionRequest;
    const found = await deps.histories.read(caller, {
      id,
      owner: stored.owner,
      operator: isOperator(opened.principal),
      before: request.supersedes ?? null,
      lease: SECONDS.assignmentLease,
    });
    const steps = stepsOf(request, found);
    const { producer, requester } = request;
    const ids = new Set([producer, requester.subject, ...steps.flatMap(({ by }) => by ?? [])]);
    const names = await deps.histories.names(caller.tenant, [...ids]);
    const person = (of: string): InboxPerson => ({ id: of, name: names.get(of) ?? null });
    const body: Omit<RequestHistory, 'status'> = {
      producer: person(producer),
      requester: person(requester.subject),
      replaces: neighbourOf(found.replaces),
      replaced_by: neighbourOf(found.replaced_by),
      steps: steps.map((step) => ({ ...step, by: step.by === null ? null : person(step.by) })),
      more: found.records.length === HISTORY_MOST.records,
    };
    const status = statusText(stored, opened.row, deps.notary.origin);
    const text = `{"status":${status},${JSON.stringify(body).slice(1)}`;
    return answer(200, asJsonText<RequestHistory>(text));
  };
}

function neighbourOf(canonical: string | null): HistoryNeighbour | null {
  if (canonical === null) return null;
  const { id, summary, review } = JSON.parse(canonical) as DecisionRequest;
  return { id, summary, response_schema_digest: review.response_schema_digest };
}

function stepsOf(request: DecisionRequest, { records, frozen, taken }: HistoryRow): Step[] {
  const stamp = (text: string) => new Date(text).toISOString();
  const steps: Step[] = [
    { step: 'asked', at: request.accepted_at, by: request.producer, word: null },
    ...frozen.map(({ reviewer, at }) => ({
      step: 'frozen',
      at: stamp(at),
      by: reviewer,
      word: null,
    })),
    ...records.flatMap((record) => stepOf(record) ?? []),
  ];
  if (taken) steps.push({ step: 'taken', at: stamp(taken.at), by: taken.reviewer, word: null });
  // Stable: what happened in one millisecond stays in the order of the ledger.
  return steps.sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

function stepOf(record: RecordStep): Step | null {
  const { type, issued_at: at, reason, reviewer, decision, identity, recorder, status } = record;
  const by = recorder === null || recorder.kind === 'system' ? null : recorder.subject;
  switch (type) {
    case 'DecisionReceipt':
      return { step: 'decided', at: record.confirmed_at ?? at, by: reviewer, word: decision };
    case 'ApprovalRecord':
      return { step: 'voted', at, by: reviewer, word: decision };
    case 'ApprovalEnded':
      return { step: 'vote_ended', at, by, word: reason };
    case 'ExecutionClaim':
      return { step: 'claimed', at, by: identity, word: null };
    case 'AdmissionStatus':
      return { step: 'admitted', at, by: identity, word: null };
    case 'ExecutionOutcome':
      return { step: 'reported', at, by, word: status };
    case 'ExecutionReconciliation':
      return { step: 'settled', at, by, word: status };
    case 'MaterialDiscarded':
      return { step: 'discarded', at, by, word: null };
    case 'RequestChangedEvent':
      return reason === null || REPEATED.has(reason)
        ? null
        : { step: reason, at, by: null, word: null };
    default:
      return null;
  }
}
