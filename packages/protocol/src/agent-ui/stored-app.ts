import { AGENT_UI_PROFILE, PROTOCOL_REVISION } from '../constants.js';
import { canonicalObject, canonicalText, textDigest, valueDigest } from '../json/canonical.js';
import type { AgentUiEnvelope, AgentUiInput } from '../records/agent-ui.js';
import type { Digest } from '../records/primitives.js';
import type { DecisionRequest } from '../records/request.js';
import { sandboxOriginOf, scopeOf } from './sandbox-origin.js';

export interface BoundApp {
  /** Binds a bundle. */
  readonly request: DecisionRequest;
  readonly requestDigest: Digest;
  /** Canonical text. */
  readonly payload: string;
  /** See `SCOPE`. */
  readonly sandboxPattern: string;
}

export interface AppSource extends BoundApp {
  /** The exact registered bytes. */
  readonly html: string;
}

/**
 * StoredApp (protocol §3.3, §3.9) as canonical text: the bundle, the data for the View, and the envelope whose digests the
 * host recomputes before a View exists (protocol §12.2). The payload is spliced in as it is stored.
 */
export function storedAppText({ html, ...bound }: AppSource): string {
  const { before, after } = storedAppAround(bound);
  return before + canonicalText(html) + after;
}

/** The text before and after the HTML, which is a JSON string and may be long. */
export function storedAppAround(app: BoundApp): { before: string; after: string } {
  const { request, requestDigest, payload, sandboxPattern } = app;
  const { bundle } = request.review;
  const origin = sandboxOriginOf(sandboxPattern, request);
  if (bundle === undefined || origin === null) throw new TypeError('the request binds no bundle');

  const input: AgentUiInput = { request_id: request.id, purpose: request.purpose };
  const result = canonicalObject(
    { content: [{ type: 'text', text: request.summary }] },
    { structuredContent: canonicalObject({}, { payload }) },
  );
  const bound: Omit<AgentUiEnvelope, 'binding_digest'> = {
    profile: AGENT_UI_PROFILE,
    protocol_revision: PROTOCOL_REVISION,
    request: {
      id: request.id,
      digest: requestDigest,
      purpose: request.purpose,
      authorisation_revision: request.authorisation_revision,
      supersedes: request.supersedes ?? null,
    },
    bundle: {
      id: bundle.id,
      publisher: bundle.publisher,
      digest: bundle.digest,
      created_at: bundle.created_at,
    },
    source: {
      tenant: request.tenant,
      producer: request.producer,
      requester: { subject: request.requester.subject, source: request.requester.source },
      origin,
    },
    snapshots: { input_digest: valueDigest(input), result_digest: textDigest(result) },
  };
  const envelope: AgentUiEnvelope = { ...bound, binding_digest: valueDigest(bound) };
  const scope = scopeOf(request.tenant, bundle.publisher, bundle.digest);
  const { binding_digest, bundle: boundBundle, ...others } = envelope;
  // In canonical order the HTML comes after these two and before all others.
  const first = canonicalObject({ binding_digest, bundle: boundBundle }, {});
  const rest = canonicalObject({ ...others, origin, scope, input }, { result });
  return { before: `${first.slice(0, -1)},"html":`, after: `,${rest.slice(1)}` };
}
