import { webcrypto } from 'node:crypto';

import type { StoredApp } from '@countersign/protocol';
import {
  EXAMPLES,
  canonicalText,
  storedAppText,
  textDigest,
  validate,
  valueDigest,
} from '@countersign/protocol';

import { checkedApp } from './stored-app.js';

Object.defineProperty(globalThis, 'crypto', { value: webcrypto, configurable: true });

const html = '<!doctype html><p>é</p>';
const payload = { b: 1, a: ['é', null] };
const { id, publisher, compatibility, created_at } = EXAMPLES.ReviewBundle;
const request = {
  ...EXAMPLES.DecisionRequest,
  review: {
    ...EXAMPLES.DecisionRequest.review,
    payload_digest: valueDigest(payload),
    bundle: { id, publisher, digest: textDigest(html), compatibility, created_at },
  },
};
const page = { request, request_digest: valueDigest(request) };
const stored = (): StoredApp =>
  JSON.parse(
    storedAppText({
      request,
      requestDigest: valueDigest(request),
      payload: canonicalText(payload),
      html,
      sandboxPattern: 'https://{scope}.apps.example',
    }),
  );

/** With the change bound again, as by an attacker who could write the answer. */
function rebound(app: StoredApp): StoredApp {
  const { profile, protocol_revision, request: of, bundle, source } = app;
  const snapshots = {
    input_digest: valueDigest(app.input),
    result_digest: valueDigest(app.result),
  };
  const bound = { profile, protocol_revision, request: of, bundle, source, snapshots };
  return { ...app, snapshots, binding_digest: valueDigest(bound) };
}

test('accepts the app that the request is bound to', async () => {
  const app = stored();
  expect(await checkedApp(app, page)).toEqual(app);
});

/** Every place in a value, by its path. */
function paths(value: unknown, prefix: string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [prefix];
  return Object.entries(value).flatMap(([key, member]) => paths(member, [...prefix, key]));
}
function changed(path: string[], change: (value: any) => unknown): StoredApp {
  const app = stored();
  let at: any = app;
  for (const key of path.slice(0, -1)) at = at[key];
  const last = path.at(-1) as string;
  at[last] = change(at[last]);
  return app;
}

describe.each(paths(stored()).map((path) => [path.join('.'), path]))('%s', (_name, path) => {
  test('changed: refused', async () => {
    const other = (value: unknown) =>
      typeof value === 'string' ? `${value.slice(0, -1)}${value.endsWith('1') ? '2' : '1'}` : 7;
    expect(await checkedApp(changed(path as string[], other), page)).toBeNull();
  });
  test('of another type: refused', async () => {
    expect(
      await checkedApp(
        changed(path as string[], () => ({ a: 1 })),
        page,
      ),
    ).toBeNull();
  });
});

test.each<[string, (app: StoredApp) => StoredApp]>([
  [
    'another request',
    (app) => ({ ...app, request: { ...app.request, id: app.request.id.replace(/.$/, 'f') } }),
  ],
  ['another digest', (app) => ({ ...app, request: { ...app.request, digest: textDigest('x') } })],
  [
    'another purpose',
    (app) => ({
      ...app,
      request: {
        ...app.request,
        purpose: app.request.purpose === 'review' ? 'authorise_execution' : 'review',
      },
    }),
  ],
  [
    'another revision',
    (app) => ({ ...app, request: { ...app.request, authorisation_revision: 99 } }),
  ],
  ['another bundle', (app) => ({ ...app, bundle: { ...app.bundle, id: 'other' } })],
  ['another publisher', (app) => ({ ...app, bundle: { ...app.bundle, publisher: 'other' } })],
  ['another tenant', (app) => ({ ...app, source: { ...app.source, tenant: 'other' } })],
  ['another origin', (app) => ({ ...app, origin: 'https://evil.example' })],
  ['two origins', (app) => ({ ...app, source: { ...app.source, origin: 'https://evil.example' } })],
  ['other HTML', (app) => ({ ...app, html: '<p>other' })],
  [
    'another payload',
    (app) => ({ ...app, result: { ...app.result, structuredContent: { payload: 1 } } }),
  ],
])('%s is refused though all is bound again', async (_what, change) => {
  expect(await checkedApp(rebound(change(stored())), page)).toBeNull();
});

test.each<[string, unknown]>([
  ['nothing', null],
  ['a text', 'x'],
  ['a list', [stored()]],
  ['more than there should be', { ...stored(), more: 1 }],
  ['an origin with a path', { ...stored(), origin: 'https://a.example/x' }],
  ['an origin of another kind', { ...stored(), origin: 'javascript:1' }],
])('%s is no app', async (_what, answer) => {
  expect(await checkedApp(answer, page)).toBeNull();
  expect(validate('StoredApp', answer)).toBe(false);
});

test('a request without a bundle has no app', async () => {
  const { bundle: _none, ...review } = request.review;
  expect(await checkedApp(stored(), { ...page, request: { ...request, review } })).toBeNull();
});
