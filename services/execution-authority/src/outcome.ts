import { Refusal } from '@countersign/protocol';
import type { Recorder, Transition } from '@countersign/protocol';
import { openRequest, readAs } from '@countersign/database';
import type { Opened, StoredRequest } from '@countersign/database';
import { answer, evidenceIn } from '@countersign/platform';
import type { OperationAnswer, OperationCall } from '@countersign/platform';
import type { ExecutionDeps } from './deps.js';
import { withIds } from './incidents.js';
import type { OutcomeRow } from './store.js';

type OutcomeOperation = 'execution-authority.report-outcome' | 'execution-authority.reconcile';

export interface OpenedOutcome {
  readonly opened: Opened;
  readonly row: OutcomeRow;
  readonly recordedBy: Recorder;
  /** Signs and saves what was decided, and answers with the record. */
  readonly save: (
    stored: StoredRequest,
    transition: Transition,
  ) => Promise<OperationAnswer<OutcomeOperation>>;
}

/**
 * What `execution-authority.report-outcome` and `execution-authority.reconcile` have in common: the request with its claim
 * and outcome before the step, and saving it.
 */
export async function openOutcome(
  deps: ExecutionDeps,
  { caller, id, key, scope, text }: OperationCall<OutcomeOperation>,
): Promise<OpenedOutcome> {
  const { tenant, kind } = caller;
  if (kind === 'monitor') throw new Refusal('operator_required');
  if (kind === 'publisher' || kind === 'auditor') throw new Refusal('not_found');
  const row = await deps.store.loadForOutcome(caller, id, scope, key);
  const opened = await openRequest(deps.directory, caller, row, text);
  const save = async (
    stored: StoredRequest,
    { next, records, deadlines, incidents }: Transition,
  ): Promise<OperationAnswer<OutcomeOperation>> => {
    const signed = await deps.notary.sign(tenant, stored, records, stored.row.now);
    const record = evidenceIn(signed);
    await deps.store.recordOutcome(
      {
        ...readAs(tenant, stored),
        before: null,
        records: signed,
        deadlines,
        incidents: withIds(incidents),
        answer: {
          principal: caller.id,
          operation: scope,
          key,
          body: text,
          status: 200,
          result: null,
          recordId: record.id,
        },
      },
      next,
      record.id,
    );
    deps.chained(tenant);
    return answer(200, record.text);
  };
  return { opened, row: row as OutcomeRow, recordedBy: { kind, subject: caller.id }, save };
}
