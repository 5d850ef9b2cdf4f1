import { verifyRecord } from '@countersign/protocol';
import type {
  Custodian,
  LegalHold,
  LegalHoldLifted,
  LegalHoldSet,
  Trust,
} from '@countersign/protocol';
import { requireCustodian } from '@countersign/database';
import type { CallerIdentity } from '@countersign/database';
import { requireEnabled } from './operations/configure-principal.js';
import { personOfHuman } from './persons.js';
import type { DirectoryChange, DirectoryView } from './store/directory.js';

/** The caller, who has to be a custodian. Throws `custodian_required` and `identity_uncertain`. */
export async function custodianOf(
  view: DirectoryView,
  caller: CallerIdentity,
  trust: Trust,
): Promise<Custodian> {
  const principal = await requireEnabled(view, caller);
  requireCustodian(view.tenant, principal, await view.membership(principal.id), trust);
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
