import { DEFAULT_LIMITS, PROTOCOL_REVISION, SUPPORTED_PROFILES } from '../../constants.js';
import type * as records from '../index.js';
import { LEDGER_ID, ORIGIN } from './example-ids.js';

export const Profiles: records.Profiles = { ...SUPPORTED_PROFILES };
export const Metadata: records.Metadata = { team: 'treasury' };

export const Discovery: records.Discovery = {
  name: 'Countersign',
  revisions: [PROTOCOL_REVISION],
  profiles: { ...SUPPORTED_PROFILES },
  renderer: { agent_ui: '2' },
  mode: 'development',
  release_ready: false,
  execution_admission: 'development_only',
  notifications: 'polling-only',
};

export const TrustManifest: records.TrustManifest = {
  issuer: ORIGIN,
  protocol_revision: PROTOCOL_REVISION,
  keys: [
    {
      key_id: 'k-2026-01',
      algorithm: 'Ed25519',
      public_key:
        '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAozWuYviOKJbywKbOIVSUEo+cgk54xuxnNXrGMJVIiC4=\n-----END PUBLIC KEY-----\n',
      not_before: '2026-01-01T00:00:00.000Z',
      not_after: '2027-01-01T00:00:00.000Z',
    },
  ],
};

export const ProblemDocument: records.ProblemDocument = {
  type: `${ORIGIN}/errors/request_not_pending`,
  title: 'The request is no longer open for decision',
  status: 409,
  detail: 'Read the request for its state; create or supersede if a decision is still needed.',
  error: 'request_not_pending',
  instance: '4bf92f3577b34da6a3ce929d0e0e4736',
};

export const CredentialToken = 'example_0123456789-ABCDEFGHIJKLM';

export const PrincipalConfig: records.PrincipalConfig = {
  enabled: true,
  name: 'Invoice bot',
  publisher: 'treasury-apps',
  owner: 'owner-1',
  routes: ['payments'],
  webhook: 'https://hooks.example/countersign',
};

export const PrincipalInput: records.PrincipalInput = {
  id: 'bot-7',
  kind: 'producer',
  config: PrincipalConfig,
  token: CredentialToken,
};

export const PrincipalResult: records.PrincipalResult = { id: 'bot-7', kind: 'producer' };

export const PrincipalConfigured: records.PrincipalConfigured = {
  id: 'bot-7',
  kind: 'producer',
  enabled: true,
};

export const RouteLimits = { ...DEFAULT_LIMITS, review_seconds: 3600 };

export const RouteInput: records.RouteInput = {
  reviewers: ['rev-1', 'rev-2'],
  separation_of_duties: true,
  limits: RouteLimits,
  required_profiles: { 'proto.execution': '1-draft.1' },
  allowed_producers: ['bot-7'],
  modes: ['live_window'],
};

export const RouteConfig: records.RouteConfig = RouteInput;

export const RouteResult: records.RouteResult = {
  id: 'payments',
  revision: 3,
  config: RouteConfig,
};

export const RecoveryFence: records.RecoveryFence = {
  key: 'ab'.repeat(32),
  value: { ledger: LEDGER_ID },
};

export const MetricsSnapshot: records.MetricsSnapshot = {
  admission_fenced: false,
  requests: {
    retained: 12,
    pending: 3,
    unresolved_execution: 1,
    oldest_pending_seconds: 941.5,
    retained_bytes: 402_653,
  },
  enabled_reviewers: 2,
  pending_per_reviewer: 1.5,
  delivery: [{ kind: 'webhook', state: 'pending', count: 1, oldest_seconds: 2 }],
  incidents: [{ id: 'i-1', code: 'reconciliation_due', created_at: '2026-05-01T09:30:00.000Z' }],
  operations: [
    { name: 'outbox', succeeded_at: '2026-05-01T09:31:00.000Z', failed_at: null },
    { name: 'retention', succeeded_at: null, failed_at: null },
  ],
  http_since_process_start: { total: 1204, failures: 17, conflicts: 4 },
  policy_and_executor_evidence: 'external_executor_responsibility',
};
