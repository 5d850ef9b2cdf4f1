import { readPeople, readWitnessPolicy } from '@countersign/protocol';
import type {
  Check,
  CheckCode,
  Expected,
  PinnedPeople,
  TrustManifest,
  Verdict,
  WitnessPolicy,
} from '@countersign/protocol';
import { trustManifest } from '../evidence/keys.js';

/** One vector as its file has it; README.md describes the members. */
export interface Vector {
  readonly name: string;
  readonly what: string;
  readonly document?: string;
  readonly document_base64?: string;
  readonly trust: TrustManifest;
  readonly expected: Readonly<Record<string, string>>;
  readonly store: Readonly<Record<string, string>> | null;
  /** Text of the witness policy, where there is one. */
  readonly policy?: string;
  /** Content of people.json, where there is one. */
  readonly people?: readonly object[];
  readonly verdict: Verdict['verdict'];
  readonly exit_code: number;
  /** One check that has to come out like that. */
  readonly check: {
    readonly code: CheckCode;
    readonly status: Check['status'];
    readonly path?: string;
    readonly reason?: string;
    /** Where the code alone does not tell it apart from a check that would fail as well. */
    readonly says?: string;
  };
}

/** The time at which vectors are checked unless they say otherwise. */
export const NOW = '2026-05-03T00:00:00.000Z';

export interface Options {
  readonly trust?: TrustManifest;
  readonly expected?: Readonly<Record<string, string>>;
  readonly store?: Readonly<Record<string, string>> | null;
  readonly policy?: string;
  readonly people?: readonly object[];
}

/** A document that has to fail by this check. */
export function refused(
  name: string,
  what: string,
  document: unknown,
  check: Omit<Vector['check'], 'status'>,
  options: Options = {},
): Vector {
  return vector(name, what, document, 'fails', { ...check, status: 'fails' }, options);
}

/** A document that holds, or is incomplete, with one check that tells it apart from its neighbours. */
export function accepted(
  name: string,
  what: string,
  document: unknown,
  check: Vector['check'],
  options: Options = {},
  verdict: 'holds' | 'incomplete' = 'holds',
): Vector {
  return vector(name, what, document, verdict, check, options);
}

function vector(
  name: string,
  what: string,
  document: unknown,
  verdict: Verdict['verdict'],
  check: Vector['check'],
  { trust = trustManifest(), expected = {}, store = null, policy, people }: Options,
): Vector {
  const content =
    document instanceof Uint8Array
      ? { document_base64: Buffer.from(document).toString('base64') }
      : { document: typeof document === 'string' ? document : JSON.stringify(document) };
  const unreadable = check.code === 'document_readable' && check.status === 'fails';
  const exit_code = unreadable ? 2 : { holds: 0, fails: 1, incomplete: 3 }[verdict];
  return {
    name,
    what,
    ...content,
    trust,
    expected: { now: NOW, ...expected },
    store,
    ...(policy === undefined ? {} : { policy }),
    ...(people === undefined ? {} : { people }),
    verdict,
    exit_code,
    check,
  };
}

export function documentOf({ document, document_base64 }: Vector): Uint8Array {
  return document_base64 === undefined
    ? Buffer.from(document ?? '')
    : Buffer.from(document_base64, 'base64');
}

/** The witness policy of a vector, as the verifier takes it. */
export function witnessesOf({ policy }: Vector): WitnessPolicy | null {
  return policy === undefined ? null : readWitnessPolicy(policy).policy;
}

/** The keys of people that a vector's reader knows, as the verifier takes them. */
export function peopleOf({ people }: Vector): PinnedPeople | null {
  return people === undefined ? null : readPeople(people).people;
}

/** The expectation of a vector, as the verifier takes it. */
export function expectationOf({ expected }: Vector): Expected {
  const { now, received, tenant, audience, ledger, identity, nonce, binding } = expected;
  return {
    ...(now === undefined ? {} : { now: Date.parse(now) }),
    ...(received === undefined ? {} : { receivedAt: Date.parse(received) }),
    ...(tenant === undefined ? {} : { tenant }),
    ...(audience === undefined ? {} : { audience }),
    ...(ledger === undefined ? {} : { ledgerId: ledger }),
    ...(identity === undefined ? {} : { executionIdentity: identity }),
    ...(nonce === undefined ? {} : { nonce }),
    ...(binding === undefined ? {} : { bindingDigest: binding }),
  };
}
