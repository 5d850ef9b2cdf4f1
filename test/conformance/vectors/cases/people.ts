import { KEY_PROFILE, thumbprintOf, valueDigest } from '@countersign/protocol';
import type {
  ApprovalStatement,
  ExtendedDecisionRequest,
  RoutePolicy,
} from '@countersign/protocol';
import { FLAGS, softAuthenticator } from '@countersign/protocol/testing/authenticator';
import { buildEvidence } from '../../evidence/build-evidence.js';
import { copyOf, forged } from '../../evidence/forging.js';
import { pinsOf } from '../../evidence/keyring.js';
import type { Keys, Signing } from '../../evidence/keyring.js';
import { LEDGER_ID } from '../../evidence/ledger.js';
import type { Scenario } from '../../evidence/scenario.js';
import type { Step } from '../../evidence/voting.js';
import { personOf } from '../../evidence/voting.js';
import { accepted, refused } from '../vector.js';
import type { Options, Vector } from '../vector.js';
import { THREE, all, by, scenario } from './approval-scenarios.js';

type Check = Omit<Vector['check'], 'status'>;
type KeyPolicy = NonNullable<RoutePolicy['human_key']>;

const VOTERS = ['fin-1', 'plat-1', 'plat-4'];
const PINNED = pinsOf(VOTERS);
/** Keys that are copied to several devices count nothing. */
const SYNCED = FLAGS.present | FLAGS.verified | FLAGS.eligible | FLAGS.backedUp;
const POLICY: KeyPolicy = {
  attestation: 'none',
  aaguids: [],
  device: 'any',
  enrolment: 'countersigned',
};

/** A request whose people sign with keys of their own (protocol §19). */
function keyed(
  keys: Keys = {},
  steps: readonly Step[] = THREE,
  more: {
    readonly policy?: Partial<KeyPolicy> | null;
    readonly profile?: boolean;
  } & Parameters<typeof scenario>[1] = {},
): Scenario {
  const { policy = {}, profile = true, ...rest } = more;
  const plain = scenario(steps, rest);
  const { profiles, approval } = plain.request as ExtendedDecisionRequest;
  const whole =
    policy === null ? approval.policy : { ...approval.policy, human_key: { ...POLICY, ...policy } };
  return {
    ...plain,
    request: {
      ...plain.request,
      profiles: { ...profiles, ...(profile ? KEY_PROFILE : {}) },
      approval: { ...approval, policy: whole, policy_digest: valueDigest(whole) },
    } as ExtendedDecisionRequest,
    votes: { ...(plain.votes as NonNullable<Scenario['votes']>), keys },
  };
}

/** The second of three votes signs wrongly. */
const second = (human: NonNullable<Extract<Step, { by: string }>['human']>): readonly Step[] => [
  by('fin-1'),
  by('plat-1', { human }),
  by('plat-4'),
];
const saying = (changes: Partial<ApprovalStatement>): readonly Step[] =>
  second(({ usual, sign }) => sign({ ...usual.statement, ...changes }));
const answering = (answer: Parameters<Signing['sign']>[1]): readonly Step[] =>
  second(({ usual, sign }) => sign(usual.statement, answer));

/** Exports of requests whose people sign with keys of their own. */
export function peopleVectors(): Vector[] {
  return [
    ...good(),
    ...open(),
    ...wrongStatements(),
    ...wrongAnswers(),
    ...wrongKeys(),
    ...altered(),
    ...ranges(),
  ];
}

function good(): Vector[] {
  const holds = (
    name: string,
    what: string,
    of: Scenario,
    code: Vector['check']['code'],
    options: Options = {},
  ): Vector => {
    const { document, ledger } = buildEvidence(of);
    return accepted(
      `people-${name}`,
      what,
      document,
      { code, status: 'holds' },
      { store: ledger.store, ...options },
    );
  };
  return [
    holds('signed', 'One person signs by EdDSA, two by ES256.', keyed(), 'human_signature'),
    holds(
      'executed',
      'From the question to its outcome.',
      keyed({}, THREE, { until: 'reported' }),
      'human_statement',
    ),
    holds('pinned', 'The reader knows the keys.', keyed(), 'human_pinned', { people: PINNED }),
    holds('es256', 'Everybody signs by ES256.', keyed({ algorithm: 'ES256' }), 'human_signature'),
    holds(
      'synced',
      'Keys that are copied and count nothing.',
      keyed({ flags: SYNCED }),
      'human_counter',
    ),
    holds(
      'extensions',
      'An authenticator answers with extensions.',
      keyed({}, answering({ flags: 0x85, more: Buffer.from('a1646e616d65f5', 'hex') })),
      'human_flags',
    ),
    holds(
      'material-deleted',
      'After private deletion.',
      keyed({}, THREE, { discarded: true, until: 'reported' }),
      'human_statement',
    ),
    holds(
      'key-ended-later',
      'A key was replaced after the vote by it.',
      keyed({ ended: [{ of: 'plat-1', at: '2026-05-01T11:00:00.000Z', reason: 'replaced' }] }),
      'human_credential',
    ),
    holds(
      'compromised-later',
      'A key was in other hands after the vote by it.',
      keyed({
        ended: [
          {
            of: 'plat-1',
            at: '2026-05-01T11:00:00.000Z',
            reason: 'compromised',
            since: '2026-05-01T10:00:00.000Z',
          },
        ],
      }),
      'human_credential',
    ),
    holds(
      'device-bound',
      'The policy asks for keys that cannot be copied.',
      keyed({}, THREE, { policy: { device: 'device_bound' } }),
      'human_credential',
    ),
    holds(
      'listed',
      'The policy lists the model of the authenticators.',
      keyed(
        { bound: (usual) => ({ ...usual, attestation: { format: 'packed', verified: true } }) },
        THREE,
        {
          policy: { attestation: 'listed', aaguids: ['01020304-0506-0708-090a-0b0c0d0e0f10'] },
        },
      ),
      'human_credential',
    ),
    holds(
      'by-themselves',
      'The policy lets people enrol by themselves.',
      keyed({ bound: (usual) => ({ ...usual, countersigned_by: null }) }, THREE, {
        policy: { enrolment: 'self' },
      }),
      'human_enrolment',
    ),
    holds(
      'veto',
      'A no is signed too.',
      keyed({}, all('plat-2'), { decision: 'refuse' }),
      'human_statement',
    ),
    spare(),
  ];
}

/** The second key of fin-2 is that of fin-1, who is the same person here. */
function spare(): Vector {
  const members = {
    'fin-1': { groups: ['finance'], team: 'green' },
    'fin-2': { groups: [], person: 'fin-1' },
    'plat-1': { groups: ['platform'], team: 'blue' },
    'plat-4': { groups: ['platform'], team: 'black' },
  };
  const bound: Keys['bound'] = (usual, { vouched }) =>
    usual.principal === 'fin-1'
      ? {
          ...usual,
          bound_at: '2026-04-30T09:00:00.000Z',
          countersigned_by: vouched('fin-2', 'own_credential'),
        }
      : usual;
  const of = keyed({ bound, beside: ['fin-2'] }, THREE, { members });
  const { document, ledger } = buildEvidence(of);
  return accepted(
    'people-spare-key',
    'A key was added by another key of the same person.',
    document,
    { code: 'human_enrolment', status: 'holds' },
    { store: ledger.store },
  );
}

function open(): Vector[] {
  const { document, ledger } = buildEvidence(keyed({ without: 'op-1' }));
  const { document: unpinned, ledger: store } = buildEvidence(keyed());
  const forgery = buildEvidence(keyed({ forged: true }));
  return [
    accepted(
      'people-countersigner-missing',
      'The key that vouched for the others is not there.',
      document,
      { code: 'human_enrolment', status: 'cannot be known' },
      { store: ledger.store },
      'incomplete',
    ),
    accepted(
      'people-forged-by-all-services',
      'The keys of all services sign for people who never did: without pins nothing shows it.',
      forgery.document,
      { code: 'human_pinned', status: 'not checked' },
      { store: forgery.ledger.store },
    ),
    accepted(
      'people-not-pinned',
      'Without keys that the reader knows, the binding rests on the directory.',
      unpinned,
      { code: 'human_pinned', status: 'not checked' },
      { store: store.store },
    ),
  ];
}

const OTHER = `sha256:${'0'.repeat(64)}` as const;

/** Every member of the statement, signed well and wrong. */
function wrongStatements(): Vector[] {
  const wrong: Partial<ApprovalStatement>[] = [
    { issuer: 'https://other.example' },
    { tenant: 'other' },
    { purpose: 'review' },
    { request_id: 'other' },
    { request_digest: OTHER },
    { policy_digest: OTHER },
    { candidate_id: '00000000-0000-4000-8000-00000000abcd' },
    { candidate_digest: OTHER },
    { response_digest: OTHER },
    { decision: 'refuse' },
    { mode: 'debt' },
    { reviewer: 'plat-2' },
    { person: OTHER },
    { acting_for: 'plat-2' },
    { emergency: OTHER },
    { attention: OTHER },
    { credential: null },
    { issued_at: '2026-05-01T08:56:09.999Z' },
    { issued_at: '2026-05-01T09:01:10.001Z' },
  ];
  return wrong.map((changes, at) => {
    const [member = ''] = Object.keys(changes);
    const late = at === wrong.length - 1 ? '-later' : '';
    return failing(
      `statement-${member.replaceAll('_', '-')}${late}`,
      `The person signed another ${member.replaceAll('_', ' ')}.`,
      keyed({}, saying(changes)),
      { code: 'human_statement' },
    );
  });
}

function wrongAnswers(): Vector[] {
  const cases: [string, string, Parameters<Signing['sign']>[1], Check][] = [
    [
      'other-challenge',
      'The challenge of another statement.',
      { challenge: Buffer.alloc(32).toString('base64url') },
      { code: 'human_challenge', reason: 'wrong_challenge' },
    ],
    [
      'other-origin',
      'On another site.',
      { origin: 'https://evil.example' },
      { code: 'human_challenge', reason: 'wrong_origin' },
    ],
    [
      'new-key',
      'The browser was asked for a new key.',
      { type: 'webauthn.create' },
      { code: 'human_challenge', reason: 'wrong_type' },
    ],
    [
      'cross-origin',
      'In a frame of another site.',
      { members: { crossOrigin: true } },
      { code: 'human_challenge', reason: 'cross_origin' },
    ],
    [
      'top-origin',
      'Below another site.',
      { members: { topOrigin: 'https://evil.example' } },
      { code: 'human_challenge', reason: 'cross_origin' },
    ],
    [
      'token-binding',
      'Bound to a connection.',
      { members: { tokenBinding: { status: 'supported' } } },
      { code: 'human_challenge', reason: 'token_binding' },
    ],
    [
      'other-rp',
      'For another site.',
      { rpId: 'evil.example' },
      { code: 'human_flags', reason: 'wrong_relying_party' },
    ],
    [
      'no-touch',
      'The authenticator was not touched.',
      { flags: FLAGS.verified },
      { code: 'human_flags', reason: 'user_not_present' },
    ],
    [
      'no-verification',
      'The user was not verified.',
      { flags: FLAGS.present },
      { code: 'human_flags', reason: 'user_not_verified' },
    ],
    [
      'copied',
      'A key that can be copied, bound as one that cannot.',
      { flags: 0x0d },
      { code: 'human_flags', reason: 'wrong_backup' },
    ],
    [
      'byte-too-many',
      'A byte behind the authenticator data.',
      { more: Buffer.of(0) },
      { code: 'human_flags', reason: 'authenticator_data_malformed' },
    ],
    [
      'data-alone',
      'The signature leaves the client data out.',
      { signs: (data) => data },
      { code: 'human_signature', reason: 'wrong_signature' },
    ],
    ['counter-back', 'The counter steps back.', { counter: 1 }, { code: 'human_counter' }],
  ];
  return [
    ...cases.map(([name, what, answer, check]) =>
      failing(name, what, keyed({}, answering(answer)), check),
    ),
    failing(
      'member-twice',
      'The client data has a member twice.',
      keyed(
        {},
        second(({ usual, sign }) => {
          const clientData = Buffer.from(usual.client_data_json, 'base64url').toString();
          return sign(usual.statement, {
            clientData: clientData.replace('}', ',"type":"webauthn.get"}'),
          });
        }),
      ),
      { code: 'human_challenge', reason: 'client_data_malformed' },
    ),
    failing(
      'unsigned',
      'A vote has no signature.',
      keyed(
        {},
        second(() => null),
      ),
      { code: 'human_present' },
    ),
    failing(
      'padded',
      'The signature is padded.',
      keyed(
        {},
        second(({ usual }) => ({ ...usual, signature: `${usual.signature.slice(0, -1)}` })),
      ),
      { code: 'human_signature', reason: 'malformed_signature' },
    ),
    failing(
      'truncated',
      'The authenticator data ends too soon.',
      keyed(
        {},
        second(({ usual }) => ({
          ...usual,
          authenticator_data: usual.authenticator_data.slice(0, -4),
        })),
      ),
      { code: 'human_flags', reason: 'authenticator_data_malformed' },
    ),
    failing(
      'signature-of-another',
      'The signature of another vote.',
      keyed(
        {},
        second(({ usual, sign }) => {
          const other = sign({ ...usual.statement, nonce: 'AAECAwQFBgcICQoLDA0OEA' });
          return { ...usual, signature: other.signature };
        }),
      ),
      { code: 'human_signature', reason: 'wrong_signature' },
    ),
    failing(
      'signed-twice',
      'A vote carries the signature that its giver gave to an earlier one.',
      keyed({ flags: SYNCED }, reused()),
      { code: 'human_statement' },
    ),
  ];
}

/** A person takes a vote back, and the service makes a second one of the first one's signature. */
function reused(): readonly Step[] {
  let first: Signing['usual'] | null = null;
  return [
    by('fin-1'),
    by('plat-1', { human: ({ usual }) => (first = usual) }),
    { end: [1] },
    by('plat-1', { human: () => first }),
    by('plat-4'),
  ];
}

function wrongKeys(): Vector[] {
  const ofPlat1 = (change: NonNullable<Keys['bound']>): Keys => ({
    bound: (usual, making) => (usual.principal === 'plat-1' ? change(usual, making) : usual),
  });
  const ending = (more: object): Keys => ({
    ended: [{ of: 'plat-1', at: '2026-05-01T09:00:30.000Z', reason: 'lost', ...more }],
  });
  const { key: strangers, algorithm } = softAuthenticator('stranger', 'ES256');
  return [
    failing(
      'key-of-another',
      'The key is bound to another principal.',
      keyed(ofPlat1((_, { enrolled }) => enrolled({ principal: 'plat-2' }))),
      { code: 'human_credential' },
    ),
    failing(
      'key-of-another-person',
      'The key is bound to another person.',
      keyed(ofPlat1((_, { enrolled }) => enrolled({ person: personOf('plat-2') }))),
      { code: 'human_credential' },
    ),
    failing(
      'key-of-another-id',
      'The vote names another key than was bound.',
      keyed(
        {},
        second(({ usual, sign }) => ({
          ...sign({ ...usual.statement, credential: '00000000-0000-4000-8000-00000000abcd' }),
          credential: '00000000-0000-4000-8000-00000000abcd',
        })),
      ),
      { code: 'human_credential' },
    ),
    failing(
      'bound-later',
      'The key was bound after the vote.',
      keyed(ofPlat1((usual) => ({ ...usual, bound_at: '2026-05-01T10:30:00.000Z' }))),
      { code: 'human_credential' },
    ),
    failing('key-missing', 'The record of the key is missing.', keyed({ without: 'plat-1' }), {
      code: 'human_credential',
    }),
    failing('key-ended', 'The key had ended.', keyed(ending({})), { code: 'human_credential' }),
    failing(
      'key-in-other-hands',
      'The key was in other hands before the vote, as was found later.',
      keyed(
        ending({
          at: '2026-05-01T11:00:00.000Z',
          reason: 'compromised',
          since: '2026-05-01T09:01:10.000Z',
        }),
      ),
      { code: 'human_credential' },
    ),
    failing(
      'key-can-be-copied',
      'The policy asks for keys that cannot be copied.',
      keyed({ flags: 0x0d }, THREE, { policy: { device: 'device_bound' } }),
      { code: 'human_credential' },
    ),
    failing(
      'key-not-listed',
      'The policy lists another model.',
      keyed(
        { bound: (usual) => ({ ...usual, attestation: { format: 'packed', verified: true } }) },
        THREE,
        { policy: { attestation: 'listed', aaguids: ['00000000-0000-0000-0000-000000000001'] } },
      ),
      { code: 'human_credential' },
    ),
    failing(
      'key-not-attested',
      'The model that the policy lists was not verified.',
      keyed({}, THREE, {
        policy: { attestation: 'listed', aaguids: ['01020304-0506-0708-090a-0b0c0d0e0f10'] },
      }),
      { code: 'human_credential' },
    ),
    failing(
      'key-without-countersignature',
      'The key has no countersignature.',
      keyed(ofPlat1((usual) => ({ ...usual, countersigned_by: null }))),
      { code: 'human_credential' },
    ),
    failing(
      'key-swapped',
      'The service binds a key of its own, and its holder has not agreed.',
      keyed(ofPlat1((usual) => ({ ...usual, public_key: strangers, algorithm }))),
      { code: 'human_enrolment' },
    ),
    failing(
      'key-off-its-curve',
      'The key is no point of its curve.',
      keyed(
        ofPlat1((usual) => ({
          ...usual,
          public_key: { ...strangers, y: (strangers as { x: string }).x } as never,
        })),
      ),
      { code: 'human_signature', reason: 'unusable_key' },
    ),
    failing(
      'key-of-another-curve',
      'The key is of another curve than its algorithm.',
      keyed(ofPlat1((usual) => ({ ...usual, algorithm: 'EdDSA' }))),
      { code: 'human_signature', reason: 'unusable_key' },
    ),
    failing(
      'enrolled-as-another',
      'The holder of the key agreed to be bound to another person.',
      keyed(ofPlat1((_, { enrolled }) => enrolled({}, { said: { person: personOf('plat-2') } }))),
      { code: 'human_enrolment' },
    ),
    failing(
      'enrolled-on-another-site',
      'The key is one of another site.',
      keyed(
        ofPlat1((_, { enrolled }) =>
          enrolled({ rp_id: 'evil.example' }, { answer: { rpId: 'evil.example' } }),
        ),
      ),
      { code: 'human_enrolment' },
    ),
    failing(
      'enrolment-not-signed',
      'The holder of the key did not sign the enrolment.',
      keyed(ofPlat1((_, { enrolled }) => enrolled({}, { answer: { signs: (data) => data } }))),
      { code: 'human_enrolment' },
    ),
    failing(
      'countersignature-missing',
      'The countersignature was not made.',
      keyed(
        ofPlat1((usual) => ({
          ...usual,
          countersigned_by: {
            ...(usual.countersigned_by as NonNullable<typeof usual.countersigned_by>),
            subject: 'op-2',
          },
        })),
      ),
      { code: 'human_enrolment' },
    ),
    failing(
      'vouched-by-themselves',
      'The person vouched for its own key as an operator.',
      keyed(
        ofPlat1((usual, { vouched }) => ({
          ...usual,
          countersigned_by: vouched('plat-1', 'human'),
        })),
      ),
      { code: 'human_enrolment' },
    ),
    failing(
      'vouched-for-another',
      'The countersignature is for another enrolment.',
      keyed(
        ofPlat1((usual, { enrolled }) => ({
          ...usual,
          countersigned_by: enrolled({ credential: '00000000-0000-4000-8000-00000000abcd' })
            .countersigned_by,
        })),
      ),
      { code: 'human_enrolment' },
    ),
    failing(
      'vouched-by-an-ended-key',
      'The key that vouched had ended.',
      keyed({ ended: [{ of: 'op-1', at: '2026-04-30T07:30:00.000Z', reason: 'left' }] }),
      { code: 'human_enrolment' },
    ),
    failing(
      'vouched-by-a-stranger',
      'Another key of another person vouched as one of the same.',
      keyed(
        ofPlat1((usual, { vouched }) => ({
          ...usual,
          countersigned_by: vouched('op-1', 'own_credential'),
        })),
      ),
      { code: 'human_enrolment' },
    ),
    failing(
      'profile-without-policy',
      'The request selects keys, and its policy has none.',
      keyed({}, THREE, { policy: null }),
      { code: 'human_present', path: '/request/profiles' },
    ),
    failing(
      'forged-by-all-services-pinned',
      'The keys of all services sign for people whose keys the reader knows.',
      keyed({ forged: true }),
      { code: 'human_pinned' },
      { people: PINNED },
    ),
    failing(
      'policy-without-profile',
      'The policy asks for keys, and the request does not select them.',
      keyed(
        {},
        second(() => null),
        { profile: false },
      ),
      { code: 'human_present', path: '/request/profiles' },
    ),
    failing(
      'one-pin-changed',
      'One key is another than the reader knows.',
      keyed(),
      { code: 'human_pinned' },
      { people: [...PINNED.slice(0, 2), { principal: 'plat-4', keys: [thumbprintOf(strangers)] }] },
    ),
    failing(
      'unpinned',
      'One person is not among those whom the reader knows.',
      keyed(),
      { code: 'human_pinned' },
      { people: PINNED.slice(0, 2) },
    ),
    failing(
      'pinned-as-another',
      'The reader knows the key as that of another person.',
      keyed(),
      { code: 'human_pinned' },
      { people: PINNED.map((pin) => ({ ...pin, person: personOf('fin-1') })) },
    ),
  ];
}

function failing(
  name: string,
  what: string,
  of: Scenario,
  check: Check,
  options: Options = {},
): Vector {
  const { document, ledger } = buildEvidence(of);
  return refused(`people-${name}`, what, document, check, { store: ledger.store, ...options });
}

function altered(): Vector[] {
  const { document, ledger } = buildEvidence(keyed());
  const copy = copyOf(document) as any;
  const at = copy.evidence.records.length - 1;
  copy.evidence.records[at] = forged(copy.evidence.records[at], { key: 'k-stranger' });
  return [
    refused(
      'people-key-by-a-stranger',
      'The record of a key is signed by a key that is not trusted.',
      copy,
      { code: 'record_signature', path: `/evidence/records/${at}`, reason: 'unknown_key' },
      { store: ledger.store },
    ),
  ];
}

/** The ledger shows in which order keys and votes came. */
function ranges(): Vector[] {
  const expected = { tenant: 'acme', ledger: LEDGER_ID };
  const sound = buildEvidence(keyed({}, THREE, { until: 'reported' }));
  const ended = buildEvidence(
    keyed({ ended: [{ of: 'plat-1', at: '2026-05-01T08:30:00.000Z', reason: 'replaced' }] }),
  );
  return [
    accepted(
      'people-ledger',
      'The ledger of a request whose people sign with keys of their own.',
      sound.ledger.entries,
      { code: 'range_directory', status: 'holds' },
      { expected, store: sound.ledger.store },
    ),
    refused(
      'people-ledger-ended-key',
      'A vote names a key that had ended.',
      ended.ledger.entries,
      { code: 'range_directory' },
      { expected, store: ended.ledger.store },
    ),
  ];
}
