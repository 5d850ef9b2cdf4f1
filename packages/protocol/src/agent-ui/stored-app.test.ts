import { canonicalText, textDigest, valueDigest } from '../json/canonical.js';
import type { StoredApp } from '../records/agent-ui.js';
import { EXAMPLES } from '../records/examples.js';
import type { DecisionRequest } from '../records/request.js';
import { validate } from '../records/validation.js';
import { isBoundBundle } from './bundle-integrity.js';
import { labelOf, sandboxOriginOf, scopeOf } from './sandbox-origin.js';
import { storedAppText } from './stored-app.js';

const html = '<!doctype html><p>é</p>';
const manifest = { ...EXAMPLES.ReviewBundle, tenant: 'acme', digest: textDigest(html) };
const { id, publisher, digest, compatibility, created_at } = manifest;
const request: DecisionRequest = {
  ...EXAMPLES.DecisionRequest,
  tenant: 'acme',
  review: {
    ...EXAMPLES.DecisionRequest.review,
    bundle: { id, publisher, digest, compatibility, created_at },
  },
};
const payload = canonicalText({ b: 1, a: ['é', null] });
const source = {
  request,
  requestDigest: valueDigest(request),
  payload,
  html,
  sandboxPattern: 'https://{scope}.apps.example',
};

describe('a stored app', () => {
  const app = JSON.parse(storedAppText(source)) as StoredApp;

  test('is valid, and in canonical form', () => {
    expect(validate('StoredApp', app)).toBe(true);
    expect(storedAppText(source)).toBe(canonicalText(app));
  });

  test('binds its content by digests that anyone can recompute', () => {
    const { html: _html, origin, scope, input, result, binding_digest, ...bound } = app;
    expect(binding_digest).toBe(valueDigest(bound));
    expect(bound.snapshots).toEqual({
      input_digest: valueDigest(input),
      result_digest: valueDigest(result),
    });
    expect(scope).toBe(scopeOf('acme', publisher, textDigest(html)));
    expect(origin).toBe(`https://${labelOf(scope)}.apps.example`);
    expect(bound.source.origin).toBe(origin);
  });

  test('shows a View the summary and the payload', () => {
    expect(app.result).toEqual({
      content: [{ type: 'text', text: request.summary }],
      structuredContent: { payload: JSON.parse(payload) },
    });
    expect(app.input).toEqual({ request_id: request.id, purpose: request.purpose });
  });

  test('names the superseded request', () => {
    const { supersedes: _none, ...first } = request;
    const of = (other: DecisionRequest) =>
      (JSON.parse(storedAppText({ ...source, request: other })) as StoredApp).request.supersedes;
    expect(of(first)).toBeNull();
    expect(of({ ...first, supersedes: request.id })).toBe(request.id);
  });
});

describe('the sandbox origin', () => {
  test('has a label of its own for each bundle, that fits DNS', () => {
    const label = labelOf('f'.repeat(64));
    expect([label.length, /^[a-z0-9]+$/.test(label)]).toEqual([50, true]);
    expect(labelOf('0'.repeat(64))).toBe('0');
    expect(scopeOf('a', 'b', digest)).not.toBe(scopeOf('b', 'a', digest));
  });

  test('is the same for all bundles on a loopback address', () => {
    expect(sandboxOriginOf('http://localhost:8081', request)).toBe('http://localhost:8081');
    const { bundle: _none, ...review } = request.review;
    expect(sandboxOriginOf('http://localhost:8081', { ...request, review })).toBeNull();
  });
});

describe('a bundle', () => {
  const text = canonicalText(manifest);

  test('is the bound one with the same manifest and bytes', () => {
    expect(isBoundBundle(request, text, textDigest(html))).toBe(true);
  });

  test.each<[string, string, string]>([
    ['other bytes', text, `${html} `],
    ['another id', canonicalText({ ...manifest, id: 'x' }), html],
    ['another tenant', canonicalText({ ...manifest, tenant: 'x' }), html],
    ['another publisher', canonicalText({ ...manifest, publisher: 'x' }), html],
    ['another time', canonicalText({ ...manifest, created_at: '2020-01-01T00:00:00.000Z' }), html],
    ['other compatibility', canonicalText({ ...manifest, compatibility: { agent_ui: '3' } }), html],
    ['no compatibility', canonicalText({ ...manifest, compatibility: null }), html],
    ['no manifest', 'null', html],
    ['no JSON', '{', html],
  ])('with %s is not the bound one', (_what, manifestText, bytes) => {
    expect(isBoundBundle(request, manifestText, textDigest(bytes))).toBe(false);
  });
});
