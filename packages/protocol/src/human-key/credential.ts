import type { CredentialEnded } from '../records/index.js';
import { counterMayFollow } from './counter.js';

/** How long an enrolment waits for a second person, milliseconds (protocol §19.4). */
export const WAITING_MS = 86_400_000;

/** Active keys of one person at most. */
export const MOST_ACTIVE = 5;

/** A key as the service keeps it; null for one that was never enrolled, or whose enrolment is gone. */
export interface Credential {
  readonly state: 'waiting' | 'active' | 'suspended' | 'ended';
  readonly person: string;
  /** Epoch milliseconds. */
  readonly enrolledAt: number;
  /** Of its last signature. */
  readonly counter: number;
  /** How often it was countersigned. */
  readonly attempts: number;
}

/** Codes of the refusals (protocol §19.4). */
export type KeyRefusal =
  | 'not_found'
  | 'identity_conflict'
  | 'credential_unavailable'
  | 'second_person_required'
  | 'human_key_required'
  | 'invalid_assertion';

export type KeyRecord = 'CredentialBound' | 'CredentialEnded';

/** A command's answer. The state changes with a refusal too, where a copied key was used. */
export interface KeyStep {
  readonly refused: KeyRefusal | null;
  readonly next: Credential | null;
  readonly record: KeyRecord | null;
  readonly incident: 'credential_cloned' | null;
  /** Votes by it that still count and unused authority of it end: its reason is for them to end. */
  readonly endsVotes: boolean;
}

/** Who vouches for a key. `person` is null for a bearer token. */
export interface Vouching {
  readonly person: string | null;
  /** By a signature of another active key of the same person, and not as an operator. */
  readonly byOwnKey: boolean;
  /** Whether the tenant has never had an active key: a bearer token vouches for the first one only. */
  readonly isFirst: boolean;
  /** Active keys of the person whose key it is. */
  readonly active: number;
}

/** The state at a time: an enrolment without a countersignature in time is gone. */
export function credentialAt(credential: Credential | null, now: number): Credential | null {
  const isOver = credential?.state === 'waiting' && now >= credential.enrolledAt + WAITING_MS;
  return isOver ? null : credential;
}

/** A registration of this key: a key that is known, even as ended, cannot be bound again. */
export function enrol(
  known: Credential | null,
  { person, counter, now }: { person: string; counter: number; now: number },
): KeyStep {
  if (credentialAt(known, now) !== null) return refuse(known, 'identity_conflict');
  const next = { state: 'waiting', person, enrolledAt: now, counter, attempts: 0 } as const;
  return { ...step(next), record: null };
}

/** Another person, or another key of the same one, vouches for a key that waits or was suspended. */
export function countersign(
  known: Credential | null,
  { person, byOwnKey, isFirst, active }: Vouching,
  now: number,
): KeyStep {
  const credential = credentialAt(known, now);
  if (credential === null) return refuse(credential, 'not_found');
  const { state } = credential;
  if (state !== 'waiting' && state !== 'suspended') {
    return refuse(credential, 'credential_unavailable');
  }
  if (!vouches(credential, { person, byOwnKey, isFirst })) {
    return refuse(credential, 'second_person_required');
  }
  if (active >= MOST_ACTIVE) return refuse(credential, 'credential_unavailable');
  const attempts = credential.attempts + 1;
  return { ...step({ ...credential, state: 'active', attempts }), record: 'CredentialBound' };
}

/** A person vouches for another one; a key for another one of the same person, unless that is suspended. */
function vouches(
  credential: Credential,
  { person, byOwnKey, isFirst }: Omit<Vouching, 'active'>,
): boolean {
  if (person === null) return isFirst && credential.state === 'waiting';
  return byOwnKey
    ? person === credential.person && credential.state === 'waiting'
    : person !== credential.person;
}

/** A signature by this key that is good by itself, with its counter. */
export function use(
  known: Credential | null,
  { person, counter }: { person: string; counter: number },
  now: number,
): KeyStep {
  const credential = credentialAt(known, now);
  if (credential?.state !== 'active' || credential.person !== person) {
    return refuse(credential, 'human_key_required');
  }
  if (!counterMayFollow(credential.counter, counter)) {
    return {
      ...refuse({ ...credential, state: 'suspended' }, 'invalid_assertion'),
      incident: 'credential_cloned',
    };
  }
  return step({ ...credential, counter });
}

/** Its person or an operator ends it. One that still waits goes without a record. */
export function endCredential(
  known: Credential | null,
  reason: CredentialEnded['reason'],
  now: number,
): KeyStep {
  const credential = credentialAt(known, now);
  if (credential === null) return refuse(credential, 'not_found');
  if (credential.state === 'ended') return refuse(credential, 'credential_unavailable');
  if (credential.state === 'waiting') return step(null);
  return {
    ...step({ ...credential, state: 'ended' }),
    record: 'CredentialEnded',
    endsVotes: reason === 'lost' || reason === 'compromised',
  };
}

/** Its principal was disabled: an enrolment that waits is gone; a key stays, and its person cannot act. */
export function disablePrincipal(known: Credential | null): KeyStep {
  return step(known?.state === 'waiting' ? null : known);
}

function step(next: Credential | null): KeyStep {
  return { refused: null, next, record: null, incident: null, endsVotes: false };
}

function refuse(next: Credential | null, refused: KeyRefusal): KeyStep {
  return { ...step(next), refused };
}
