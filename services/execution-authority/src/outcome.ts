import { Refusal } from '@countersign/protocol';
import type { Recorder, Transition } from '@countersign/protocol';
import { commit, evidenceIn, openRequest } from '@countersign/database';
import type { Opened, StoredRequest } from '@countersign/database';
import { answer } from '@countersign/platform';
import type { OperationAnswer, OperationCall } from '@countersign/platform';
import type { ExecutionDeps } from './deps.js';
import type { OutcomeInput } from './outcome-input.js';
import { OUTCOME } from './store/index.js';
import type { OutcomeRow } from './store/index.js';

export type OutcomeOperation =
  | 'execution-authority.report-outcome'
  | 'execution-authority.reconcile';

/** The step of one of them, on an outcome that was read. */
export type OutcomeStep<Name extends OutcomeOperation> = (
  call: OperationCall<Name, OutcomeInput>,
) => Promise<OperationAnswer<Name>>;

export interface OpenedOutcome {
  readonly opened: Opened<OutcomeRow>;
  readonly recordedBy: Recorder;
  /** Signs and saves the decision, and answers with the record. */
  readonly save: (
    stored: StoredRequest,
    transition: Transition,
  ) => Promise<OperationAnswer<OutcomeOperation>>;
}

/**
 * The common part of `execution-authority.report-outcome` and `execution-authority.reconcile`: reading the request with its
 * claim and outcome before the step, and saving it.
 */
export async function openOutcome(
  deps: ExecutionDeps,
  call: OperationCall<OutcomeOperation, OutcomeInput>,
): Promise<OpenedOutcome> {
  const { caller, id, key, scope, body } = call;
  const { kind } = caller;
  if (kind === 'monitor') throw new Refusal('operator_required');
  if (kind === 'publisher' || kind === 'auditor') throw new Refusal('not_found');
  const found = await deps.store.loadForOutcome(caller, id, scope, key);
  const opened = await openRequest(deps.directory, caller, found, body);
  const save = async (stored: StoredRequest, transition: Transition) => {
    const kept = { call, status: 200, result: null };
    const signed = await commit(deps, OUTCOME, stored, transition, { answer: kept });
    return answer(200, evidenceIn(signed).text);
  };
  return { opened, recordedBy: { kind, subject: caller.id }, save };
}
