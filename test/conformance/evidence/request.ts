import {
  DEFAULT_LIMITS,
  PROTOCOL_REVISION,
  SUPPORTED_PROFILES,
  canonicalText,
  textDigest,
  valueDigest,
} from '@countersign/protocol';
import type {
  DecisionCandidate,
  DecisionRequest,
  ExecutionBinding,
  ExportedMaterial,
  ExtendedDecisionRequest,
  ReviewBundle,
} from '@countersign/protocol';
import { GENERATION, TENANT, clock, iso, uuid } from './ledger.js';

export const REQUEST_ID = '0b9a6c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d';
export const CANDIDATE_ID = '6f1d0c1e-2b5a-4c7e-9a40-0d3c5b7e9f11';
export const PRODUCER = 'bot-7';
export const REVIEWER = 'rev-2';
export const EXECUTOR = 'runner-1/run-88';
export const ACCEPTED = clock('09:00:00.000');
export const CONFIRMED = clock('09:05:00.000');

const HTML = '<!doctype html><title>Invoice</title><main id="invoice"></main>';

export const BUNDLE: ReviewBundle = {
  id: uuid(900),
  tenant: TENANT,
  publisher: 'treasury-apps',
  digest: textDigest(HTML),
  compatibility: { agent_ui: '2' },
  author: 'Treasury tools',
  licence: 'Apache-2.0',
  created_at: '2026-04-30T08:00:00.000Z',
};

/** Everything that JSON can spell in more than one way is in here. */
const payload = {
  invoice: '4711',
  amount: 1200.5,
  rate: 1e-7,
  note: 'déjà vu — ✓ \u0001 "quoted" \\ \n 𝄞',
  lines: [{ text: 'Paper', net: 0 }, null, true],
};

const responseSchema = {
  type: 'object',
  properties: { note: { type: 'string', maxLength: 500 }, score: { type: 'number' } },
  required: ['note'],
  additionalProperties: false,
};

const execution: ExecutionBinding = {
  action_occurrence_id: 'invoice-4711/payment-1',
  proposal_digest: textDigest('proposal'),
  proposal_format: 'payments.transfer/1',
  context_digest: textDigest('context'),
  context_format: 'payments.context/1',
  policy: { source: 'treasury', revision: '2026-04', digest: textDigest('policy') },
  mode: 'live_window',
  valid_until: '2026-05-02T09:00:00Z',
  execution_seconds: 600,
  provenance: {
    profile: 'proto.execution',
    version: '1-draft.1',
    references: { ticket: 'FIN-118' },
  },
};

export interface Kind {
  readonly purpose?: 'review' | 'authorise_execution';
  readonly bundle?: boolean;
  /** Members of the request that the service sets otherwise than it should. */
  readonly request?: Partial<ExtendedDecisionRequest>;
}

export interface Asked {
  readonly request: DecisionRequest;
  readonly digest: `sha256:${string}`;
  readonly material: Omit<ExportedMaterial, 'candidate'>;
}

/** bot-7 asks whether to pay an invoice. */
export function ask({
  purpose = 'authorise_execution',
  bundle = true,
  request: changes = {},
}: Kind = {}): Asked {
  const executes = purpose === 'authorise_execution';
  const limits = { ...DEFAULT_LIMITS };
  const seconds = executes
    ? limits.review_seconds +
      limits.grant_seconds +
      limits.execution_seconds +
      limits.reconciliation_seconds
    : limits.review_seconds;
  const review_document = 'Pay 1200.50 EUR to Example Ltd for invoice 4711.\n\tDéjà vu ✓';
  const { author: _author, licence: _licence, tenant: _tenant, ...bound } = BUNDLE;
  const request: DecisionRequest = {
    id: REQUEST_ID,
    protocol_revision: PROTOCOL_REVISION,
    purpose,
    profiles: {
      ...(executes ? { 'proto.execution': SUPPORTED_PROFILES['proto.execution'] } : {}),
      ...(bundle ? { 'proto.agent-ui': SUPPORTED_PROFILES['proto.agent-ui'] } : {}),
    },
    tenant: TENANT,
    producer: PRODUCER,
    requester: { subject: 'owner-1', source: 'operator_directory' },
    route: 'payments',
    authorisation_revision: 3,
    summary: 'Pay invoice 4711 of Example Ltd: 1200.50 EUR',
    review: {
      artefact_digest: textDigest('artefact'),
      representation: 'invoice/1',
      digest_rules: 'rfc8785-sha256',
      payload_digest: valueDigest(payload),
      response_schema_digest: valueDigest(responseSchema),
      document_digest: textDigest(review_document),
      ...(bundle ? { bundle: bound } : {}),
    },
    ...(executes ? { execution } : {}),
    limits,
    accepted_at: iso(ACCEPTED),
    review_deadline: iso(ACCEPTED + 3_600_000),
    private_delete_at: iso(ACCEPTED + seconds * 1000),
    audit_delete_at: iso(ACCEPTED + limits.audit_seconds * 1000),
    metadata: { team: 'treasury', weight: 0.30000000000000004 },
    authority_namespace: GENERATION,
    ...changes,
  };
  return {
    request,
    digest: valueDigest(request),
    material: {
      payload,
      response_schema: responseSchema,
      review_document,
      ...(bundle ? { bundle: { manifest: BUNDLE, html: HTML } } : {}),
    },
  };
}

/** rev-2 answers it. */
export function propose(
  { digest }: Asked,
  decision: DecisionCandidate['decision'],
  changes: Partial<DecisionCandidate> = {},
): DecisionCandidate {
  const response = changes.response ?? { note: 'Checked against the order', score: 0.1 };
  return {
    id: CANDIDATE_ID,
    request_id: REQUEST_ID,
    request_digest: digest,
    reviewer: REVIEWER,
    revision: 1,
    response,
    response_canonical: canonicalText(response),
    response_digest: valueDigest(response),
    decision,
    created_at: iso(CONFIRMED - 500),
    ...changes,
  };
}
