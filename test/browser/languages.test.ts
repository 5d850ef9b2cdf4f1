import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { extname, join, resolve } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { newFolder } from '../support/folder.js';
import { findings } from './support/accessibility.js';
import { PHONE, logIn, openContext } from './support/browser.js';
import { file, paymentRun, pressText } from './support/seed.js';
import { setUp } from './support/setting.js';
import type { Setting } from './support/setting.js';

// docs/pages.md: the pages are in the language that a browser asks for or that its reader chose, and all that they say comes from
// a catalogue.

let setting: Setting;

beforeAll(async () => {
  setting = await setUp();
});
afterAll(() => setting?.stop());

const GERMAN = { locale: 'de-DE' } as const;
const languageOf = (page: Page) => page.evaluate(() => document.documentElement.lang);

test('a browser that asks for German gets German, from the list to the receipt', async () => {
  const summary = 'Pressemitteilung 7';
  const id = await file(setting.producer, pressText(setting.instance.demo, { summary }));
  const { page, faults, close } = await setting.ruth('/inbox', GERMAN);
  expect(await languageOf(page)).toBe('de');
  expect(await page.title()).toContain('Eingang');
  await page.getByRole('link', { name: /^Wartend/ }).click();
  await page.getByText(summary).first().waitFor();
  expect(await findings(page)).toEqual([]);

  await page.goto(setting.address(`/review/${id}`));
  await page.getByRole('radio', { name: /^Zustimmen/ }).check();
  await page.getByRole('radio', { name: 'right' }).check();
  await page
    .getByText(/^noch \d+ (Stunden?|Tage?|Minuten)/)
    .first()
    .waitFor();
  await page.getByRole('button', { name: 'Prüfen und signieren …' }).click();
  await page.getByRole('heading', { name: 'Lesen Sie genau den Text' }).waitFor();
  expect(await page.locator('.panel .sentence').innerText()).toBe(
    `Sie stimmen zu: „${summary}“, gestellt von producer-1 im Auftrag von Olivia Owner owner-1, auf der Route review.`,
  );
  expect(await findings(page)).toEqual([]);
  await page.getByRole('checkbox', { name: /Ich habe die eingefrorene Antwort/ }).check();
  await page.getByRole('button', { name: 'Bestätigen und signieren' }).click();
  await page.getByRole('heading', { name: 'Beleg' }).waitFor();
  expect(await findings(page)).toEqual([]);
  expect(faults).toEqual([]);
  await close();
});

test('a chosen language stays, whatever the browser asks for', async () => {
  const { page, close } = await setting.ruth('/inbox', GERMAN);
  await page.locator('.who summary').click();
  await page.getByRole('radio', { name: 'English' }).click();
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
  await page.goto(setting.address('/sessions'));
  expect(await languageOf(page)).toBe('en');
  await page.locator('.who summary').click();
  await page.getByRole('radio', { name: 'Deutsch' }).click();
  await page.getByRole('heading', { name: 'Meine Sitzungen' }).waitFor();
  await close();
});

test('a language that the pages are not in leaves them in English', async () => {
  const { page, close } = await setting.ruth('/inbox', { locale: 'fr-FR' });
  expect(await languageOf(page)).toBe('en');
  await close();
});

describe('with all texts changed and a third longer', () => {
  const BUILT = resolve(__dirname, '../../packages/pages/dist');
  const TYPES: Readonly<Record<string, string>> = {
    '.js': 'text/javascript',
    '.css': 'text/css',
    '.svg': 'image/svg+xml',
  };
  let folder: string;

  beforeAll(() => {
    folder = newFolder('pseudo-pages');
    execFileSync(process.execPath, [join(__dirname, 'support/pseudo-pages.mjs'), folder]);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const manifestIn = (of: string) =>
    JSON.parse(readFileSync(join(of, 'manifest.json'), 'utf8')) as Record<string, { file: string }>;

  /** Has a browser load the changed pages in place of the gateway's. */
  async function change(context: BrowserContext): Promise<void> {
    const changed = manifestIn(folder);
    const sources = new Map(
      Object.entries(manifestIn(BUILT)).map(([source, { file: built }]) => [`/${built}`, source]),
    );
    await context.route('**/*', async (route) => {
      const request = route.request();
      const { pathname } = new URL(request.url());
      if (pathname.startsWith('/assets/') && existsSync(join(folder, pathname))) {
        const contentType = TYPES[extname(pathname)]!;
        return route.fulfill({ path: join(folder, pathname), contentType });
      }
      if (request.resourceType() !== 'document') return route.continue();
      const response = await route.fetch();
      const html = (await response.text())
        .replaceAll(/<link rel="modulepreload"[^>]*>/g, '')
        .replaceAll(/(?:src|href)="(\/assets\/[^"]+)"/g, (whole, address: string) =>
          whole.replace(
            address,
            `/${changed[sources.get(address) ?? '']?.file ?? address.slice(1)}`,
          ),
        );
      return route.fulfill({ response, body: html });
    });
  }

  /** Plain words that are visible and no data: neither names, texts and ids of requests, nor values of the protocol. */
  const plainWords = (page: Page) =>
    page.evaluate(() => {
      const DATA = '.safe-text, bdi, code, pre, time, option, .brand, .who, .uplot, label[lang]';
      const found: string[] = [];
      const walker = document.createTreeWalker(
        document.querySelector('#page')!,
        NodeFilter.SHOW_TEXT,
      );
      for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
        const text = (node.textContent ?? '').trim();
        const element = node.parentElement!;
        // With data in the middle of a text, and an id that is cut.
        if (/[áéíóú]|^…/.test(text)) continue;
        if (/[a-z]{3}/i.test(text) && element.closest(DATA) === null && element.checkVisibility())
          found.push(`${text} in ${element.className || element.tagName}`);
      }
      return found;
    });

  const changedFrame = (page: Page) =>
    page
      .locator('.top nav a', { hasText: /[áéíóú]/ })
      .first()
      .waitFor();

  test('every page says nothing that is not in a catalogue, and fits a phone', async () => {
    const { demo } = setting.instance;
    const pending = await file(setting.producer, paymentRun(demo));
    const wrong: [path: string, words: string[], wider: number][] = [];
    const look = async (page: Page, path: string) => {
      await page.goto(setting.address(path));
      await changedFrame(page);
      await page.waitForFunction(
        () =>
          document.querySelector('#content > *') !== null &&
          document.querySelector('.waiting') === null,
      );
      const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      const words = await plainWords(page);
      if (words.length > 0 || wider > 0) wrong.push([path, words, wider]);
    };
    const ruth = await setting.ruth(null, { viewport: PHONE });
    await change(ruth.context);
    for (const path of ['/inbox', `/review/${pending}`, '/notifications', '/sessions', '/auditor'])
      await look(ruth.page, path);
    const otto = await openContext(setting.browser, { viewport: PHONE });
    await logIn(otto.page, demo, 'Otto Operator');
    await change(otto.context);
    for (const part of [
      '',
      '/requests',
      `/requests/${pending}`,
      '/routes',
      '/principals',
      '/incidents',
    ])
      await look(otto.page, `/operator${part}`);
    for (const part of ['/deliveries', '/ledger']) await look(otto.page, `/operator${part}`);
    await look(otto.page, '/security-log');
    expect(wrong).toEqual([]);
    expect([...ruth.faults, ...otto.faults]).toEqual([]);
    await ruth.close();
    await otto.close();
  });

  test('a text outside of the catalogues is found', async () => {
    const { page, close } = await setting.ruth('/sessions');
    await page.getByRole('heading', { name: 'My sessions' }).waitFor();
    expect(await plainWords(page)).toContain('My sessions in H1');
    await close();
  });
});
