import { randomUUID } from 'node:crypto';
import {
  PROTOCOL_REVISION,
  SUPPORTED_PROFILES,
  textDigest,
  valueDigest,
} from '@countersign/protocol';
import type { RequestInput } from '@countersign/protocol';

const HOUR_MS = 3_600_000;

const DEPLOYMENT = {
  service: 'shop-frontend',
  environment: 'production',
  from: '4.1.7',
  to: '4.2.0',
  migrations: ['0042_add_order_index'],
  tests: { passed: 1284, failed: 0 },
};

const DEPLOYMENT_DOCUMENT = `# Deploy shop-frontend 4.2.0 to production

The pipeline wants to replace version 4.1.7. All 1284 tests passed.

- One migration runs first: 0042_add_order_index. It adds an index and locks nothing.
- Roll-back: deploy 4.1.7 again; the index may stay.
`;

/** A machine asks to act: it may do so only after a person authorised exactly this. `now` in epoch milliseconds. */
export function deploymentRequest(route: string, now: number): RequestInput {
  return {
    protocol_revision: PROTOCOL_REVISION,
    purpose: 'authorise_execution',
    profiles: { 'proto.execution': SUPPORTED_PROFILES['proto.execution'] },
    route,
    summary: 'Deploy shop-frontend 4.2.0 to production',
    artefact: {
      digest: textDigest('shop-frontend:4.2.0'),
      representation: 'oci-image',
      digest_rules: 'oci-manifest-sha256',
    },
    payload: DEPLOYMENT,
    response_schema: {
      type: 'object',
      additionalProperties: false,
      required: ['reason'],
      properties: { reason: { type: 'string', minLength: 1, maxLength: 500 } },
    },
    review_document: DEPLOYMENT_DOCUMENT,
    execution: {
      action_occurrence_id: `deploy/shop-frontend/${randomUUID()}`,
      proposal_digest: valueDigest(DEPLOYMENT),
      proposal_format: 'application/json',
      context_digest: textDigest(DEPLOYMENT_DOCUMENT),
      context_format: 'text/markdown',
      policy: {
        source: 'deployment-policy',
        revision: '7',
        digest: textDigest('two people, one of them human'),
      },
      mode: 'live_window',
      valid_until: new Date(now + HOUR_MS).toISOString(),
      execution_seconds: 600,
      provenance: {
        profile: 'proto.execution',
        version: SUPPORTED_PROFILES['proto.execution'],
        references: { pipeline: 'https://ci.example/runs/4711' },
      },
    },
    metadata: { demonstration: true },
  };
}
