import { Refusal, countersign as vouched, credentialAt } from '@countersign/protocol';
import type { Digest } from '@countersign/protocol';
import { requireOperator, storedAnswer } from '@countersign/database';
import type { Principal } from '@countersign/database';
import { answer, storedReply } from '@countersign/platform';
import type { OperationCall, OperationHandler } from '@countersign/platform';
import type { RequestDeps } from '../deps.js';
import { activeOf, answered, bind, doneOf, keysOf, signedVoucher } from '../keys.js';
import type { Voucher, Worked } from '../keys.js';
import { personOfHuman } from '../persons.js';
import type { DirectoryChange } from '../store/directory.js';
import type { KeptKey } from '../store/keys.js';
import { requireEnabled } from './configure-principal.js';

type Call = OperationCall<'request.countersign'>;

/**
 * `request.countersign`: an operator who is another person vouches for a key, by a signature where that person has an active
 * key (protocol §19.3, §19.6).
 */
export function countersign(deps: RequestDeps): OperationHandler<'request.countersign'> {
  return async (call) => {
    const { caller, id, body } = call;
    const worked = await deps.configuration.change(caller.tenant, async (change) => {
      const operator = await requireEnabled(change, caller);
      requireOperator(operator);
      const replay = storedAnswer(await change.keys.answered(call), body);
      if (replay !== null) return { done: storedReply(replay) };
      const key = await change.keys.get(id);
      if (key === null || credentialAt(key, change.now) === null) throw new Refusal('not_found');
      const person = await currentPerson(deps, change, key);
      const by =
        operator.kind === 'human' ? await personOfHuman(change, operator, deps.trust) : null;
      const vouching = {
        ...{ person: by, byOwnKey: false },
        isFirst: !(await change.keys.haveCounted()),
        active: activeOf(await keysOf(change, person)).length,
      };
      const step = vouched(key, vouching, change.now);
      if (step.refused !== null) throw new Refusal(step.refused);
      const voucher = await voucherOf(deps, change, call, { operator, person: by }, key);
      if ('refused' in voucher) return voucher;
      const { text } = await bind(deps, change, caller, key, step, voucher.done);
      await answered(change, call, 200, text);
      return { done: answer(200, text) };
    });
    deps.chained(caller.tenant);
    return doneOf(worked);
  };
}

/** Throws `credential_unavailable` where the key's principal is of another person by now, or may not act. */
async function currentPerson(
  deps: RequestDeps,
  change: DirectoryChange,
  key: KeptKey,
): Promise<Digest> {
  const principal = await change.principal(key.principal);
  if (principal?.enabled !== true) throw new Refusal('credential_unavailable');
  const person = await personOfHuman(change, principal, deps.trust);
  if (person !== key.person) throw new Refusal('credential_unavailable');
  return person;
}

async function voucherOf(
  deps: RequestDeps,
  change: DirectoryChange,
  { input: { assertion } }: Call,
  { operator, person }: { operator: Principal; person: Digest | null },
  key: KeptKey,
): Promise<Worked<Voucher>> {
  const { id: subject } = operator;
  if (person === null) {
    if (assertion !== undefined) throw new Refusal('invalid_CountersignInput');
    return { done: { kind: 'operator_token', subject, credential: null, signature: null } };
  }
  if (assertion !== undefined) {
    return signedVoucher(deps, change, 'human', { subject, person }, assertion, key);
  }
  if (activeOf(await keysOf(change, person)).length > 0) throw new Refusal('human_key_required');
  return { done: { kind: 'human', subject, credential: null, signature: null } };
}
