import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext } from 'playwright-core';
import { inParallel } from '../support/parallel.js';
import { until } from '../support/requests.js';
import { startBrowser, startWithProfile } from './support/browser.js';
import type { Canaries } from './support/canaries.js';
import { resolvedNames, startCanaries } from './support/canaries.js';
import type { Attempt } from './support/hostile-app.js';
import { appWith, attemptsOf, hostileApp, table } from './support/hostile-app.js';
import type { TestAppHost } from './support/app-host.js';
import { startAppHost } from './support/app-host.js';

const folder = mkdtempSync(join(tmpdir(), 'countersign-hostile-'));
const log = (name: string) => join(folder, `${name}.json`);
const seen: Attempt[] = [];
let browser: Browser;
/** Where all apps run that leave their process alive. */
let context: BrowserContext;
let appHost: TestAppHost;
let canaries: Canaries;

beforeAll(async () => {
  [browser, context, appHost, canaries] = await Promise.all([
    startBrowser([`--log-net-log=${log('private')}`]),
    startWithProfile(join(folder, 'profile'), [`--log-net-log=${log('profile')}`]),
    startAppHost('strict', 'apps.localhost'),
    startCanaries(),
  ]);
});

afterAll(async () => {
  await browser?.close();
  await context?.close();
  await appHost?.stop();
  await canaries?.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('an app that tries everything gets nowhere and stays where it is:', () => {
  test.each(['network', 'storage', 'reach', 'devices', 'nesting'])('%s', async (name) => {
    const play = await appHost.play(context, hostileApp(name, canaries));
    const happened: string[] = [];
    play.page.context().on('page', () => happened.push('popup'));
    play.page.on('download', () => happened.push('download'));
    play.page.on('dialog', (dialog) => {
      happened.push(`dialog ${dialog.type()}`);
      void dialog.dismiss();
    });
    // A listener in the trusted page that would hear another app.
    await play.page.evaluate(() => {
      const channel = new BroadcastChannel('apps');
      channel.onmessage = () => channel.postMessage('here');
    });
    await play.event('ready');
    const attempts = await attemptsOf(await play.inner());
    seen.push(...attempts);
    expect(attempts.filter(({ succeeded }) => succeeded)).toEqual([]);
    expect(happened).toEqual([]);
    expect(await play.page.title()).toBe('App host');
    expect(play.page.url()).toContain(`${appHost.trusted}/?frame=`);
    expect(await play.events()).toEqual([{ type: 'ready' }]);
    expect(await play.useForm()).toBe('usable');
    await play.close();
  });
});

test('an app that leaves its page is removed, in any way of leaving', async () => {
  const ways: [string, string][] = [
    ['location', 'location = URL'],
    ['location.replace', 'location.replace(URL)'],
    ['reload', 'location.reload()'],
    ['window.open to itself', 'window.open(URL, "_self")'],
    ['data address', 'location = "data:text/html,a"'],
    [
      'meta refresh',
      `document.head.insertAdjacentHTML("beforeend", '<meta http-equiv="refresh" content="0;url=' + URL + '">')`,
    ],
    [
      'anchor',
      'document.body.append(Object.assign(document.createElement("a"), { id: "a", href: URL })); document.getElementById("a").click()',
    ],
    [
      'base',
      'document.head.append(Object.assign(document.createElement("base"), { href: URL })); location = "x"',
    ],
    [
      'download of an address',
      'document.body.append(Object.assign(document.createElement("a"), { id: "a", href: URL, download: "a" })); document.getElementById("a").click()',
    ],
  ];
  await inParallel(ways, 3, async ([name, act]) => {
    const url = JSON.stringify(`${canaries.origin}/canary-leave-${name.replaceAll(' ', '-')}`);
    const play = await appHost.play(
      context,
      appWith(`const URL = ${url}; connected.then(() => setTimeout(() => { ${act}; }));`),
    );
    expect([name, await play.event('failure')]).toEqual([
      name,
      { type: 'failure', failure: 'navigated' },
    ]);
    seen.push({ kind: 'leaving', name, succeeded: false });
    expect(play.page.url()).toContain(`${appHost.trusted}/?frame=`);
    expect(await play.page.locator('iframe').count()).toBe(0);
    expect(await play.useForm()).toBe('usable');
    await play.close();
  });
});

const say = (message: string) => `parent.postMessage(${message}, '*');`;
const ask = (id: string, method: string, params = '{}') =>
  say(`{ jsonrpc: '2.0', id: ${id}, method: '${method}', params: ${params} }`);
const deep = (levels: number) => `JSON.parse('['.repeat(${levels}) + ']'.repeat(${levels}))`;
const proposal = (response = '1') => `{ decision: 'approve', response: ${response} }`;

describe('an app that does not keep to the protocol is removed:', () => {
  const BREACHES: [string, string, string][] = [
    ['a flood of noise', `for (let n = 0; n < 20000; n++) ${say('n')}`, 'too_many_messages'],
    ['a flood of requests', `for (let n = 0; n < 2000; n++) ${ask('n', 'x')}`, 'too_many_messages'],
    [
      'a flood of proposals',
      `for (let n = 0; n < 40; n++) ${ask('n', 'proto/ui.propose', proposal())}`,
      'too_many_proposals',
    ],
    ['a message of more than a megabyte', say("'x'.repeat(1048576)"), 'too_big'],
    [
      'a message that a few objects stand for',
      `let many = 1; for (let n = 0; n < 60; n++) many = [many, many]; ${say('many')}`,
      'too_big',
    ],
    ['a message of 4 billion holes', say('new Array(4e9)'), 'too_big'],
    [
      'a message without an end',
      `const round = []; round.push(round); ${say('round')}`,
      'too_deep',
    ],
    ['a deep message', ask('1', 'proto/ui.propose', proposal(deep(70))), 'too_deep'],
    ['a date', say('new Date()'), 'not_json'],
    ['a buffer', say('new ArrayBuffer(8)'), 'not_json'],
    ['a port', `parent.postMessage({}, '*', [new MessageChannel().port1]);`, 'not_json'],
    [
      'a second initialize',
      ask(
        "'again'",
        'proto/ui.initialize',
        "{ protocolVersion: 'org.proto.agent-ui/2', capabilities: { localProposal: true } }",
      ),
      'out_of_order',
    ],
    [
      'a second initialized',
      say("{ jsonrpc: '2.0', method: 'proto/ui.initialized', params: {} }"),
      'out_of_order',
    ],
    [
      'a message of the proxy',
      say("{ jsonrpc: '2.0', method: 'proto/ui.proxyReady', params: {} }"),
      'out_of_order',
    ],
    [
      'a sign of life of the proxy',
      say("{ jsonrpc: '2.0', method: 'proto/ui.proxyAlive', params: {} }"),
      'out_of_order',
    ],
    [
      'an unrequested proof',
      say("{ jsonrpc: '2.0', method: 'proto/ui.proxyProof', params: { challenge: 'x' } }"),
      'out_of_order',
    ],
  ];

  const TOO_BUSY = ['not_initialised', 'silent'];

  /**
   * How an app ended. It is played again where the machine was too busy for it to start, or to answer, in time: its page has
   * removed it all the same.
   */
  async function removed(html: string) {
    for (let tries = 1; ; tries += 1) {
      const play = await appHost.play(context, html);
      const end = await play.event('failure');
      if (!TOO_BUSY.includes(end.failure) || tries === 5) return [play, end] as const;
      await play.close();
    }
  }

  test('by its messages', () =>
    inParallel(BREACHES, 3, async ([name, act, failure]) => {
      const [play, end] = await removed(appWith(`connected.then(() => { ${act} });`));
      expect([name, end]).toEqual([name, { type: 'failure', failure }]);
      seen.push({ kind: 'protocol', name, succeeded: false });
      expect(await play.page.locator('iframe').count()).toBe(0);
      expect((await play.events()).filter(({ type }) => type === 'proposal').length).toBeLessThan(
        2,
      );
      expect(await play.useForm()).toBe('usable');
      await play.close();
    }));

  const early = (act: string) => `<!doctype html><title>App</title><script>${act}</script>`;
  test.each([
    [
      'proposing before it has its data',
      early(ask('1', 'proto/ui.propose', proposal())),
      'out_of_order',
    ],
    [
      'another profile',
      early(
        ask(
          '1',
          'proto/ui.initialize',
          "{ protocolVersion: 'org.proto.agent-ui/1', capabilities: { localProposal: true } }",
        ),
      ),
      'wrong_profile',
    ],
    [
      'initialized without initialize',
      early(say("{ jsonrpc: '2.0', method: 'proto/ui.initialized', params: {} }")),
      'out_of_order',
    ],
  ])('%s', async (name, html, failure) => {
    const [play, end] = await removed(html);
    expect(end).toEqual({ type: 'failure', failure });
    seen.push({ kind: 'protocol', name, succeeded: false });
    expect(await play.useForm()).toBe('usable');
    await play.close();
  });

  test('never initialising', async () => {
    const play = await appHost.play(context, early(''));
    expect(await play.event('failure')).toEqual({ type: 'failure', failure: 'not_initialised' });
    seen.push({ kind: 'silence', name: 'never initialising', succeeded: false });
    expect(await play.useForm()).toBe('usable');
    await play.close();
  });

  test('writing itself anew', async () => {
    const again = 'document.open(); document.write("new"); document.close();';
    const [play, end] = await removed(appWith(`connected.then(() => { ${again} });`));
    expect(end).toEqual({ type: 'failure', failure: 'navigated' });
    seen.push({ kind: 'protocol', name: 'writing itself anew', succeeded: false });
    expect(await play.useForm()).toBe('usable');
    await play.close();
  });

  // Seconds each, so they are silent side by side.
  test('freezing', async () => {
    const frozen: [string, string][] = [
      ['freezing at the start', early('for (;;);')],
      ['freezing later', appWith('connected.then(() => { for (;;); });')],
    ];
    await Promise.all(
      frozen.map(async ([name, html]) => {
        const play = await appHost.play(browser, html);
        expect([name, await play.event('failure')]).toEqual([
          name,
          { type: 'failure', failure: 'silent' },
        ]);
        seen.push({ kind: 'silence', name, succeeded: false });
        expect(await play.page.locator('iframe').count()).toBe(0);
        expect(await play.useForm()).toBe('usable');
        await play.close();
      }),
    );
  });
});

test('an id that was used is refused, and the app goes on', async () => {
  const answers = 'addEventListener("message", ({ data }) => heard.push(data));';
  const act = `window.heard = []; ${answers} ${ask('7', 'x')} ${ask('7', 'proto/ui.propose', proposal())}`;
  const play = await appHost.play(context, appWith(`connected.then(() => { ${act} });`));
  await play.event('ready');
  const inner = await play.inner();
  await inner.waitForFunction('window.heard?.filter(({ id }) => id === 7).length === 2');
  const codes = 'heard.filter(({ id }) => id === 7).map(({ error }) => error.code)';
  expect(await inner.evaluate(codes)).toEqual([-32601, -32600]);
  expect(await play.events()).toEqual([{ type: 'ready' }]);
  await play.close();
});

test('an app that shows a panel of confirmation shows it inside its frame only', async () => {
  const panel = `document.body.innerHTML = '<div style="position:fixed;inset:-9999px;z-index:2147483647"><button>Confirm this response</button></div>';`;
  const play = await appHost.play(context, appWith(`connected.then(() => { ${panel} });`));
  await play.event('ready');
  const inner = await play.inner();
  await inner.locator('button').waitFor();
  // The page's own buttons are where they were, and a click inside the frame reaches none of them.
  await inner.locator('button').dispatchEvent('click');
  const frame = await play.page.locator('iframe').boundingBox();
  const form = await play.page.getByLabel('Note').boundingBox();
  expect(form?.y).toBeGreaterThanOrEqual((frame?.y ?? 0) + (frame?.height ?? 0));
  expect(await play.events()).toEqual([{ type: 'ready' }]);
  expect(await play.useForm()).toBe('usable');
  await play.close();
});

test('an app whose process the browser ends is removed, and the page lives on', async () => {
  const play = await appHost.play(browser, hostileApp('nested-webrtc', canaries));
  // Playwright gives up a page one of whose frames died; the page itself is asked past it.
  const session = await play.page.context().newCDPSession(play.page);
  const ask = async (expression: string) =>
    (await session.send('Runtime.evaluate', { expression, returnByValue: true })).result.value;
  const failures = await until(
    () => ask("appHost.events.filter(({ type }) => type === 'failure')"),
    (found) => found.length > 0,
  );
  expect(failures).toEqual([{ type: 'failure', failure: 'silent' }]);
  expect(await ask("document.querySelectorAll('iframe').length")).toBe(0);
  const form =
    "document.querySelector('[name=note]').value = 'x'; document.querySelector('button').click()";
  await ask(form);
  expect(await ask("document.querySelector('output').value")).toBe('x');
  seen.push({ kind: 'webrtc', name: 'frame of its own', succeeded: canaries.datagrams() > 0 });
  await play.close();
});

test('nothing of all this left the browser', async () => {
  await browser.close();
  await context.close();
  const names = ['private', 'profile'].flatMap((each) => resolvedNames(log(each)));
  console.log(
    `${table(seen)}\narrived by TCP: ${canaries.arrivals().length}, by UDP: ${canaries.datagrams()}, ` +
      `names resolved: ${names.length}`,
  );
  expect(canaries.arrivals()).toEqual([]);
  expect(canaries.datagrams()).toBe(0);
  expect(names).toEqual([]);
});

describe('without the connection allowlist of the browser', () => {
  let older: BrowserContext;
  let standard: TestAppHost;

  beforeAll(async () => {
    [older, standard] = await Promise.all([
      startWithProfile(join(folder, 'older'), [
        '--disable-features=ConnectionAllowlists',
        `--log-net-log=${log('older')}`,
      ]),
      startAppHost('standard'),
    ]);
  });

  afterAll(async () => {
    await older?.close();
    await standard?.stop();
  });

  test('strict confinement shows no app, and never sends it to the proxy', async () => {
    const ran: string[] = [];
    older.on('console', (message) => ran.push(message.text()));
    const play = await appHost.play(older, appWith("console.log('the app runs')"));
    expect(await play.event('failure')).toEqual({ type: 'failure', failure: 'unconfined' });
    expect(ran).not.toContain('the app runs');
    expect(await play.page.locator('iframe').count()).toBe(0);
    expect(await play.useForm()).toBe('usable');
    await play.close();
  });

  test('standard confinement stops the same, but for link hints and a nested realm', async () => {
    const play = await standard.play(older, hostileApp('network', canaries));
    await play.event('ready');
    const attempts = await attemptsOf(await play.inner());
    expect(attempts.filter(({ succeeded }) => succeeded)).toEqual([]);
    // The gaps of standard confinement that docs/security.md describes: names looked up in advance, a connection without a
    // request, and the nested realm. When one of them is closed, this fails: say so there.
    expect(canaries.arrivals()).toEqual(['(connection)']);
    expect(canaries.datagrams()).toBe(0);
    await play.close();
    const nested = await standard.play(older, hostileApp('nested-webrtc', canaries));
    await nested.event('ready');
    await attemptsOf(await nested.inner());
    await until(
      () => Promise.resolve(canaries.datagrams()),
      (count) => count > 0,
    );
    await nested.close();
    await older.close();
    expect(resolvedNames(log('older'))).toEqual([
      expect.stringContaining('dns-prefetch'),
      expect.stringContaining('preconnect-by-name'),
    ]);
  });

  test('a page without any confinement is heard by every listener of this test', async () => {
    canaries.serve('/unconfined', hostileApp('network', canaries));
    const open = await startWithProfile(join(folder, 'open'), [`--log-net-log=${log('open')}`]);
    const page = await open.newPage();
    const before = canaries.datagrams();
    await page.goto(`${canaries.origin}/unconfined`);
    await attemptsOf(page.mainFrame());
    await until(
      () => Promise.resolve(canaries.datagrams()),
      (count) => count > before,
    );
    await open.close();
    const names = resolvedNames(log('open'));
    console.log(`unconfined: ${canaries.arrivals().join(' ')}\n${names.join(' ')}`);
    expect(canaries.arrivals().length).toBeGreaterThan(20);
    for (const name of ['image-by-name', 'preconnect-by-name', 'dns-prefetch'])
      expect(names).toContainEqual(expect.stringContaining(name));
  });
});
