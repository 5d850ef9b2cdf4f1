import {
  approvalStatement,
  challengeOf,
  countersignStatement,
  enrolmentStatement,
  thumbprintOf,
} from '@countersign/protocol';
import type {
  ApprovalRecord,
  ApprovalStatement,
  CredentialBound,
  CredentialEnded,
  EnrolmentStatement,
  ExtendedDecisionRequest,
  KeyAlgorithm,
  PayloadOf,
  RecordType,
  Signed,
  SignedRecord,
} from '@countersign/protocol';
import { softAuthenticator } from '@countersign/protocol/testing/authenticator';
import type { Answer, SoftAuthenticator } from '@countersign/protocol/testing/authenticator';
import { ISSUER } from './keys.js';
import { iso, uuid } from './ledger.js';
import type { Asked } from './request.js';

export type HumanSignature = NonNullable<ApprovalRecord['human']>;

/** What a step of a scenario signs with; `sign` makes the signature over another statement, or wrongly. */
export interface Signing {
  readonly usual: HumanSignature;
  readonly sign: (statement: ApprovalStatement, answer?: Partial<Answer>) => HumanSignature;
}

/** The keys of people, where a request asks for them. Every person has one, and the operator `op-1` vouched for it. */
export interface Keys {
  /** EdDSA for all unless the name says otherwise: `plat-…` has ES256. */
  readonly algorithm?: KeyAlgorithm;
  readonly bound?: (usual: CredentialBound, making: Enrolling) => CredentialBound;
  readonly ended?: readonly Ending[];
  /** Whose CredentialBound is left out of the evidence. */
  readonly without?: string;
  /** Whose CredentialBound is there without a vote. */
  readonly beside?: readonly string[];
  /** Wrongly: an attacker with the keys of all services binds other keys to these people. */
  readonly forged?: boolean;
  /** Flags of every signature, where keys may be copied. */
  readonly flags?: number;
}

/** What is wrong with an enrolment that is countersigned all the same. */
interface Wrongly {
  readonly said?: Partial<EnrolmentStatement>;
  readonly answer?: Partial<Answer>;
}

/** How to sign an enrolment anew. */
export interface Enrolling {
  readonly enrolled: (changes: Partial<CredentialBound>, wrongly?: Wrongly) => CredentialBound;
  readonly vouched: (
    by: string,
    kind: 'human' | 'own_credential',
  ) => CredentialBound['countersigned_by'];
}

interface Ending {
  readonly of: string;
  readonly at: string;
  readonly reason: CredentialEnded['reason'];
  readonly since?: string;
}

const OPERATOR = 'op-1';
const BOUND_AT = Date.UTC(2026, 3, 30, 8);
/** The operator's own key was there before those that it vouched for. */
const boundAt = (name: string): number => (name === OPERATOR ? BOUND_AT - 3_600_000 : BOUND_AT);
const NONCE = 'AAECAwQFBgcICQoLDA0ODw';

const algorithmOf = (name: string, { algorithm }: Keys): KeyAlgorithm =>
  algorithm ?? (name.startsWith('plat-') ? 'ES256' : 'EdDSA');

/** The keys that a reader knows, as people.json has them. */
export function pinsOf(names: readonly string[], keys: Keys = {}): object[] {
  return names.map((name) => ({
    principal: name,
    keys: [thumbprintOf(softAuthenticator(name, algorithmOf(name, keys)).key)],
  }));
}

interface Making {
  readonly made: <Type extends RecordType>(
    type: Type,
    at: number,
    usual: PayloadOf<Type>,
  ) => Signed;
  readonly personOf: (name: string) => `sha256:${string}`;
}

export function newKeyring(
  names: readonly string[],
  keys: Keys,
  asked: Asked,
  { made, personOf }: Making,
) {
  const everybody = [OPERATOR, ...names];
  const idOf = (name: string): string => uuid(800 + everybody.indexOf(name));
  const person = (name: string): SoftAuthenticator =>
    softAuthenticator(keys.forged === true ? `forged ${name}` : name, algorithmOf(name, keys));
  const { request, digest } = asked as Asked & { request: ExtendedDecisionRequest };
  const counters = new Map<string, number>();
  const count = (name: string): number => {
    const next = (counters.get(name) ?? 0) + 1;
    counters.set(name, next);
    // Keys that may be copied count nothing.
    return keys.flags === undefined ? next : 0;
  };
  const answered = (name: string, statement: object, answer: Partial<Answer> = {}) =>
    person(name).answer({
      challenge: challengeOf(statement),
      counter: count(name),
      ...(keys.flags === undefined ? {} : { flags: keys.flags }),
      ...answer,
    });

  function enrolmentOf(
    name: string,
    changes: Partial<CredentialBound>,
    { said, answer }: Wrongly = {},
  ): CredentialBound {
    const { key, algorithm } = person(name);
    const about = { credential: idOf(name), principal: name, person: personOf(name), ...changes };
    const issued_at = iso(boundAt(name) - 60_000);
    const told = { issuer: ISSUER, tenant: request.tenant, issued_at, nonce: NONCE };
    const agreed = enrolmentStatement(
      { ...told, principal: about.principal, person: about.person, credential: about.credential },
      changes.public_key ?? key,
    );
    const statement = { ...agreed, ...said };
    return {
      ...about,
      credential_id: Buffer.from(`key of ${name}`).toString('base64url'),
      public_key: key,
      algorithm,
      rp_id: new URL(ISSUER).hostname,
      origin: ISSUER,
      aaguid: '01020304-0506-0708-090a-0b0c0d0e0f10',
      attestation: { format: 'none', verified: false },
      device_bound: keys.flags === undefined,
      enrolment: { statement, ...answered(name, statement, answer) },
      countersigned_by: null,
      bound_at: iso(boundAt(name)),
      ...changes,
    };
  }

  function vouchedBy(
    by: string,
    of: CredentialBound,
    kind: 'human' | 'own_credential' = 'human',
  ): CredentialBound['countersigned_by'] {
    const about = { issuer: ISSUER, tenant: request.tenant, operator: by, attempt: 1 };
    const statement = countersignStatement(
      { ...about, person: personOf(by) },
      of.enrolment.statement,
    );
    return {
      kind,
      subject: by,
      credential: idOf(by),
      signature: { statement, ...answered(by, statement) },
    };
  }

  function boundOf(name: string): Signed {
    const alone = enrolmentOf(name, {});
    const usual: CredentialBound = {
      ...alone,
      countersigned_by:
        name === OPERATOR
          ? { kind: 'operator_token', subject: 'ops-1', credential: null, signature: null }
          : vouchedBy(OPERATOR, alone),
    };
    const enrolled: Enrolling['enrolled'] = (changes, wrongly) => {
      const changed = enrolmentOf(name, changes, wrongly);
      return { ...changed, countersigned_by: vouchedBy(OPERATOR, changed) };
    };
    const payload =
      keys.bound?.(usual, { enrolled, vouched: (by, kind) => vouchedBy(by, alone, kind) }) ?? usual;
    return made('CredentialBound', Date.parse(payload.bound_at), payload);
  }

  const bound = new Map(everybody.map((name) => [name, boundOf(name)]));
  const ended = (keys.ended ?? []).map(({ of, at, reason, since }) => {
    const record = bound.get(of) as Signed;
    const {
      credential,
      principal,
      person: owner,
    } = record.record.payload as never as CredentialBound;
    return made('CredentialEnded', Date.parse(at), {
      ...{ credential, principal, person: owner, bound: record.digest, reason },
      compromised_since: since ?? null,
      ended_by: { kind: 'human', subject: principal },
      ended_at: at,
    });
  });

  return {
    records: [...bound.values(), ...ended],
    /** Those that the votes of these people rest on. */
    evidence: (cited: readonly string[]): SignedRecord[] =>
      [
        ...[OPERATOR, ...cited, ...(keys.beside ?? [])]
          .filter((name) => name !== keys.without)
          .map((name) => bound.get(name) as Signed),
        ...ended,
      ].map(({ record }) => record),
    /** The signature of a vote's giver. */
    signed(
      vote: ApprovalRecord,
      name: string,
      wrongly?: (signing: Signing) => HumanSignature | null,
    ) {
      const sign: Signing['sign'] = (statement, answer) => ({
        credential: idOf(name),
        bound: (bound.get(name) as Signed).digest,
        statement,
        ...answered(name, statement, answer),
      });
      const { candidate_id: id, candidate_digest, response_digest } = vote;
      const statement = approvalStatement({
        issuer: ISSUER,
        request,
        requestDigest: digest,
        candidate: { id, digest: candidate_digest, response_digest },
        vote: { ...vote, acting_for: null, credential: idOf(name) },
        offer: { issued_at: iso(Date.parse(vote.approved_at) - 20_000), nonce: NONCE },
      });
      const usual = sign(statement);
      return wrongly === undefined ? usual : wrongly({ usual, sign });
    },
  };
}
