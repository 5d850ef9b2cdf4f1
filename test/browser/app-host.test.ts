import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import type { Browser, BrowserContext } from 'playwright-core';
import type { StoredApp } from '@countersign/protocol';
import type { AppHostPage } from './app-host/main.js';
import { startBrowser } from './support/browser.js';
import { startAppHost } from './support/app-host.js';
import type { TestAppHost } from './support/app-host.js';

const LIBRARY = readFileSync('packages/view/dist/countersign-view.js', 'utf8');

const appWith = (script: string): string =>
  `<!doctype html><html lang="en"><title>App</title><body><h1>App</h1><script>${LIBRARY}</script><script>${script}</script>`;

const CALM = appWith(`CountersignView.connect({ name: 'calm', version: '1' }).then((view) => {
  window.view = view;
});`);

/** Status and headers of a listener's answer to exactly these lines. */
function rawAnswer(port: number, lines: string): Promise<[number, Record<string, string>]> {
  return new Promise((settle, fail) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`${lines}\r\n\r\n`));
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk) => (text += chunk));
    socket.on('error', fail).on('end', () => {
      const [first = '', ...rest] = text.split('\r\n\r\n', 1).join('').split('\r\n');
      const pairs = rest.map((line) => [
        line.slice(0, line.indexOf(':')).toLowerCase(),
        line.slice(line.indexOf(':') + 2),
      ]);
      settle([Number(first.split(' ')[1]), Object.fromEntries(pairs)]);
    });
  });
}

let browser: Browser;
let context: BrowserContext;
let appHost: TestAppHost;

beforeAll(async () => {
  [browser, appHost] = await Promise.all([startBrowser(), startAppHost('strict')]);
  context = await browser.newContext();
});

afterAll(async () => {
  await browser?.close();
  await appHost?.stop();
});

test('an app gets its data, proposes, and learns the outcome', async () => {
  const play = await appHost.play(context, CALM, { payload: { rows: [1, 2] } });
  await play.event('ready');
  const inner = await play.inner();
  await inner.waitForFunction('window.view');
  expect(await inner.evaluate('view.payload')).toEqual({ rows: [1, 2] });
  expect(await inner.evaluate('Object.isFrozen(view.payload.rows) && document.compatMode')).toBe(
    'CSS1Compat',
  );
  expect(await inner.evaluate("view.propose({ decision: 'approve', response: { a: 1 } })")).toEqual(
    {
      candidate_id: 'candidate-1',
      status: 'awaiting_human_confirmation',
    },
  );
  expect(await play.events()).toContainEqual({
    type: 'proposal',
    proposal: { decision: 'approve', response: { a: 1 } },
  });
  await play.close();
});

test('a refused proposal leaves the app where it was, and says no more than it may', async () => {
  const play = await appHost.play(context, CALM);
  await play.event('ready');
  const inner = await play.inner();
  await inner.waitForFunction('window.view');
  const propose = () =>
    inner.evaluate(`view.propose({ decision: 'approve', response: null }).then(
      () => 'accepted', ({ name, code, message }) => [name, code, message].join())`);
  const answer = (how: AppHostPage['answer']) =>
    play.page.evaluate((each) => {
      (window as unknown as { appHost: AppHostPage }).appHost.answer = each;
    }, how);
  await answer('refuse');
  expect(await propose()).toBe(
    'ProposalRefused,-32000,the proposal was refused: response_schema_mismatch',
  );
  await answer('throw');
  expect(await propose()).toBe('ProposalRefused,-32000,the proposal was refused');
  await answer('accept');
  expect(await propose()).toBe('accepted');
  expect(await propose()).toContain('the reviewer has not allowed another proposal');
  await play.page.evaluate(() =>
    (window as unknown as { appHost: AppHostPage }).appHost.allowAnother(),
  );
  expect(await propose()).toBe('accepted');
  await play.close();
});

test('the library keeps an author from sending messages that would end the app', async () => {
  const play = await appHost.play(context, CALM);
  await play.event('ready');
  const inner = await play.inner();
  await inner.waitForFunction('window.view');
  const refused = (response: string) =>
    inner.evaluate(
      `view.propose({ decision: 'approve', response: ${response} }).catch(({ name }) => name)`,
    );
  expect(await refused("'x'.repeat(2e6)")).toBe('RangeError');
  expect(await refused("JSON.parse('['.repeat(70) + ']'.repeat(70))")).toBe('RangeError');
  expect(await refused("'\\ud800'")).toBe('TypeError');
  expect(await refused('1n')).toBe('TypeError');
  expect(await refused('undefined')).toBe('TypeError');
  expect(await refused('() => 1')).toBe('TypeError');
  // As JSON.stringify would have it.
  expect(await refused('{ at: new Date(0), none: undefined }')).toMatchObject({
    candidate_id: 'candidate-1',
  });
  expect(await play.events()).toEqual([
    { type: 'ready' },
    {
      type: 'proposal',
      proposal: { decision: 'approve', response: { at: '1970-01-01T00:00:00.000Z' } },
    },
  ]);
  await play.close();
});

describe('the end', () => {
  const TIDY = appWith(`CountersignView.connect().then((view) => {
    view.onTeardown(() => console.log('tidied'));
  });`);
  // Without the library: starts as it should, and answers nothing afterwards.
  const DEAF = `<!doctype html><title>App</title><script>
    const say = (message) => parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
    addEventListener('message', ({ data }) => {
      if (data.id === 1) say({ method: 'proto/ui.initialized', params: {} });
    });
    const protocolVersion = 'org.proto.agent-ui/2';
    const capabilities = { localProposal: true };
    say({ id: 1, method: 'proto/ui.initialize', params: { protocolVersion, capabilities } });
  </script>`;

  test.each([
    ['of the review', () => (window as unknown as { appHost: AppHostPage }).appHost.close()],
    ['of the page', () => void window.dispatchEvent(new PageTransitionEvent('pagehide'))],
  ])('%s lets the app tidy up', async (_what, end) => {
    const play = await appHost.play(context, TIDY);
    await play.event('ready');
    const tidied = play.page.waitForEvent('console', (message) => message.text() === 'tidied');
    await play.page.evaluate(end);
    await tidied;
    await play.page.locator('iframe').waitFor({ state: 'detached' });
    expect((await play.events()).filter(({ type }) => type === 'failure')).toEqual([]);
    await play.close();
  });

  test('is shown after a return to the page by the browser’s back-forward cache', async () => {
    const play = await appHost.play(context, TIDY);
    await play.event('ready');
    await play.page.evaluate(() => {
      window.dispatchEvent(new PageTransitionEvent('pagehide'));
      window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));
    });
    expect(await play.event('failure')).toEqual({ type: 'failure', failure: 'page_left' });
    await play.close();
  });

  test('comes after a moment for an app that does not answer', async () => {
    const play = await appHost.play(context, DEAF);
    await play.event('ready');
    const start = Date.now();
    await play.page.evaluate(() => (window as unknown as { appHost: AppHostPage }).appHost.close());
    await play.event('closed');
    expect(Date.now() - start).toBeGreaterThan(200);
    expect(await play.page.locator('iframe').count()).toBe(0);
    await play.close();
  });
});

test.each<[string, (app: StoredApp) => unknown]>([
  ['other HTML', (app) => ({ ...app, html: `${app.html} ` })],
  ['another origin', (app) => ({ ...app, origin: 'http://evil.localhost:1' })],
  [
    'another payload',
    (app) => ({ ...app, result: { ...app.result, structuredContent: { payload: 1 } } }),
  ],
  ['something more', (app) => ({ ...app, more: 1 })],
  ['a problem document', () => ({ error: 'bundle_deleted' })],
])('an answer with %s makes no frame at all', async (_what, change) => {
  const play = await appHost.play(context, CALM, { change });
  expect(await play.event('failure')).toEqual({ type: 'failure', failure: 'snapshot_mismatch' });
  expect(play.page.frames()).toHaveLength(1);
  expect(await play.useForm()).toBe('usable');
  await play.close();
});

test('frames and headers are exactly these', async () => {
  const play = await appHost.play(context, CALM);
  await play.event('ready');
  const outer = play.page.locator('iframe');
  const attributes = (frame: Element) =>
    Object.fromEntries([...frame.attributes].map(({ name, value }) => [name, value]));
  expect(await outer.evaluate(attributes)).toEqual({
    class: 'app-frame',
    title: 'App of publisher-1',
    sandbox: 'allow-scripts allow-same-origin',
    referrerpolicy: 'no-referrer',
    src: expect.stringMatching(
      /^http:\/\/[0-9a-z]{1,50}\.localhost:\d+\/sandbox\/[0-9a-f]{64}\?instance=[0-9a-f-]{36}$/,
    ),
  });
  const inner = play.page.frameLocator('iframe').locator('iframe');
  expect(await inner.evaluate(attributes)).toEqual({
    title: 'App',
    sandbox: 'allow-scripts',
    referrerpolicy: 'no-referrer',
    srcdoc: expect.stringMatching(
      /^<!doctype html><meta http-equiv="x-dns-prefetch-control" content="off"><script>/,
    ),
  });

  const address = new URL((await outer.getAttribute('src')) as string);
  const ask = (path: string, host = address.host, method = 'GET') =>
    rawAnswer(
      Number(address.port),
      `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close`,
    );
  const [status, headers] = await ask(`${address.pathname}${address.search}`);
  expect(status).toBe(200);
  const expected = {
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-embedder-policy': 'require-corp',
    'cross-origin-resource-policy': 'cross-origin',
    'permissions-policy':
      'camera=(), microphone=(), geolocation=(), payment=(), clipboard-read=(), clipboard-write=()',
    'content-security-policy':
      "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'none'; " +
      "img-src data:; font-src data:; frame-src about:; form-action 'none'; base-uri 'none'; " +
      `object-src 'none'; frame-ancestors ${appHost.trusted}`,
    'x-dns-prefetch-control': 'off',
    'connection-allowlist': '(); webrtc=block; redirects=block; report-to=proto-view-policy',
  };
  const ours = ({
    date: _1,
    connection: _2,
    'content-length': _3,
    ...rest
  }: Record<string, string>) => rest;
  expect(ours(headers)).toEqual({ ...expected, 'content-type': 'text/html; charset=utf-8' });

  const refused: [string, string?, string?][] = [
    ['/'],
    [address.pathname, `localhost:${address.port}`],
    [address.pathname, `x.${address.host}`],
    [address.pathname, address.host, 'HEAD'],
    [address.pathname, address.host, 'POST'],
    [`${address.pathname}/`],
    [address.pathname.toUpperCase()],
    [address.pathname.slice(0, -1)],
    [`/sandbox/${'0'.repeat(64)}`],
  ];
  for (const [path, host, method] of refused) {
    const [code, said] = await ask(path, host, method);
    expect([path, host, method, code, ours(said)]).toEqual([
      path,
      host,
      method,
      404,
      { ...expected, 'content-type': 'application/problem+json' },
    ]);
  }
  await play.close();
});
