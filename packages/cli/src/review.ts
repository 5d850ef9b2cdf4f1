import { createHash } from 'node:crypto';
import type { JsonObject, JsonValue, RequestInput } from '@countersign/client/node';

/** An answer of people who are given no form. */
const NOTE: JsonObject = {
  type: 'object',
  additionalProperties: false,
  properties: { note: { type: 'string', maxLength: 1_000 } },
};

/** A question to people. */
export interface Review {
  readonly route: string;
  /** Those that the route asks for. */
  readonly profiles?: Readonly<Record<string, string>>;
  readonly summary: string;
  /** The text that they read, in Markdown. */
  readonly document: string;
  readonly payload: JsonValue;
  /** JSON Schema of the answer; a note that may be empty when not given. */
  readonly schema?: JsonObject | undefined;
  /** What is decided about; the document when not given. */
  readonly artefact?: Uint8Array | undefined;
  readonly reviewSeconds?: number | undefined;
}

export function reviewOf(review: Review): RequestInput {
  const { route, summary, document, payload, schema = NOTE, artefact, reviewSeconds } = review;
  const { profiles = {} } = review;
  return {
    ...{ protocol_revision: '2.0.0-draft.3', purpose: 'review', profiles, route, summary },
    artefact: {
      digest: digestOf(artefact ?? document),
      representation: artefact === undefined ? 'text/markdown' : 'application/octet-stream',
      digest_rules: 'sha256',
    },
    ...{ payload, response_schema: schema, review_document: document },
    ...(reviewSeconds !== undefined && { review_seconds: reviewSeconds }),
  };
}

function digestOf(content: string | Uint8Array): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}
