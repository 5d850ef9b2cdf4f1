import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { operatorOf, personOf, producerOf } from '../../support/client.js';
import type { Client } from '../../support/client.js';
import type { Instance } from '../../support/instance.js';
import { startInstance } from '../../support/instance.js';
import { logIn, openContext, startBrowser } from './browser.js';
import type { Watched } from './browser.js';

/** An instance with its producer and two reviewers: Ruth in the browser, Ravi beside it. */
export interface Setting {
  readonly instance: Instance;
  readonly browser: Browser;
  readonly producer: Client;
  readonly operator: Client;
  readonly ravi: Client;
  /** A browser of its own in which Ruth is signed in and stands on `path`, or nowhere yet. */
  ruth(path: string | null, options?: BrowserContextOptions): Promise<Watched>;
  address(path: string): string;
  stop(): Promise<void>;
}

export async function setUp(): Promise<Setting> {
  const [instance, browser] = await Promise.all([startInstance(), startBrowser()]);
  const { demo, dataDirectory } = instance;
  // One login is enough: every browser of Ruth's begins with its cookies.
  const first = await openContext(browser);
  await logIn(first.page, demo, 'Ruth Reviewer');
  const storageState = await first.context.storageState();
  await first.context.close();
  return {
    instance,
    browser,
    producer: producerOf(demo),
    operator: operatorOf(demo),
    ravi: await personOf(demo, dataDirectory, 'reviewer-2'),
    async ruth(path, options) {
      const watched = await openContext(browser, { storageState, ...options });
      if (path !== null) await watched.page.goto(demo.origin + path);
      return watched;
    },
    address: (path) => demo.origin + path,
    async stop() {
      await browser.close();
      await instance.stop();
    },
  };
}

/** From the filled-in form to the trusted panel. */
export async function freeze(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Freeze this answer' }).click();
  await page.getByRole('heading', { name: 'Read exactly what will be signed' }).waitFor();
}

/** The two acts that confirm. */
export async function confirm(page: Page): Promise<void> {
  await page.getByRole('checkbox', { name: /I have read/ }).check();
  await page.getByRole('button', { name: 'Confirm and sign' }).click();
}

/** Fills in the form of `pressText`. */
export async function answerText(page: Page, decision = 'Approve'): Promise<void> {
  await page.getByRole('radio', { name: decision }).check();
  await page.getByRole('radio', { name: 'right' }).check();
}
