import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { Instance } from '../../support/instance.js';
import { startInstance } from '../../support/instance.js';
import { Voters } from '../../support/voting.js';
import type { Watched } from './browser.js';
import { logIn, openContext, startBrowser } from './browser.js';

/** The people of the walks: two of finance, one of platform, and a reviewer without a seat. */
export const FRIEDA = 'fin-1';
export const FARID = 'fin-2';
export const PAULA = 'plat-1';
export const GUEST = 'guest-1';
export const OLGA = 'olga-1';
export const OSKAR = 'oskar-1';
const PEOPLE: Readonly<Record<string, readonly [name: string, groups: readonly string[]]>> = {
  [FRIEDA]: ['Frieda Finance', ['finance']],
  [FARID]: ['Farid Finance', ['finance']],
  [PAULA]: ['Paula Platform', ['platform']],
  [GUEST]: ['Gustav Guest', []],
};

export interface VotersSetting {
  readonly instance: Instance;
  readonly browser: Browser;
  readonly voters: Voters;
  /** A browser of the person's own that stands on `path`. */
  as(id: string, path: string, options?: BrowserContextOptions): Promise<Watched>;
  stop(): Promise<void>;
}

/** An instance that offers approvals, with its voters and two operators, and a browser for each of them. */
export async function setUpVoters(capabilities = 'proto.approval'): Promise<VotersSetting> {
  const people = Object.keys(PEOPLE);
  const operators = [OLGA, OSKAR];
  const instance = await startInstance({
    people: [...people, ...operators],
    env: { CAPABILITIES: capabilities },
  });
  const browser = await startBrowser();
  const voters = new Voters(instance, people);
  for (const [id, [name, groups]] of Object.entries(PEOPLE)) {
    await voters.putHuman(id, { name });
    if (groups.length > 0) await voters.putMembership(id, groups);
  }
  for (const id of operators) await voters.putHuman(id, { operator: true });
  return {
    instance,
    browser,
    voters,
    async as(id, path, options) {
      const watched = await openContext(browser, options);
      const shown = id.charAt(0).toUpperCase() + id.slice(1);
      await logIn(watched.page, instance.demo, shown);
      await watched.page.goto(instance.demo.origin + path);
      return watched;
    },
    async stop() {
      await browser.close();
      await instance.stop();
    },
  };
}

/** Brings the end of the frozen answer into view, and says that it was read. */
export async function readToTheEnd(page: Page): Promise<void> {
  await page.getByRole('heading', { name: 'Read the exact text to be signed' }).waitFor();
  await page.locator('.panel .answered').evaluate((answer) => {
    const below = document.querySelector('.panel-bar')!;
    for (let part = answer.parentElement; part !== null; part = part.parentElement) {
      const end = Math.min(below.getBoundingClientRect().top, window.innerHeight);
      part.scrollTop += Math.max(0, Math.ceil(answer.getBoundingClientRect().bottom - end));
    }
  });
  await page.getByRole('checkbox', { name: /I have read/ }).check();
}

const NARROW = { width: 360, height: 740 };

/** By how many pixels a page is wider than a narrow phone. */
export async function excessAt360(page: Page): Promise<number> {
  const before = page.viewportSize()!;
  await page.setViewportSize(NARROW);
  const excess = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  await page.setViewportSize(before);
  return excess;
}
