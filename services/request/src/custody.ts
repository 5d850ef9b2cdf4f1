import { CUSTODIANS, Refusal, verifyRecord } from '@countersign/protocol';
import type {
  Custodian,
  LegalHold,
  LegalHoldLifted,
  LegalHoldSet,
  Trust,
} from '@countersign/protocol';
import { isOperator } from '@countersign/database';
import type { CallerIdentity } from '@countersign/database';
import { requireEnabled } from './operations/configure-principal.js';
import { membershipOf, personOfHuman } from './persons.js';
import type { DirectoryChange, DirectoryView } from './store/directory.js';

/**
 * The caller as a custodian (protocol §20.1). Throws `custodian_required` for any other person, and for an operator, whom a hold
 * guards evidence against. Throws `identity_uncertain`.
 */
export async function requireCustodian(
  view: DirectoryView,
  caller: CallerIdentity,
  trust: Trust,
): Promise<Custodian> {
  const principal = await requireEnabled(view, caller);
  if (principal.kind !== 'human' || isOperator(principal)) throw new Refusal('custodian_required');
  const membership = await membershipOf(view, principal.id, trust);
  if (!membership?.groups.includes(CUSTODIANS)) throw new Refusal('custodian_required');
  return { principal: principal.id, person: await personOfHuman(view, principal, trust) };
}

export const custodyRecord = ({ tenant }: DirectoryView) =>
  ({ tenant, audience: 'proto.custody', purpose: 'service', profiles: {} }) as const;

/** A hold by its signed texts, and the text of the one in force; null where there is none. */
export async function holdNamed(
  change: DirectoryChange,
  id: string,
  trust: Trust,
): Promise<(LegalHold & { readonly record: string }) | null> {
  const kept = await change.holds.get(id);
  if (kept === null) return null;
  const { tenant } = change;
  const verified = (type: 'LegalHoldSet' | 'LegalHoldLifted', text: string) => {
    const result = verifyRecord(JSON.parse(text), trust, {
      ...{ type, audience: 'proto.custody', purpose: 'service', tenant },
    });
    if (!result.ok || (result.record.payload as { id: string }).id !== id) {
      throw new Error(`the ${type} of a hold does not verify`);
    }
    return result.record.payload;
  };
  return {
    set: verified('LegalHoldSet', kept.record) as LegalHoldSet,
    setter: kept.setter,
    lifted:
      kept.lifted === null ? null : (verified('LegalHoldLifted', kept.lifted) as LegalHoldLifted),
    record: kept.record,
  };
}
