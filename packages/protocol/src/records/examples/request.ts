import { DEFAULT_LIMITS, PROTOCOL_REVISION } from '../../constants.js';
import type * as records from '../index.js';
import { BUNDLE_ID, CANDIDATE_ID, NAMESPACE, REQUEST_ID, digest } from './example-ids.js';

export const AgentUiCompatibility: records.AgentUiCompatibility = { agent_ui: '2' };

export const ExecutionBinding: records.ExecutionBinding = {
  action_occurrence_id: 'invoice-4711/payment-1',
  proposal_digest: digest('a1'),
  proposal_format: 'payments.transfer/1',
  context_digest: digest('a2'),
  context_format: 'payments.context/1',
  policy: { source: 'treasury', revision: '2026-04', digest: digest('a3') },
  mode: 'live_window',
  valid_until: '2026-05-02T09:00:00Z',
  execution_seconds: 600,
  provenance: {
    profile: 'proto.execution',
    version: '1-draft.1',
    references: { ticket: 'FIN-118' },
  },
};

export const BundleRegistration: records.BundleRegistration = {
  html: '<!doctype html><title>Invoice</title><main id="invoice"></main>',
  compatibility: AgentUiCompatibility,
  author: 'Treasury tools',
  licence: 'Apache-2.0',
};

export const ReviewBundle: records.ReviewBundle = {
  id: BUNDLE_ID,
  tenant: 'acme',
  publisher: 'treasury-apps',
  digest: digest('b1'),
  compatibility: AgentUiCompatibility,
  author: 'Treasury tools',
  licence: 'Apache-2.0',
  created_at: '2026-04-30T08:00:00.000Z',
};

export const ReviewBinding: records.ReviewBinding = {
  artefact_digest: digest('c1'),
  representation: 'invoice/1',
  digest_rules: 'rfc8785-sha256',
  payload_digest: digest('c2'),
  response_schema_digest: digest('c3'),
  document_digest: digest('c4'),
  bundle: {
    id: BUNDLE_ID,
    publisher: 'treasury-apps',
    digest: digest('b1'),
    compatibility: AgentUiCompatibility,
    created_at: '2026-04-30T08:00:00.000Z',
  },
};

const responseSchema = {
  type: 'object',
  properties: { note: { type: 'string', maxLength: 500 } },
  additionalProperties: false,
};

export const RequestInput: records.RequestInput = {
  protocol_revision: PROTOCOL_REVISION,
  purpose: 'authorise_execution',
  profiles: { 'proto.execution': '1-draft.1', 'proto.agent-ui': '2' },
  route: 'payments',
  summary: 'Pay invoice 4711 of Example Ltd: 1200.50 EUR',
  artefact: { digest: digest('c1'), representation: 'invoice/1', digest_rules: 'rfc8785-sha256' },
  payload: { invoice: '4711', amount: '1200.50', currency: 'EUR' },
  response_schema: responseSchema,
  review_document: 'Pay 1200.50 EUR to Example Ltd for invoice 4711.',
  bundle_id: BUNDLE_ID,
  execution: ExecutionBinding,
  review_seconds: 3600,
  metadata: { team: 'treasury' },
};

export const DecisionRequest: records.DecisionRequest = {
  id: REQUEST_ID,
  protocol_revision: PROTOCOL_REVISION,
  purpose: 'authorise_execution',
  profiles: { 'proto.execution': '1-draft.1', 'proto.agent-ui': '2' },
  tenant: 'acme',
  producer: 'bot-7',
  requester: { subject: 'owner-1', source: 'operator_directory' },
  route: 'payments',
  authorisation_revision: 3,
  summary: 'Pay invoice 4711 of Example Ltd: 1200.50 EUR',
  review: ReviewBinding,
  execution: ExecutionBinding,
  limits: { ...DEFAULT_LIMITS },
  accepted_at: '2026-05-01T09:00:00.000Z',
  review_deadline: '2026-05-01T10:00:00.000Z',
  private_delete_at: '2026-05-10T10:00:00.000Z',
  audit_delete_at: '2026-07-30T09:00:00.000Z',
  metadata: { team: 'treasury' },
  authority_namespace: NAMESPACE,
};

export const DecisionProposal: records.DecisionProposal = {
  response: { note: 'Checked against the order' },
  decision: 'authorise',
};

export const DecisionCandidate: records.DecisionCandidate = {
  id: CANDIDATE_ID,
  request_id: REQUEST_ID,
  request_digest: digest('ab'),
  reviewer: 'rev-2',
  revision: 1,
  response: { note: 'Checked against the order' },
  response_canonical: '{"note":"Checked against the order"}',
  response_digest: digest('d1'),
  decision: 'authorise',
  created_at: '2026-05-01T09:04:59.500Z',
};

export const Material: records.Material = {
  request: DecisionRequest,
  request_digest: digest('ab'),
  payload: { invoice: '4711', amount: '1200.50', currency: 'EUR' },
  response_schema: responseSchema,
  review_document: 'Pay 1200.50 EUR to Example Ltd for invoice 4711.',
  candidate: DecisionCandidate,
};

export const Confirmation: records.Confirmation = {
  candidate_id: CANDIDATE_ID,
  candidate_digest: digest('d2'),
};

export const EmptyInput: records.EmptyInput = {};
export const Limits: records.Limits = { ...DEFAULT_LIMITS };
