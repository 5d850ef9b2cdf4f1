import { AGENT_UI_PROFILE, PROTOCOL_REVISION } from '@countersign/protocol/constants';
import type { DecisionRequest, StoredApp } from '@countersign/protocol';

import type { Check } from '../app-messages/shapes.js';
import {
  aString,
  anything,
  everyOf,
  exactly,
  isObject,
  matching,
  oneOf,
} from '../app-messages/shapes.js';
import { textDigest, valueDigest } from '../material/digest.js';

/** The facts that the page itself knows of its request (protocol §7 request.material). */
export interface PageFacts {
  readonly request: DecisionRequest;
  readonly request_digest: string;
}

const identifier = matching(/^[a-zA-Z0-9_.:@/-]{1,160}$/);
const digest = matching(/^sha256:[a-f0-9]{64}$/);
const uuid = matching(/^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i);
const timestamp = matching(
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3])(:[0-5]\d){2}\.\d{3}Z$/,
);
const purpose = oneOf('review', 'authorise_execution');
const count: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);

/** As a browser writes the origin of a document from there. */
const origin: Check = (value) =>
  typeof value === 'string' &&
  /^https?:\/\/[a-z0-9.-]+(:\d+)?$/.test(value) &&
  URL.canParse(value) &&
  new URL(value).origin === value;

const isStoredApp = exactly({
  profile: oneOf(AGENT_UI_PROFILE),
  protocol_revision: oneOf(PROTOCOL_REVISION),
  request: exactly({
    id: uuid,
    digest,
    purpose,
    authorisation_revision: count,
    supersedes: orNull(identifier),
  }),
  bundle: exactly({ id: identifier, publisher: identifier, digest, created_at: timestamp }),
  source: exactly({
    tenant: identifier,
    producer: identifier,
    requester: exactly({ subject: identifier, source: identifier }),
    origin,
  }),
  snapshots: exactly({ input_digest: digest, result_digest: digest }),
  binding_digest: digest,
  html: aString,
  origin,
  scope: matching(/^[a-f0-9]{64}$/),
  input: exactly({ request_id: uuid, purpose }),
  result: exactly({
    content: everyOf(exactly({ type: oneOf('text'), text: aString })),
    structuredContent: exactly({ payload: anything }),
  }),
});

/**
 * The answer of `request.app` when every member and every digest of it matches this page's request (protocol §12.2); null
 * otherwise. Digests are recomputed here: the page trusts only data that it can check.
 */
export async function checkedApp(answer: unknown, page: PageFacts): Promise<StoredApp | null> {
  if (!isStoredApp(answer)) return null;
  const app = answer as StoredApp;
  try {
    return belongs(app, page) && (await isIntact(app, page.request)) ? app : null;
  } catch {
    // A value without a canonical form has no digest either.
    return null;
  }
}

function belongs(app: StoredApp, { request, request_digest }: PageFacts): boolean {
  const bound = request.review.bundle;
  return (
    bound !== undefined &&
    app.request.id === request.id &&
    app.request.digest === request_digest &&
    app.request.purpose === request.purpose &&
    app.request.authorisation_revision === request.authorisation_revision &&
    app.request.supersedes === (request.supersedes ?? null) &&
    app.bundle.id === bound.id &&
    app.bundle.publisher === bound.publisher &&
    app.bundle.digest === bound.digest &&
    app.bundle.created_at === bound.created_at &&
    app.source.tenant === request.tenant &&
    app.source.producer === request.producer &&
    isObject(request.requester) &&
    app.source.requester.subject === request.requester.subject &&
    app.source.requester.source === request.requester.source &&
    app.origin === app.source.origin &&
    app.input.request_id === request.id &&
    app.input.purpose === request.purpose
  );
}

async function isIntact(app: StoredApp, page: DecisionRequest): Promise<boolean> {
  const { profile, protocol_revision, request, bundle, source, snapshots } = app;
  const scoped = { tenant: source.tenant, publisher: bundle.publisher, digest: bundle.digest };
  const expected: [Promise<string>, string][] = [
    [textDigest(app.html), bundle.digest],
    [valueDigest(scoped), `sha256:${app.scope}`],
    [valueDigest(app.input), snapshots.input_digest],
    [valueDigest(app.result), snapshots.result_digest],
    [valueDigest(app.result.structuredContent.payload), page.review.payload_digest],
    [
      valueDigest({ profile, protocol_revision, request, bundle, source, snapshots }),
      app.binding_digest,
    ],
  ];
  const same = expected.map(async ([computed, stated]) => (await computed) === stated);
  return (await Promise.all(same)).every(Boolean);
}
