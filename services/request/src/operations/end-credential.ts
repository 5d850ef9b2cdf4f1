import {
  Refusal,
  asJsonText,
  canonicalObject,
  credentialAt,
  endCredential as ended,
  textDigest,
} from '@countersign/protocol';
import type {
  CredentialEnded,
  CredentialEnding,
  Digest,
  EndCredential,
} from '@countersign/protocol';
import { isOperator, storedAnswer } from '@countersign/database';
import type { Principal } from '@countersign/database';
import { answer, storedReply } from '@countersign/platform';
import type { OperationHandler } from '@countersign/platform';
import { applyEffects } from '../apply-effects.js';
import type { RequestDeps } from '../deps.js';
import { credentialEffects } from '../directory-effects.js';
import { answered, directoryRecord, noteKey } from '../keys.js';
import { personOfHuman } from '../persons.js';
import type { DirectoryChange } from '../store/directory.js';
import type { KeptKey } from '../store/keys.js';
import { requireEnabled } from './configure-principal.js';

/**
 * `request.end-credential`: its person or an operator ends a key. One that was lost or is in other hands takes the votes by it
 * along (protocol §19.4, §19.6).
 */
export function endCredential(deps: RequestDeps): OperationHandler<'request.end-credential'> {
  return async (call) => {
    const { caller, id, input, body } = call;
    const { tenant } = caller;
    const reply = await deps.configuration.change(tenant, async (change) => {
      const principal = await requireEnabled(change, caller);
      const replay = storedAnswer(await change.keys.answered(call), body);
      if (replay !== null) return storedReply(replay);
      const key = await change.keys.get(id);
      if (key === null || credentialAt(key, change.now) === null) throw new Refusal('not_found');
      if (!(await mayEnd(deps, change, principal, key))) throw new Refusal('not_found');
      requireTimes(input, change.now);
      const { refused, next, record: kind, endsVotes } = ended(key, input.reason, change.now);
      if (refused !== null) throw new Refusal(refused);
      if (kind === null || next === null) {
        await change.keys.forget(id);
        return answerOf(await answered(change, call, 200, { ended: null }));
      }
      const effects = endsVotes ? await credentialEffects(change, id, deps.trust) : null;
      const touched = effects && (await applyEffects(change, deps.notary, caller, effects));
      const record = await deps.notary.issue(
        'CredentialEnded',
        directoryRecord(change),
        change.now,
        endedOf(key, input, { kind: caller.kind, subject: caller.id } as never, change.now),
      );
      await change.keys.move(id, next, { ended: record.text });
      await change.saveRecord(record);
      await change.keys.keepEnding(id, record);
      const { reason } = input;
      const detail = { state: 'ended', reason, requests_affected: touched ?? 0 };
      await noteKey(change, caller, key, detail);
      const text = canonicalObject({}, { ended: record.text });
      return answerOf(await answered(change, call, 200, text));
    });
    deps.chained(tenant);
    return reply;
  };
}

const answerOf = (text: string) => answer(200, asJsonText<CredentialEnding>(text));

/** Throws `identity_uncertain`. */
async function mayEnd(
  deps: RequestDeps,
  change: DirectoryChange,
  principal: Principal,
  key: KeptKey,
): Promise<boolean> {
  if (isOperator(principal)) return true;
  if (principal.kind !== 'human') return false;
  return (await personOfHuman(change, principal, deps.trust)) === key.person;
}

/** Throws `invalid_EndCredential`. */
function requireTimes({ reason, compromised_since: since }: EndCredential, now: number): void {
  if (since === undefined) return;
  if (reason !== 'compromised' || Date.parse(since) > now) {
    throw new Refusal('invalid_EndCredential');
  }
}

function endedOf(
  key: KeptKey,
  { reason, compromised_since }: EndCredential,
  ended_by: CredentialEnded['ended_by'],
  now: number,
): CredentialEnded {
  return {
    ...{ credential: key.id, principal: key.principal, person: key.person as Digest },
    bound: textDigest(key.bound ?? ''),
    ...{ reason, compromised_since: compromised_since ?? null, ended_by },
    ended_at: new Date(now).toISOString(),
  };
}
