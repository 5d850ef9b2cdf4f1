import { KEY_PROFILE, valueDigest } from '@countersign/protocol';
import type {
  ApprovalRecord,
  Attention,
  ExtendedDecisionRequest,
  RoutePolicy,
} from '@countersign/protocol';
import { buildEvidence } from '../../evidence/build-evidence.js';
import type { Scenario } from '../../evidence/scenario.js';
import type { Step } from '../../evidence/voting.js';
import { accepted, refused } from '../vector.js';
import type { Vector } from '../vector.js';
import { all, by, scenario } from './approval-scenarios.js';

type Policy = NonNullable<RoutePolicy['attention']>;
type More = Parameters<typeof scenario>[1];

/** The first vote is exactly as late as it asks for. */
const POLICY: Policy = {
  ...{ tier: 'high', read_seconds: 35, reading_rate: 10, cool_down_seconds: 8 },
  typed: [{ label: 'Amount', pointer: '/amount' }],
  open: ['document'],
  ...{ per_hour: 20, per_day: 100 },
};
const KEY: NonNullable<RoutePolicy['human_key']> = {
  ...{ attestation: 'none', aaguids: [], device: 'any', enrolment: 'countersigned' },
};
/** The evidence offers each vote so long before it is given. */
const OFFERED_MS = 20_000;
const MATERIAL_AT = '2026-05-01T09:00:05.000Z';

/** What a vote says of attention that was offered 20 seconds before it. */
function attentionOf({ approved_at }: ApprovalRecord): Attention {
  return {
    tier: 'high',
    material_first_read_at: MATERIAL_AT,
    candidate_first_read_at: '2026-05-01T09:00:32.000Z',
    read_ms: Date.parse(approved_at) - OFFERED_MS - Date.parse(MATERIAL_AT),
    typed: ['/amount'],
    client: { document_end: true, payload_opened: false },
  };
}

/** A vote whose attention is changed, or said to be none. */
const attentive = (name: string, changes: Partial<Attention> | null = {}): Step =>
  by(name, {
    changed: (usual) => ({
      ...usual,
      attention: changes === null ? null : { ...attentionOf(usual), ...changes },
    }),
  });
const VOTES = [attentive('fin-1'), attentive('plat-1'), attentive('plat-4')];
/** The first of three votes says otherwise. */
const first = (changes: Partial<Attention> | null): Step[] => [
  attentive('fin-1', changes),
  ...VOTES.slice(1),
];

/** A request whose policy asks for attention; null: for none. */
function asking(
  steps: readonly Step[],
  policy: Partial<Policy> | null = {},
  { keyed = false, ...more }: More & { readonly keyed?: boolean } = {},
): Scenario {
  const plain = scenario(steps, more);
  const { profiles, approval } = plain.request as ExtendedDecisionRequest;
  const whole: RoutePolicy = {
    ...approval.policy,
    ...(policy !== null && { attention: { ...POLICY, ...policy } }),
    ...(keyed && { human_key: KEY }),
  };
  return {
    ...plain,
    request: {
      ...plain.request,
      profiles: { ...profiles, ...(keyed && KEY_PROFILE) },
      approval: { ...approval, policy: whole, policy_digest: valueDigest(whole) },
    } as ExtendedDecisionRequest,
    votes: { ...(plain.votes as NonNullable<Scenario['votes']>), ...(keyed && { keys: {} }) },
  };
}

/** Exports of requests whose policy asks for attention (protocol §18.12). */
export function attentionVectors(): Vector[] {
  return [...good(), ...wrong(), ...signed()];
}

function good(): Vector[] {
  const holds = (name: string, what: string, of: Scenario, check: Vector['check']): Vector => {
    const { document, ledger } = buildEvidence(of);
    return accepted(`attention-${name}`, what, document, check, { store: ledger.store });
  };
  const kept = { code: 'approval_attention', status: 'holds' } as const;
  const path = '/records/0/payload/attention';
  return [
    holds(
      'kept',
      'Each yes comes after the floors of the policy, the first one exactly then.',
      asking(VOTES, {}, { until: 'reported' }),
      { ...kept, path },
    ),
    holds(
      'by-length',
      'The length of the document alone makes the floor.',
      asking(
        all('fin-1', 'plat-1', 'plat-4').map((step) => {
          const { by: name } = step as { by: string };
          return attentive(name, { tier: 'low', typed: [] });
        }),
        { tier: 'low', read_seconds: 0, typed: [] },
      ),
      { ...kept, path },
    ),
    holds(
      'of-a-no',
      'A no is asked for nothing.',
      asking(all('plat-2'), {}, { decision: 'refuse' }),
      { code: 'approval_seats', status: 'holds' },
    ),
    holds(
      'material-deleted',
      'After private deletion the length of the document is not known any more.',
      asking(VOTES, {}, { discarded: true, until: 'reported' }),
      { code: 'approval_attention', status: 'cannot be known', path },
    ),
    holds(
      'signed',
      'The people sign what is said of their attention.',
      asking(VOTES, {}, { keyed: true }),
      { code: 'human_statement', status: 'holds' },
    ),
  ];
}

/** The service signs votes that it must not take: every signature of it is valid. */
function wrong(): Vector[] {
  const fails = (name: string, what: string, of: Scenario): Vector => {
    const { document, ledger } = buildEvidence(of);
    const check = { code: 'approval_attention' } as const;
    return refused(`attention-${name}`, what, document, check, { store: ledger.store });
  };
  return [
    fails('missing', 'A yes says nothing of attention.', asking(first(null))),
    fails(
      'not-asked',
      'A vote says attention that the policy does not ask for.',
      asking(VOTES, null),
    ),
    fails(
      'told-by-a-no',
      'A no says attention.',
      asking([attentive('plat-2')], {}, { decision: 'refuse' }),
    ),
    fails(
      'too-short',
      'A yes comes a millisecond before the reading time of the policy is over.',
      asking(first({ material_first_read_at: '2026-05-01T09:00:05.001Z', read_ms: 34_999 })),
    ),
    fails(
      'faster-than-its-length',
      'A yes comes before a document of this length was read.',
      asking(first({ material_first_read_at: '2026-05-01T09:00:35.000Z', read_ms: 5000 }), {
        read_seconds: 0,
      }),
    ),
    fails(
      'not-cooled-down',
      'A yes comes a millisecond before the answer has cooled down.',
      asking(first({ candidate_first_read_at: '2026-05-01T09:00:32.001Z' })),
    ),
    fails('of-another-tier', 'A yes is of another tier.', asking(first({ tier: 'critical' }))),
    fails('nothing-typed', 'A value of the policy was not typed.', asking(first({ typed: [] }))),
    fails(
      'before-the-request',
      'The material was read before the request was there.',
      asking(first({ material_first_read_at: '2026-05-01T08:59:59.999Z', read_ms: 40_001 })),
    ),
    fails(
      'before-the-answer',
      'The answer was read before it was frozen.',
      asking(first({ candidate_first_read_at: '2026-05-01T09:00:29.999Z' })),
    ),
    fails(
      'offered-later',
      'The attention is that of a time after the vote.',
      asking(first({ read_ms: 55_001 })),
    ),
  ];
}

/** A key signed other attention than the vote says, or at another time. */
function signed(): Vector[] {
  const { document, ledger } = buildEvidence(
    asking(
      [
        by('fin-1', {
          changed: (usual) => ({ ...usual, attention: attentionOf(usual) }),
          human: ({ usual, sign }) =>
            sign({ ...usual.statement, attention: valueDigest({ other: true }) }),
        }),
        ...VOTES.slice(1),
      ],
      {},
      { keyed: true },
    ),
  );
  const later = buildEvidence(asking(first({ read_ms: 36_000 }), {}, { keyed: true }));
  return [
    refused(
      'attention-signed-otherwise',
      'The person signed other attention than the vote says.',
      document,
      { code: 'human_statement' },
      { store: ledger.store },
    ),
    refused(
      'attention-of-another-offer',
      'The attention is not that of the time at which the vote was offered.',
      later.document,
      { code: 'approval_attention' },
      { store: later.ledger.store },
    ),
  ];
}
