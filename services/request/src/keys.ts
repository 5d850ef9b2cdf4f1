import {
  Refusal,
  canonicalText,
  countersignStatement,
  credentialAt,
  use,
  verifiedCredential,
} from '@countersign/protocol';
import type {
  Assertion,
  CredentialBound,
  CredentialStatus,
  Digest,
  KeyRefusal,
  KeyStep,
  SignedRecord,
} from '@countersign/protocol';
import type { CallerIdentity, NewAnswer } from '@countersign/database';
import type { IssuedRecord } from '@countersign/platform';
import { verifyAssertion } from '@countersign/webauthn';
import type { RequestDeps } from './deps.js';
import type { DirectoryChange, DirectoryView } from './store/directory.js';
import type { KeptKey } from './store/keys.js';

/** Keys of a person that are read and shown at most. */
export const MOST_KEYS = 100;

/** Keys of a person that wait at once at most. */
export const MOST_WAITING = 5;

/** The outcome of work that a refusal leaves committed: a copied key is suspended. */
export type Worked<Done> = { readonly done: Done } | { readonly refused: KeyRefusal };

/** Throws the refusal, once the work is committed. */
export function doneOf<Done>(worked: Worked<Done>): Done {
  if ('refused' in worked) throw new Refusal(worked.refused);
  return worked.done;
}

/** The relying party of keys: the host of the origin (WebAuthn, 5.1.2). */
export const relyingParty = (origin: string): string => new URL(origin).hostname;

/** The keys of a person that are there at this time, the newest first. */
export async function keysOf(view: DirectoryView, person: Digest): Promise<KeptKey[]> {
  const kept = await view.keys.ofPerson(person, MOST_KEYS);
  return kept.filter((key) => credentialAt(key, view.now) !== null);
}

export const activeOf = (keys: readonly KeptKey[]) =>
  keys.filter(({ state }) => state === 'active');

export function statusOf(key: KeptKey): CredentialStatus {
  return {
    credential: key.id,
    state: key.state,
    label: key.label,
    algorithm: key.algorithm,
    device_bound: key.device_bound,
    created_at: new Date(key.enrolledAt).toISOString(),
    bound: key.bound === null ? null : (JSON.parse(key.bound) as SignedRecord),
  };
}

/** A person who signs, as a principal. */
interface Signer {
  /** Principal id. */
  readonly subject: string;
  readonly person: Digest;
}

type Signed = Assertion & { readonly credential: string };

/** Who vouches for a key, and with which signature. */
export type Voucher = Pick<
  NonNullable<CredentialBound['countersigned_by']>,
  'kind' | 'subject' | 'credential' | 'signature'
>;

/**
 * The voucher of a person who signs the CountersignStatement about this key (protocol §19.3). Refuses `human_key_required`
 * unless the key that signs is an active one of that person. One whose counter steps back is suspended.
 */
export async function signedVoucher(
  deps: RequestDeps,
  change: DirectoryChange,
  kind: 'human' | 'own_credential',
  { subject, person }: Signer,
  { credential, ...assertion }: Signed,
  about: KeptKey,
): Promise<Worked<Voucher>> {
  const key = await change.keys.get(credential);
  if (key === null || key.bound === null) return { refused: 'human_key_required' };
  if (key.state !== 'active' || key.person !== person) return { refused: 'human_key_required' };
  const statement = countersignStatement(
    {
      ...{ issuer: deps.notary.origin, tenant: change.tenant, operator: subject, person },
      attempt: about.attempts + 1,
    },
    about.enrolment.statement,
  );
  const bound = verifiedCredential(
    key.bound,
    { tenant: change.tenant, credential, person },
    deps.trust,
  );
  const counter = await verifyAssertion(statement, assertion, bound);
  if (counter === null) {
    deps.keys.asserted('refused');
    return { refused: 'invalid_assertion' };
  }
  const { refused, next, incident } = use(key, { person, counter }, change.now);
  deps.keys.asserted(incident === null ? 'good' : 'stepped_back');
  if (next !== null) await change.keys.move(key.id, next);
  if (incident !== null) {
    await change.keys.openClonedIncident();
    await noteKey(change, { id: subject, kind: 'human' }, key, { state: 'suspended' });
  }
  return refused === null
    ? { done: { kind, subject, credential, signature: { statement, ...assertion } } }
    : { refused };
}

/** Makes a key count, with its record. */
export async function bind(
  deps: RequestDeps,
  change: DirectoryChange,
  caller: Pick<CallerIdentity, 'id' | 'kind'>,
  key: KeptKey,
  { next }: KeyStep,
  countersigned_by: Voucher,
): Promise<IssuedRecord> {
  const { origin } = deps.notary;
  const bound: CredentialBound = {
    credential: key.id,
    credential_id: key.credential_id,
    principal: key.principal,
    person: key.person as Digest,
    public_key: key.public_key,
    algorithm: key.algorithm,
    ...{ rp_id: relyingParty(origin), origin },
    aaguid: key.aaguid,
    attestation: { format: 'none', verified: false },
    device_bound: key.device_bound,
    enrolment: key.enrolment,
    countersigned_by,
    bound_at: new Date(change.now).toISOString(),
  };
  const record = await deps.notary.issue(
    'CredentialBound',
    directoryRecord(change),
    change.now,
    bound,
  );
  await change.keys.move(key.id, next as NonNullable<typeof next>, {
    bound: record.text,
    vouchedBy: await voucherTexts(change, countersigned_by),
  });
  await change.saveRecord(record);
  await noteKey(change, caller, key, { state: 'active' });
  return record;
}

/** The texts of the key that vouches and of those that it rests on, as they are now. */
async function voucherTexts(
  change: DirectoryChange,
  { credential }: Voucher,
): Promise<readonly string[]> {
  const key = credential === null ? null : await change.keys.get(credential);
  return key === null || key.bound === null ? [] : [key.bound, ...key.vouchedBy];
}

export const directoryRecord = ({ tenant }: DirectoryView) =>
  ({ tenant, audience: 'proto.directory', purpose: 'service', profiles: {} }) as const;

/** For the security log. */
export async function noteKey(
  change: DirectoryChange,
  { id, kind }: Pick<CallerIdentity, 'id' | 'kind'>,
  key: Pick<KeptKey, 'id' | 'principal'>,
  detail: { readonly state: string; readonly reason?: string; readonly requests_affected?: number },
): Promise<void> {
  await change.saveSecurityEvent({
    kind: 'key.changed',
    actor: { id, kind },
    subject: key.principal,
    detail: { credential: key.id, ...detail },
  });
}

type AnsweredCall = NewAnswer['call'];

/** Keeps an answer under the key of its call, and gives its text. */
export async function answered(
  change: DirectoryChange,
  call: AnsweredCall,
  status: number,
  result: object | string,
): Promise<string> {
  const text = typeof result === 'string' ? result : canonicalText(result as never);
  await change.keys.saveAnswer({ call, status, result: text });
  return text;
}
