import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { BlockList } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Browser, BrowserContext, Frame, Page } from 'playwright-core';
import {
  EXAMPLES,
  canonicalText,
  sandboxOriginOf,
  storedAppText,
  textDigest,
  valueDigest,
} from '@countersign/protocol';
import type { StoredApp } from '@countersign/protocol';
import {
  allowFrame,
  createClientAddresses,
  createSandboxListener,
  setHeaders,
  trustedHeaders,
} from '@countersign/gateway/sandbox';
import type { SandboxSettings } from '@countersign/gateway/sandbox';
import { freePort } from '@countersign/dev-servers';
import type { AppHostPage, AppHostEvent } from '../app-host/main.js';
import { until } from '../../support/requests.js';
import { PAGE_WAITS_MS } from './browser.js';

const DOCUMENT = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>App host</title>
<link rel="stylesheet" href="/app-host.css"><script type="module" src="/app-host.js"></script></head>
<body><h1>Review</h1><div id="app"></div>
<form><label>Note <input name="note"></label><button>Propose</button><output name="sent"></output></form></body></html>`;
const STYLE = 'iframe { width: 100%; height: 300px; }';

export interface PlayOptions {
  readonly payload?: unknown;
  /** Changes the answer of `request.app` after it was made. */
  readonly change?: (app: StoredApp) => unknown;
}

/** An app in the host, and the page around it. */
export interface Play {
  readonly page: Page;
  /** Events so far. */
  events(): Promise<AppHostEvent[]>;
  /** Resolves with the first event of this type. */
  event<Type extends AppHostEvent['type']>(
    type: Type,
  ): Promise<Extract<AppHostEvent, { type: Type }>>;
  /** The frame in which the app runs. */
  inner(): Promise<Frame>;
  /** The person answers by the native form; gives the data that the form then sends. */
  useForm(): Promise<string>;
  close(): Promise<void>;
}

export interface TestAppHost {
  readonly trusted: string;
  readonly sandboxPattern: string;
  /** In a browser of its own, or in a context beside and after other apps, which takes a third of the time. */
  play(place: Browser | BrowserContext, html: string, options?: PlayOptions): Promise<Play>;
  stop(): Promise<void>;
}

/**
 * The app host with nothing around it: the real sandbox listener, and a trusted page with the real headers that mounts one
 * app. No service stands behind it, so a hundred apps can be tried in a minute.
 */
export async function startAppHost(
  confinement: SandboxSettings['confinement'],
  sandboxName = '{scope}.localhost',
): Promise<TestAppHost> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-app-host-'));
  await promisify(execFile)(process.execPath, [
    resolve(__dirname, '../app-host/build.mjs'),
    folder,
  ]);
  const script = readFileSync(join(folder, 'app-host.js'));
  rmSync(folder, { recursive: true, force: true });

  const server = createServer((request, response) => {
    setHeaders(response, trustedHeaders(false));
    // Each page names the one origin that it may frame, as the gateway looks it up.
    const frame = new URL(request.url ?? '/', 'http://x').searchParams.get('frame');
    allowFrame(response, frame ?? "'none'");
    const [type, body] =
      request.url === '/app-host.js'
        ? ['text/javascript', script]
        : request.url === '/app-host.css'
          ? ['text/css', STYLE]
          : ['text/html; charset=utf-8', DOCUMENT];
    response.setHeader('Content-Type', type);
    response.end(body);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const trusted = `http://localhost:${(server.address() as AddressInfo).port}`;
  const sandboxPort = await freePort();
  const sandboxPattern = `http://${sandboxName}:${sandboxPort}`;
  const sandbox = await createSandboxListener({
    origin: trusted,
    pattern: sandboxPattern,
    confinement,
    production: false,
    connections: {
      most: 1000,
      perAddress: Infinity,
      addresses: createClientAddresses(new BlockList()),
    },
  });
  await sandbox.start(sandboxPort, '127.0.0.1');
  // By context: unused pages without an app. A new one costs as much as all that is tried in it.
  const idle = new Map<BrowserContext, Page[]>();

  return {
    trusted,
    sandboxPattern,

    async play(place, html, { payload = { rows: [] }, change = (app: StoredApp) => app } = {}) {
      const { request, answer } = requestWith(html, payload, sandboxPattern);
      const frame = encodeURIComponent(sandboxOriginOf(sandboxPattern, request) as string);
      const own = 'newContext' in place;
      const context = own ? await place.newContext() : place;
      const page = idle.get(context)?.pop() ?? (await context.newPage());
      page.setDefaultTimeout(PAGE_WAITS_MS);
      await page.goto(`${trusted}/?frame=${frame}`);
      await page.waitForFunction(() => 'appHost' in window);
      await page.evaluate(
        ([app, facts]) =>
          (window as unknown as { appHost: AppHostPage }).appHost.mount(app, facts as never),
        [change(answer), { request, request_digest: valueDigest(request) }] as unknown[],
      );
      return playOf(page, async () => {
        if (own) return context.close();
        // The process of an app that was removed may be busy for seconds, and the next app would wait for it.
        if ((await eventsOn(page)).some(({ type }) => type === 'failure')) return page.close();
        page.removeAllListeners();
        await page.goto(trusted);
        idle.set(context, [...(idle.get(context) ?? []), page]);
      });
    },

    async stop() {
      await sandbox.stop(0, 0);
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

const eventsOn = (page: Page): Promise<AppHostEvent[]> =>
  page.evaluate(() => (window as unknown as { appHost: AppHostPage }).appHost.events);

function playOf(page: Page, close: () => Promise<void>): Play {
  const events = () => eventsOn(page);
  return {
    page,
    events,
    async event(type) {
      const seen = await until(events, (all) => all.some((each) => each.type === type));
      return seen.find((each) => each.type === type) as never;
    },
    async inner() {
      return until(
        () => runningFrame(page),
        (found) => found !== undefined,
      ) as Promise<Frame>;
    },
    async useForm() {
      const note = randomUUID();
      await page.getByLabel('Note').fill(note);
      await page.getByRole('button', { name: 'Propose' }).click();
      const sent = await page.locator('output').textContent();
      if (sent !== note) throw new Error(`the form sent ${sent}`);
      return 'usable';
    },
    close,
  };
}

/**
 * The frame of the app that runs. While an outer frame moves to a process of its own, Playwright still lists its former
 * content: only a frame that answers is the one that the page has.
 */
async function runningFrame(page: Page): Promise<Frame | undefined> {
  const inner = page
    .frames()
    .find((each) => each.parentFrame()?.parentFrame() === page.mainFrame());
  try {
    await inner?.evaluate(() => document.readyState);
    return inner;
  } catch (error) {
    if (inner?.isDetached()) return undefined;
    throw error;
  }
}

function requestWith(html: string, payload: unknown, sandboxPattern: string) {
  const { id, publisher, compatibility, created_at } = EXAMPLES.ReviewBundle;
  const request = {
    ...EXAMPLES.DecisionRequest,
    review: {
      ...EXAMPLES.DecisionRequest.review,
      payload_digest: valueDigest(payload),
      bundle: { id, publisher, digest: textDigest(html), compatibility, created_at },
    },
  };
  const text = storedAppText({
    request,
    requestDigest: valueDigest(request),
    payload: canonicalText(payload),
    html,
    sandboxPattern,
  });
  return { request, answer: JSON.parse(text) as StoredApp };
}
