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
  /** A browser of its own in which Ruth is signed in and stands on `path`, or nowhere yet. Close it by its `close`. */
  ruth(path: string | null, options?: BrowserContextOptions): Promise<Watched>;
  address(path: string): string;
  stop(): Promise<void>;
}

/** `env` as for `startInstance`. */
export async function setUp(env: Readonly<Record<string, string>> = {}): Promise<Setting> {
  const instance = await startInstance({ env });
  // After it: where an instance does not start, no browser is left behind.
  const browser = await startBrowser();
  const { demo, dataDirectory } = instance;
  // One login is enough: every browser of Ruth's begins with its cookies.
  const first = await openContext(browser);
  await logIn(first.page, demo, 'Ruth Reviewer');
  const storageState = await first.context.storageState();
  await first.context.close();
  // A browser that was used costs a tenth of a second of processor time to be used again, a new one more than a second.
  const idle: Watched[] = [];
  const reused = async (): Promise<Watched> => {
    const watched = idle.pop() ?? (await openContext(browser, { storageState }));
    const close = async () => {
      await emptied(watched);
      idle.push(watched);
    };
    return { ...watched, close };
  };
  return {
    instance,
    browser,
    producer: producerOf(demo),
    operator: operatorOf(demo),
    ravi: await personOf(demo, dataDirectory, 'reviewer-2'),
    async ruth(path, options) {
      if (path === null) return openContext(browser, { storageState, ...options });
      const watched = await (options
        ? openContext(browser, { storageState, ...options })
        : reused());
      await watched.page.goto(demo.origin + path);
      return watched;
    },
    address: (path) => demo.origin + path,
    async stop() {
      await browser.close();
      await instance.stop();
    },
  };
}

/** Undoes a test's changes to a browser, and its pages' storage; the session stays. */
async function emptied({ context, page, faults }: Watched): Promise<void> {
  for (const other of context.pages()) if (other !== page) await other.close();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await context.unrouteAll({ behavior: 'ignoreErrors' });
  await context.setOffline(false);
  await page.emulateMedia({ media: null, colorScheme: null });
  await page.evaluate(() => {
    localStorage.clear();
    sessionStorage.clear();
  });
  faults.length = 0;
}

/** From the filled-in form to the trusted panel. */
export async function freeze(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Review and sign …' }).click();
  await page.getByRole('heading', { name: 'Read the exact text to be signed' }).waitFor();
}

/** The two acts that confirm, after the end of the answer was in view. */
export async function confirm(page: Page): Promise<void> {
  await page.locator('.answered').evaluate((answer) => {
    const below = document.querySelector('.panel-bar')!;
    for (let part = answer.parentElement; part !== null; part = part.parentElement) {
      const end = Math.min(below.getBoundingClientRect().top, window.innerHeight);
      part.scrollTop += Math.max(0, Math.ceil(answer.getBoundingClientRect().bottom - end));
    }
  });
  await page.getByRole('checkbox', { name: /I have read/ }).check();
  await page.getByRole('button', { name: 'Confirm and sign' }).click();
}

/** Fills in the form of `pressText`. */
export async function answerText(page: Page, decision = 'Approve'): Promise<void> {
  await page.getByRole('radio', { name: decision }).check();
  await page.getByRole('radio', { name: 'right' }).check();
}
