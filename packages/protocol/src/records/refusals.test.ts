import { Ajv2020 } from 'ajv/dist/2020.js';
import { extensionComponents } from '../openapi/components.js';
import { EXAMPLES } from './examples.js';
import type { RecordName } from './registry.js';
import { isTimestamp } from './timestamp.js';
import { validate } from './validation.js';

/** A change of an example: path of member names → new value, or `absent`. */
const absent = Symbol('absent');

function changed(name: RecordName, path: string, value: unknown): unknown {
  const copy = structuredClone(EXAMPLES[name]) as unknown;
  if (path === '') return value;
  const names = path.split('/');
  const last = names.pop() as string;
  const target = names.reduce(
    (at, part) => at[part] as Record<string, unknown>,
    copy as Record<string, unknown>,
  );
  if (value === absent) delete target[last];
  else target[last] = value;
  return copy;
}

type Case = [record: RecordName, path: string, accepted: unknown[], refused: unknown[]];

const text = (length: number): string => 'é'.repeat(length);
const emoji = (length: number): string => '😀'.repeat(length);
const identifier = (length: number): string => 'a'.repeat(length);
const identifiers: [unknown[], unknown[]] = [
  ['a', 'A.b_c:d@e/f-9', identifier(160)],
  ['', identifier(161), 'a b', 'é', 'a\n', 'a#b', 7, null],
];
const digests: [unknown[], unknown[]] = [
  [`sha256:${'0'.repeat(64)}`],
  [
    '',
    '0'.repeat(64),
    `sha256:${'0'.repeat(63)}`,
    `sha256:${'A'.repeat(64)}`,
    `sha256:${'0'.repeat(64)}\n`,
    7,
  ],
];
const uuids: [unknown[], unknown[]] = [
  ['00000000-0000-0000-0000-000000000000', '0b9a6c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d'],
  ['0B9A6C3D-4E5F-4A6B-8C7D-9E0F1A2B3C4D', '0b9a6c3d4e5f4a6b8c7d9e0f1a2b3c4d', '', 7],
];
const counts: [unknown[], unknown[]] = [
  [0, 1, 9007199254740991],
  [-1, 0.5, 9007199254740992, '1', null],
];
const timestamps: [unknown[], unknown[]] = [
  ['2026-05-01T09:00:00Z', '2026-05-01T09:00:00.123+02:00'],
  ['2026-02-30T09:00:00Z', '2026-05-01', 'tomorrow', 1777626000000],
];
const openObjects: [unknown[], unknown[]] = [
  [{}, { any: [1, { thing: null }] }],
  [null, [], 'text', 7],
];
const flags: [unknown[], unknown[]] = [
  [true, false],
  ['true', 1, null],
];
const states: [RecordName, string, string][] = [
  ['RequestStatus', 'decision_state', 'pending confirmed cancelled expired superseded'],
  ['RequestStatus', 'audit_state', 'unanchored pending anchored conflict'],
  [
    'RequestStatus',
    'grant_state',
    'not_applicable none pending_anchor available expired revoked consumed',
  ],
  [
    'RequestStatus',
    'execution_state',
    'not_applicable unclaimed claimed admitted completed failed failed_partial uncertain cancelled_before_dispatch abandoned',
  ],
  ['DeliveryStatus', 'kind', 'smtp webhook checkpoint'],
  ['DeliveryStatus', 'state', 'pending accepted failed expired'],
  ['DecisionProposal', 'decision', 'answer approve reject authorise refuse'],
  [
    'ExecutionOutcome',
    'status',
    'completed failed failed_partial uncertain cancelled_before_dispatch abandoned',
  ],
  ['ExecutionBinding', 'mode', 'live_window durable fixed_mock'],
  ['PrincipalInput', 'kind', 'producer publisher human'],
  ['ReminderResult', 'notification', 'queued polling-only'],
  ['Discovery', 'mode', 'development production'],
  ['Discovery', 'notifications', 'smtp polling-only'],
  ['Discovery', 'execution_admission', 'development_only independent_namespace_required'],
  ['SignedRecord', 'protected/purpose', 'review authorise_execution service'],
];

const cases: Case[] = [
  [
    'Profiles',
    '',
    [
      {},
      { a: text(100) },
      Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`p${i}`, 'v'])),
    ],
    [
      { a: '' },
      { a: text(101) },
      { a: 1 },
      Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`p${i}`, 'v'])),
    ],
  ],
  ['Limits', 'grant_seconds', ...counts],
  ['ExecutionBinding', 'action_occurrence_id', ...identifiers],
  ['ExecutionBinding', 'proposal_digest', ...digests],
  ['ExecutionBinding', 'proposal_format', ...identifiers],
  ['ExecutionBinding', 'context_digest', ...digests],
  ['ExecutionBinding', 'context_format', ...identifiers],
  ['ExecutionBinding', 'policy/source', ...identifiers],
  ['ExecutionBinding', 'policy/revision', ...identifiers],
  ['ExecutionBinding', 'policy/digest', ...digests],
  ['ExecutionBinding', 'policy/more', [], [1]],
  ['ExecutionBinding', 'valid_until', ...timestamps],
  ['ExecutionBinding', 'execution_seconds', [1, 3600], [0, 3601, 1.5, '600']],
  ['ExecutionBinding', 'provenance/profile', ...identifiers],
  ['ExecutionBinding', 'provenance/version', ...identifiers],
  ['ExecutionBinding', 'provenance/references', ...openObjects],
  ['ExecutionBinding', 'provenance/more', [], [1]],
  ['ExecutionBinding', 'recovery_of', ['invoice-4711/payment-0'], ['', null]],
  ['ReviewBinding', 'artefact_digest', ...digests],
  ['ReviewBinding', 'representation', ...identifiers],
  ['ReviewBinding', 'bundle', [absent], [null, {}]],
  [
    'ReviewBinding',
    'bundle/created_at',
    ['2026-05-01T09:00:00.000Z'],
    [
      '2026-05-01T09:00:00Z',
      '2026-05-01T09:00:00.0000Z',
      '2026-05-01T09:00:00.000+00:00',
      '2026-02-30T09:00:00.000Z',
      '2026-05-01T09:00:60.000Z',
    ],
  ],
  ['ReviewBinding', 'bundle/more', [], [1]],
  [
    'AgentUiCompatibility',
    '',
    [{ agent_ui: '2', more: { any: 1 } }],
    [{}, { agent_ui: 2 }, { agent_ui: '1' }],
  ],
  ['BundleRegistration', 'html', ['x'], ['', 7, null]],
  ['BundleRegistration', 'author', ['x', text(1000), emoji(1000)], ['', text(1001), 7]],
  ['BundleRegistration', 'licence', ['x', emoji(160)], ['', text(161), 7]],
  ['RequestInput', 'protocol_revision', [], ['2.0.0-draft.2', '2', null]],
  ['RequestInput', 'purpose', [], ['review', 'other', null]],
  ['RequestInput', 'route', ...identifiers],
  ['RequestInput', 'summary', ['x', text(300), emoji(300)], ['', text(301), 7]],
  ['RequestInput', 'artefact/digest', ...digests],
  ['RequestInput', 'artefact/representation', ...identifiers],
  ['RequestInput', 'artefact/digest_rules', ...identifiers],
  ['RequestInput', 'artefact/more', [], [1]],
  ['RequestInput', 'payload', [null, 0, '', [], {}, false], [absent]],
  ['RequestInput', 'response_schema', [{}], [null, true, []]],
  ['RequestInput', 'review_document', ['', text(1000)], [7, null]],
  ['RequestInput', 'review_seconds', [absent, 1, 86400], [0, 86401, 1.5, '60']],
  ['RequestInput', 'metadata', [absent, {}, { a: [1] }], [null, []]],
  ['RequestInput', 'bundle_id', [absent, 'a'], ['', null]],
  ['RequestInput', 'execution', [], [absent, null, {}]],
  ['RequestInput', 'profiles/proto.execution', [], [absent, '1']],
  ['RequestInput', 'profiles/proto.agent-ui', [], [absent, '1']],
  ['DecisionRequest', 'authority_namespace', [absent, ...uuids[0]], uuids[1]],
  ['DecisionRequest', 'supersedes', [absent, 'a'], ['', null]],
  ['DecisionRequest', 'authorisation_revision', ...counts],
  ['DecisionRequest', 'requester', [], [{ subject: 'a' }, { subject: 'a', source: 'b', more: 1 }]],
  ['DecisionRequest', 'accepted_at', ...timestamps],
  ['DecisionRequest', 'execution', [], [absent]],
  ['DecisionRequest', 'profiles/proto.execution', [], [absent, '1']],
  ['DecisionRequest', 'profiles/proto.agent-ui', [], [absent, '1']],
  ['RequestStatus', 'receipt', [null], [absent, {}]],
  ['RequestStatus', 'anchor', [null], [absent, {}]],
  [
    'RequestStatus',
    'delivery',
    [[], Array(30).fill(EXAMPLES.DeliveryStatus)],
    [Array(31).fill(EXAMPLES.DeliveryStatus), null],
  ],
  [
    'DeliveryStatus',
    'error',
    [
      null,
      'delivery_failed',
      'destination_changed',
      'delivery_window_expired',
      'smtp_timeout',
      'anchor_conflict',
    ],
    ['other', ''],
  ],
  ['RequestList', 'items', [[]], [Array(51).fill(EXAMPLES.RequestListItem), null]],
  ['RequestList', 'next_offset', [null, 0, 50, 100000], [-1, 100001]],
  ['RequestListItem', 'assignment', [null], [absent, {}]],
  ['Assignment', 'id', ...uuids],
  ['Assignment', 'reviewer', ['x', text(160)], ['', text(161)]],
  ['Material', 'payload', [null, 0, []], [absent]],
  ['Material', 'candidate', [null], [absent, {}]],
  ['DecisionProposal', 'response', [null, 0, [], 'x'], [absent]],
  ['DecisionCandidate', 'revision', ...counts],
  ['DecisionCandidate', 'response', [null, 0], [absent]],
  ['Confirmation', 'candidate_id', ...uuids],
  ['Confirmation', 'candidate_digest', ...digests],
  ['EmptyInput', '', [{}], [null, [], { a: 1 }, '']],
  ['DecisionReceipt', 'decision', ['refuse'], ['answer', 'approve', 'reject']],
  ['DecisionReceipt', 'grant_deadline', [], [absent, null]],
  ['DecisionReceipt', 'purpose', [], ['review', 'service']],
  ['ClaimInput', 'execution_identity', ...identifiers],
  ['ClaimInput', 'execution_binding_digest', ...digests],
  ['AdmissionInput', 'claim_id', ...uuids],
  [
    'AdmissionInput',
    'nonce',
    ['a'.repeat(16), 'a'.repeat(160)],
    ['a'.repeat(15), 'a'.repeat(161), `${'a'.repeat(16)}=`, 'é'.repeat(16)],
  ],
  ['AdmissionInput', 'execution_identity', ['x', text(160)], ['', text(161)]],
  ['AdmissionStatus', 'anchor', ...openObjects],
  ['AdmissionStatus', 'nonce', [text(16), text(160)], [text(15), text(161)]],
  ['ExecutionOutcome', 'details', ...openObjects],
  ['Recorder', 'kind', ['producer', 'human', 'operator', 'system'], ['publisher', 'other']],
  ['RecordedReconciliation', 'recorded_by/kind', [], ['producer', 'human', 'system']],
  ['RequestChangedEvent', 'revision', [1], [0, 1.5]],
  ['RequestChangedEvent', 'type', [], ['proto.request.created']],
  ['RequestChangedEvent', 'state/more', [], ['x']],
  ['EventPage', 'items', [[]], [Array(101).fill(EXAMPLES.SignedRecord), [{}]]],
  ['EventPage', 'next', ...counts],
  ['WebhookDelivery', 'delivery_id', ...uuids],
  ['MaterialDiscarded', 'reason', [], ['discard']],
  ['LedgerNode', 'previous_head', [''], [null]],
  ['LedgerEntry', 'sequence', ['1', '9007199254740991'], ['', '1.0', '-1', 1]],
  ['LedgerEntry', 'request_id', [null, ...uuids[0]], uuids[1]],
  ['LedgerEntry', 'record', [null, '{}'], [absent, {}]],
  ['LedgerPage', '', [[]], [{}, Array(101).fill(EXAMPLES.LedgerEntry)]],
  ['AuditExport', 'material', [null], [absent, {}]],
  ['AuditExport', 'material/bundle', [absent], [null, {}]],
  ['AuditExport', 'audit/0/sequence', ['3'], [3]],
  [
    'SignedRecord',
    'signature',
    [`${'-'.repeat(85)}_`],
    ['A'.repeat(85), 'A'.repeat(87), `${'A'.repeat(85)}=`],
  ],
  ['SignedRecord', 'payload', [null, 0], [absent]],
  ['SignedRecord', 'protected/protocol_revision', [], ['2.0.0-draft.2']],
  ['SignedRecord', 'protected/more', [], [1]],
  [
    'TrustManifest',
    'keys',
    [Array(128).fill(EXAMPLES.TrustManifest.keys[0])],
    [[], Array(129).fill(EXAMPLES.TrustManifest.keys[0])],
  ],
  ['TrustManifest', 'keys/0/algorithm', [], ['RS256']],
  ['TrustManifest', 'keys/0/public_key', [text(4096)], [text(4097)]],
  ['TrustManifest', 'keys/0/revoked_at', ['2026-06-01T00:00:00Z'], ['', null]],
  [
    'CredentialToken',
    '',
    ['a'.repeat(32), '_-'.repeat(100)],
    ['a'.repeat(31), 'a'.repeat(201), `${'a'.repeat(31)}.`, `${'a'.repeat(32)}\n`],
  ],
  ['PrincipalInput', 'id', ...identifiers],
  ['PrincipalInput', 'token', [absent, 'any text, checked apart'], [7, null]],
  ['PrincipalInput', 'config/enabled', flags[0], [...flags[1], absent]],
  ['PrincipalInput', 'config/identity_certain', ...flags],
  ['PrincipalInput', 'config/email_verified', ...flags],
  ['PrincipalInput', 'config/routes', [[], ['a', 'b']], ['a', [7], ['']]],
  ['PrincipalInput', 'config/owner', ['', 'checked apart é\n'], [7, null, 'a\0']],
  ['PrincipalInput', 'config/webhook', ['', 'ftp://checked.apart'], [7, null]],
  [
    'PrincipalInput',
    'config/webhook_secret',
    ['whsec_c2VjcmV0', 'whsec_c2VjcmV0MQ=='],
    ['', 'whsec_', 'whsec_c2V', 'c2VjcmV0', 'whsec_c2Vj_mV0'],
  ],
  ['PrincipalInput', 'config/operator', [], [true, false]],
  ['PrincipalInput', 'config/more', [], [1]],
  ['RouteInput', 'reviewers', [[], ['rev-1']], [null, 'rev-1', [7], ['']]],
  ['RouteInput', 'separation_of_duties', ...flags],
  ['RouteInput', 'allowed_producers', [[]], [null, [7]]],
  ['RouteInput', 'modes', [[], ['durable', 'é\n']], [null, [7], ['a\0']]],
  [
    'RouteInput',
    'required_profiles',
    [{}, { é: 'é\n' }],
    [null, { a: '' }, { a: '\0' }, { '\0': 'a' }],
  ],
  ['RouteInput', 'limits', [], [null, {}, []]],
  ['RouteInput', 'limits/grant_seconds', [0, 1.5, 'checked apart'], [absent]],
  ['RouteInput', 'limits/more', [], [1]],
  ['RouteLimits', 'grant_seconds', [1, 86400], [0, 86401, 1.5, '60', null]],
  ['RouteLimits', 'payload_bytes', [10485760], [10485761]],
  ['RouteResult', 'config/limits/grant_seconds', [0], [1.5, '60']],
  ['MetricsSnapshot', 'pending_per_reviewer', [null, 1.25], [absent, '1', -1]],
  ['MetricsSnapshot', 'requests/more', [1.5], ['1']],
  ['MetricsSnapshot', 'requests/pending', [], [absent]],
  ['MetricsSnapshot', 'incidents', [[]], [Array(51).fill(EXAMPLES.MetricsSnapshot.incidents[0])]],
  ['MetricsSnapshot', 'policy_and_executor_evidence', [], ['other']],
  ['ProblemDocument', 'error', ['not_found'], ['candidate_required', 'invalid_bootstrap', 'other']],
  ['ProblemDocument', 'status', [400, 503], [399, 504, '409']],
  ['RecoveryFence', 'key', [], ['', 'AB'.repeat(32)]],
  ...states.map(([record, path, values]): Case => [
    record,
    path,
    values.split(' '),
    ['', 'other', null],
  ]),
];

describe('the rules of a record', () => {
  test.each(cases)('%s %s', (name, path, accepted, refused) => {
    for (const value of accepted) {
      expect([value, validate(name, changed(name, path, value))]).toEqual([value, true]);
    }
    for (const value of refused) {
      expect([value, validate(name, changed(name, path, value))]).toEqual([value, false]);
    }
  });
});

/** The API description of these records; it states our patterns as formats. */
const published = new Ajv2020({
  strict: false,
  formats: { 'date-time': isTimestamp, uuid: true, uri: true },
});
published.addSchema({ components: { schemas: extensionComponents({}) } }, 'published');

describe('the published rules of a record', () => {
  test.each(cases)('%s %s', (name, path, _accepted, refused) => {
    const takes = published.getSchema(`published#/components/schemas/${name}`);
    for (const value of refused) {
      expect([value, takes?.(changed(name, path, value))]).toEqual([value, false]);
    }
  });
});

describe('the rules between parts', () => {
  const { execution: _execution, bundle_id: _bundle, ...plain } = EXAMPLES.RequestInput;
  const review = { ...plain, purpose: 'review', profiles: {} };

  it('let a review do without execution and profiles', () => {
    expect(validate('RequestInput', review)).toBe(true);
  });

  it('keep execution out of a review', () => {
    const execution = EXAMPLES.ExecutionBinding;
    expect(validate('RequestInput', { ...review, execution })).toBe(false);
    expect(validate('DecisionRequest', { ...EXAMPLES.DecisionRequest, purpose: 'review' })).toBe(
      false,
    );
  });

  it('demand the app profile only with a bundle', () => {
    const bundle_id = 'bundle-1';
    expect(validate('RequestInput', { ...review, bundle_id })).toBe(false);
    const profiles = { 'proto.agent-ui': '2' };
    expect(validate('RequestInput', { ...review, bundle_id, profiles })).toBe(true);
    expect(validate('RequestInput', { ...review, profiles })).toBe(true);
  });

  it('give a review receipt its own decisions and no grant', () => {
    const { grant_deadline, ...rest } = EXAMPLES.DecisionReceipt as Record<string, unknown>;
    const receipt = { ...rest, purpose: 'review', decision: 'approve' };
    expect(validate('DecisionReceipt', receipt)).toBe(true);
    expect(validate('DecisionReceipt', { ...receipt, grant_deadline })).toBe(false);
    expect(validate('DecisionReceipt', { ...receipt, decision: 'refuse' })).toBe(false);
  });

  it('give the power to operate only to humans', () => {
    const human = { id: 'ann', kind: 'human', config: { enabled: true, operator: true } };
    expect(validate('PrincipalInput', human)).toBe(true);
    expect(validate('PrincipalInput', { ...human, kind: 'publisher' })).toBe(false);
  });
});
