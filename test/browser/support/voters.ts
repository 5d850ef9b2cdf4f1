import type { Browser, BrowserContextOptions } from 'playwright-core';
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
export async function setUpVoters(): Promise<VotersSetting> {
  const people = Object.keys(PEOPLE);
  const operators = [OLGA, OSKAR];
  const instance = await startInstance({
    people: [...people, ...operators],
    env: { CAPABILITIES: 'proto.approval' },
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
