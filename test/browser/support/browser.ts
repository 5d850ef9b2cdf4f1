import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';
import type {
  Browser,
  BrowserContext,
  BrowserContextOptions,
  LaunchOptions,
  Page,
} from 'playwright-core';
import type { Demo } from '../../support/instance.js';

const PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

// Waiting is bounded only to end tests that hang, and a page that hangs fails first, with the awaited condition: a page
// within the test.
export const PAGE_WAITS_MS = 60_000;
jest.setTimeout(10 * PAGE_WAITS_MS);

/** Starts the browser that the pages are tested with: `CHROMIUM`, else one of the machine (tools/test-servers.mjs). */
export function startBrowser(flags: readonly string[] = []): Promise<Browser> {
  return chromium.launch(launched(flags));
}

/** The same with a profile in `folder`, as people have: contexts without one look up no name in advance. */
export function startWithProfile(
  folder: string,
  flags: readonly string[] = [],
): Promise<BrowserContext> {
  return chromium.launchPersistentContext(folder, launched(flags));
}

function launched(flags: readonly string[]): LaunchOptions {
  const executablePath = process.env['CHROMIUM'] ?? PATHS.find((path) => existsSync(path));
  if (executablePath === undefined)
    throw new Error('there is no Chromium: apt-get install chromium');
  return {
    executablePath,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      ...flags,
    ],
  };
}

export const PHONE = { width: 390, height: 844 };
export const DESKTOP = { width: 1280, height: 860 };

/** Errors that no page may have: every entry is an error of a script, or a violation of the content policy. */
export interface Watched {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly faults: string[];
  close(): Promise<void>;
}

/** A browser of its own (cookies, storage) with one page, that records the errors in it. */
export async function openContext(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<Watched> {
  const context = await browser.newContext({
    viewport: DESKTOP,
    // Nothing is looked at while it changes.
    reducedMotion: 'reduce',
    ...options,
  });
  const faults: string[] = [];
  const watch = (page: Page) => {
    page.setDefaultTimeout(PAGE_WAITS_MS);
    page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
    page.on('console', (message) => {
      const text = message.text();
      if (/Content Security Policy|Refused to/i.test(text)) faults.push(text);
    });
  };
  context.on('page', watch);
  return { context, page: await context.newPage(), faults, close: () => context.close() };
}

/** Logs in as one of the demo people through the development provider's own page. */
export async function logIn(page: Page, demo: Demo, name: string, path = '/inbox'): Promise<void> {
  await page.goto(demo.origin + path);
  await page.getByRole('button', { name }).click();
  await page.waitForURL(demo.origin + path);
}
