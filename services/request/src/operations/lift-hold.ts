import { Refusal, asJsonText, liftHold as lifted } from '@countersign/protocol';
import type { SignedRecord } from '@countersign/protocol';
import { storedAnswer } from '@countersign/database';
import { answer, storedReply } from '@countersign/platform';
import type { OperationHandler } from '@countersign/platform';
import { custodianOf, custodyRecord, holdNamed } from '../custody.js';
import type { RequestDeps } from '../deps.js';
import { answered } from '../keys.js';

/** `request.lift-hold`: another custodian than the one who set it ends a hold (protocol §20.3). */
export function liftHold(deps: RequestDeps): OperationHandler<'request.lift-hold'> {
  return async (call) => {
    const { caller, id, input, body } = call;
    const { tenant } = caller;
    const reply = await deps.configuration.change(tenant, async (change) => {
      const custodian = await custodianOf(change, caller, deps.trust);
      const replay = storedAnswer(await change.keys.answered(call), body);
      if (replay !== null) return storedReply(replay);
      const known = await holdNamed(change, id, deps.trust);
      const step = lifted(known, custodian, change.now);
      if (step.refused !== null) throw new Refusal(step.refused);
      if (known === null || step.record === null) throw new Error('a lift without its hold');
      const record = await deps.notary.issue(
        'LegalHoldLifted',
        custodyRecord(change),
        change.now,
        step.record,
      );
      await change.holds.lift(step.record, known.set, record.text);
      await change.saveRecord(record);
      await change.saveSecurityEvent({
        kind: 'hold.changed',
        actor: { id: caller.id, kind: caller.kind },
        subject: id,
        detail: { state: 'lifted', reason: input.reason, requests: known.set.requests.length },
      });
      const text = await answered(change, call, 200, record.text);
      return answer(200, asJsonText<SignedRecord>(text));
    });
    deps.chained(tenant);
    return reply;
  };
}
