import { canonicalText, textDigest } from '@countersign/protocol';
import type { RequestInput } from '@countersign/protocol';

/** The first call of a lifecycle. */
export interface NewRequest {
  readonly body: string;
  /** `execution_binding_digest` of the claim. */
  readonly bindingDigest: string;
}

const MARK = 'the-occurrence-goes-here';
const DAY_MS = 86_400_000;

/**
 * Makes the bodies of creations, which differ only in their occurrence: about 2 KB, with a payload, a small response
 * schema and a review document, as a deployment pipeline would send them. The texts are made once, so that a body
 * costs the client nothing but a digest.
 */
export function requestBodies(route: string): (occurrence: string) => NewRequest {
  const input = inputFor(route);
  const body = canonicalText(input).split(MARK);
  const binding = canonicalText(input.execution).split(MARK);
  return (occurrence) => ({
    body: body.join(occurrence),
    bindingDigest: textDigest(binding.join(occurrence)),
  });
}

function inputFor(route: string): RequestInput {
  const payload = {
    service: 'shop-frontend',
    environment: 'production',
    from: '4.1.7',
    to: '4.2.0',
    migrations: ['0042_add_order_index'],
    tests: { passed: 1284, failed: 0, seconds: 417.5 },
    approvers: ['release-team', 'database-team'],
  };
  return {
    protocol_revision: '2.0.0-draft.3',
    purpose: 'authorise_execution',
    profiles: { 'proto.execution': '1-draft.1' },
    route,
    summary: 'Deploy shop-frontend 4.2.0 to production',
    artefact: {
      digest: textDigest('shop-frontend:4.2.0'),
      representation: 'oci-image',
      digest_rules: 'oci-manifest-sha256',
    },
    payload,
    response_schema: {
      type: 'object',
      additionalProperties: false,
      required: ['reason'],
      properties: { reason: { type: 'string', minLength: 1, maxLength: 500 } },
    },
    review_document:
      '# Deploy shop-frontend 4.2.0 to production\n\n' +
      'The pipeline wants to replace version 4.1.7. All 1284 tests passed.\n\n' +
      '- One migration runs first: 0042_add_order_index. It adds an index and locks nothing.\n' +
      '- Roll-back: deploy 4.1.7 again; the index may stay.\n',
    execution: {
      action_occurrence_id: MARK,
      proposal_digest: textDigest(canonicalText(payload)),
      proposal_format: 'application/json',
      context_digest: textDigest('context'),
      context_format: 'text/markdown',
      policy: { source: 'deployment-policy', revision: '7', digest: textDigest('policy') },
      mode: 'durable',
      valid_until: new Date(Date.now() + DAY_MS).toISOString(),
      execution_seconds: 600,
      provenance: {
        profile: 'proto.execution',
        version: '1-draft.1',
        references: { pipeline: 'https://ci.example/runs/4711' },
      },
    },
    metadata: { team: 'shop' },
  };
}
