import {
  AGENT_UI_LIFECYCLE,
  AGENT_UI_LIMITS,
  AGENT_UI_PROFILE,
  PROTOCOL_REVISION,
} from '../../constants.js';
import type * as records from '../index.js';
import { SignedRecord } from './evidence.js';
import { BundleRegistration, DecisionProposal, EmptyInput, Material } from './request.js';
import { BUNDLE_ID, CANDIDATE_ID, ORIGIN, REQUEST_ID, digest } from './example-ids.js';

export const HitlFormField: records.HitlFormField = {
  key: 'note',
  label: 'Note',
  type: 'textarea',
  required: false,
  validation: { maxLength: 500 },
};

export const HitlHandover: records.HitlHandover = {
  spec_version: '0.8',
  case_id: REQUEST_ID,
  review_url: `${ORIGIN}/review/${REQUEST_ID}`,
  poll_url: `${ORIGIN}/v2/hitl/${REQUEST_ID}/poll`,
  type: 'input',
  prompt: 'Pay invoice 4711 of Example Ltd: 1200.50 EUR',
  timeout: 'PT3600S',
  default_action: 'abort',
  created_at: '2026-05-01T09:00:00.000Z',
  expires_at: '2026-05-01T10:00:00.000Z',
  context: { form: { fields: [HitlFormField] } },
};

export const HumanInputRequired: records.HumanInputRequired = {
  status: 'human_input_required',
  message: 'A human review is pending.',
  hitl: HitlHandover,
};

export const HitlStatus: records.HitlStatus = HumanInputRequired;

export const HitlPoll: records.HitlPoll = {
  case_id: REQUEST_ID,
  status: 'completed',
  completed_at: '2026-05-01T09:05:00.000Z',
  result: {
    action: 'approve',
    data: {
      response: { note: 'Checked against the order' },
      proto_receipt: SignedRecord,
      audit_state: 'anchored',
      material_available: true,
    },
  },
};

export const HitlDiscovery: records.HitlDiscovery = {
  hitl_protocol: {
    spec_version: '0.8',
    service: { name: 'Countersign', description: 'Reviews by humans', url: ORIGIN },
    capabilities: {
      review_types: ['approval', 'input'],
      transports: ['polling'],
      max_timeout: 'PT86400S',
      default_timeout: 'PT86400S',
      supports_reminders: true,
      supports_multi_round: false,
      supports_signatures: false,
      supports_inline_submit: false,
    },
    endpoints: {
      reviews_base: `${ORIGIN}/v2/hitl`,
      review_page_base: `${ORIGIN}/review`,
      well_known: `${ORIGIN}/.well-known/hitl.json`,
    },
    authentication: { type: 'bearer' },
    rate_limits: {
      poll_min_interval_seconds: 1,
      poll_recommended_interval_seconds: 30,
      max_requests_per_minute: 60,
    },
    examples: { documentation: `${ORIGIN}/docs`, openapi: `${ORIGIN}/openapi.json` },
  },
};

export const AgentUiOrigin: records.AgentUiOrigin = ORIGIN;
export const AgentUiLimits: records.AgentUiLimits = AGENT_UI_LIMITS;
export const AgentUiLifecycle: records.AgentUiLifecycle = AGENT_UI_LIFECYCLE;

export const AgentUiRequestIdentity: records.AgentUiRequestIdentity = {
  id: REQUEST_ID,
  digest: digest('ab'),
  purpose: 'authorise_execution',
  authorisation_revision: 3,
  supersedes: null,
};

export const AgentUiBundleIdentity: records.AgentUiBundleIdentity = {
  id: BUNDLE_ID,
  publisher: 'treasury-apps',
  digest: digest('b1'),
  created_at: '2026-04-30T08:00:00.000Z',
};

export const AgentUiSource: records.AgentUiSource = {
  tenant: 'acme',
  producer: 'bot-7',
  requester: { subject: 'owner-1', source: 'operator_directory' },
  origin: ORIGIN,
};

export const AgentUiSnapshotDigests: records.AgentUiSnapshotDigests = {
  input_digest: digest('1a'),
  result_digest: digest('1b'),
};

export const AgentUiEnvelope: records.AgentUiEnvelope = {
  profile: AGENT_UI_PROFILE,
  protocol_revision: PROTOCOL_REVISION,
  request: AgentUiRequestIdentity,
  bundle: AgentUiBundleIdentity,
  source: AgentUiSource,
  snapshots: AgentUiSnapshotDigests,
  binding_digest: digest('1c'),
};

export const AgentUiInput: records.AgentUiInput = {
  request_id: REQUEST_ID,
  purpose: 'authorise_execution',
};

export const AgentUiResult: records.AgentUiResult = {
  content: [{ type: 'text', text: 'Invoice 4711 of Example Ltd' }],
  structuredContent: { payload: Material.payload },
};

export const StoredApp: records.StoredApp = {
  ...AgentUiEnvelope,
  html: BundleRegistration.html,
  origin: ORIGIN,
  scope: '1d'.repeat(32),
  input: AgentUiInput,
  result: AgentUiResult,
};

export const AgentUiInitializeParams: records.AgentUiInitializeParams = {
  protocolVersion: AGENT_UI_PROFILE,
  capabilities: { localProposal: true },
  viewInfo: { name: 'Invoice view', version: '1.4.0' },
};

export const AgentUiInitializeResult: records.AgentUiInitializeResult = {
  protocolVersion: AGENT_UI_PROFILE,
  capabilities: { localProposal: true },
  hostInfo: { name: 'Countersign', version: '0.1.0' },
  envelope: AgentUiEnvelope,
  limits: AGENT_UI_LIMITS,
  lifecycle: AGENT_UI_LIFECYCLE,
};

export const AgentUiProposeParams: records.AgentUiProposeParams = DecisionProposal;
export const AgentUiTeardownParams: records.AgentUiTeardownParams = EmptyInput;
export const AgentUiTeardownResult: records.AgentUiTeardownResult = { closed: true };
export const AgentUiProposeResult: records.AgentUiProposeResult = {
  candidate_id: CANDIDATE_ID,
  status: 'awaiting_human_confirmation',
};

export const AgentUiId: records.AgentUiId = 'view-1';

export const AgentUiRequestMessage: records.AgentUiRequestMessage = {
  jsonrpc: '2.0',
  id: AgentUiId,
  method: 'proto/ui.propose',
  params: { ...DecisionProposal },
};

export const AgentUiNotification: records.AgentUiNotification = {
  jsonrpc: '2.0',
  method: 'proto/ui.initialized',
  params: {},
};

export const AgentUiSuccess: records.AgentUiSuccess = {
  jsonrpc: '2.0',
  id: AgentUiId,
  result: { ...AgentUiTeardownResult },
};

export const AgentUiError: records.AgentUiError = {
  jsonrpc: '2.0',
  id: AgentUiId,
  error: { code: -32602, message: 'The proposal does not fit.' },
};

export const AgentUiResourceReadyParams: records.AgentUiResourceReadyParams = {
  html: BundleRegistration.html,
  sandbox: 'allow-scripts',
};

export const AgentUiViewFailedParams: records.AgentUiViewFailedParams = {
  reason: 'The frame did not load.',
};
