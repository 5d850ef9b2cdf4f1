import { Refusal, asJsonText, setHold as held } from '@countersign/protocol';
import type { SignedRecord } from '@countersign/protocol';
import { answer } from '@countersign/platform';
import type { OperationHandler } from '@countersign/platform';
import { custodianOf, custodyRecord, holdNamed } from '../custody.js';
import type { RequestDeps } from '../deps.js';
import { isRequestGone } from '../store/holds.js';

/** `request.set-hold`: a custodian holds requests, more of them, or for longer (protocol §20.2). */
export function setHold(deps: RequestDeps): OperationHandler<'request.set-hold'> {
  return async ({ caller, id, input }) => {
    const { tenant } = caller;
    const text = await deps.configuration
      .change(tenant, async (change) => {
        const custodian = await custodianOf(change, caller, deps.trust);
        const known = await holdNamed(change, id, deps.trust);
        const digests = await change.holds.digestsOf(input.requests);
        const step = held(known, id, input, digests, custodian, change.now);
        if (step.refused !== null) throw new Refusal(step.refused);
        if (step.record === null) return known?.record as string;
        const record = await deps.notary.issue(
          'LegalHoldSet',
          custodyRecord(change),
          change.now,
          step.record,
        );
        await change.holds.save(step.record, custodian.person, record.text);
        await change.saveRecord(record);
        const { revision, requests } = step.record;
        await change.saveSecurityEvent({
          kind: 'hold.changed',
          actor: { id: caller.id, kind: caller.kind },
          subject: id,
          detail: { state: 'set', revision, requests: requests.length },
        });
        return record.text;
      })
      .catch((fault: unknown) => {
        // Its deletion came first.
        throw isRequestGone(fault) ? new Refusal('not_found') : fault;
      });
    deps.chained(tenant);
    return answer(200, asJsonText<SignedRecord>(text));
  };
}
