import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { Client } from '../support/client.js';
import { startInstance } from '../support/instance.js';
import type { Demo, Instance } from '../support/instance.js';
import { identityOf } from '../support/people.js';
import { findings } from './support/accessibility.js';
import { DESKTOP, PHONE, logIn, openContext, startBrowser } from './support/browser.js';

let instance: Instance;
let demo: Demo;
let browser: Browser;

beforeAll(async () => {
  [instance, browser] = await Promise.all([startInstance(), startBrowser()]);
  demo = instance.demo;
  const elsewhere = new Client(demo.origin, { token: demo.other.operator.token });
  const config = { enabled: true, ...identityOf(instance.dataDirectory, 'reviewer-2') };
  const ravi = { id: 'guest', kind: 'human', config };
  expect((await elsewhere.put('/v2/admin/principals/guest', ravi)).status).toBe(200);
});

afterAll(async () => {
  await browser?.close();
  await instance?.stop();
});

/** With PICTURES, a folder: the pages as a person would see them, light and dark, on a phone and a desktop. */
async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env['PICTURES'];
  if (folder === undefined) return;
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const viewport of [PHONE, DESKTOP]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize(viewport);
      await page.screenshot({ path: join(folder, `${name}-${colorScheme}-${viewport.width}.png`) });
    }
  }
  await page.emulateMedia({ colorScheme: null });
}

test('a person in two tenants chooses by keyboard, sees the tenant on every page, and changes it', async () => {
  const { page, context, faults } = await openContext(browser);
  await page.goto(`${demo.origin}/inbox`);
  await page.getByRole('button', { name: 'Ravi Reviewer' }).click();
  await page.getByRole('heading', { name: 'Choose a tenant' }).waitFor();
  expect(await findings(page)).toEqual([]);
  await picture(page, 'choice');
  await page.getByRole('button', { name: /^demo as reviewer-2/ }).focus();
  await page.keyboard.press('Enter');
  await page.waitForURL(`${demo.origin}/inbox`);
  await page.locator('.who summary').getByText('demo').waitFor();
  await page.locator('.who summary').click();
  expect(await findings(page)).toEqual([]);
  await picture(page, 'menu');
  await page.getByRole('link', { name: 'Change tenant' }).click();
  await page.getByRole('button', { name: 'Ravi Reviewer' }).click();
  await page.getByRole('button', { name: /demo as reviewer-2 Your last choice/ }).waitFor();
  // By now a second tab was left open in the first tenant; it must not go on in the other.
  const stale = await context.newPage();
  await stale.goto(`${demo.origin}/inbox`);
  await page.bringToFront();
  await page.getByRole('button', { name: /^other as guest New to you/ }).click();
  await page.waitForURL(`${demo.origin}/inbox`);
  await page.locator('.who summary').getByText('other').waitFor();
  await stale.evaluate(() => window.dispatchEvent(new Event('focus')));
  await stale
    .getByText('guest has since signed in with this browser, in the tenant other')
    .waitFor();
  await page.goto(`${demo.origin}/review/0198c1de-0000-7000-8000-000000000001`);
  await page.getByText('You are signed in to the tenant other as guest').waitFor();
  expect(await findings(page)).toEqual([]);
  await picture(page, 'missing');
  expect(faults).toEqual([]);
  await context.close();
});

test('a person chooses dark or light colours, at once and on every later page', async () => {
  const { page, context, faults } = await openContext(browser);
  await logIn(page, demo, 'Olivia Owner');
  const ground = (of: Page) => of.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const system = await ground(page);
  await page.locator('.who summary').click();
  await page.getByRole('radio', { name: 'Dark' }).check();
  const dark = await ground(page);
  expect(dark).not.toBe(system);
  expect(await findings(page)).toEqual([]);
  await picture(page, 'colours');
  // Before any script of the page runs.
  await page.route('**/*.js', (route) => route.abort());
  await page.goto(`${demo.origin}/sessions`);
  expect(await ground(page)).toBe(dark);
  await page.unroute('**/*.js');
  await page.reload();
  await page.locator('.who summary').click();
  await page.getByRole('radio', { name: 'Light' }).check();
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await ground(page)).toBe(system);
  await page.getByRole('radio', { name: 'System' }).check();
  expect(await ground(page)).toBe(dark);
  expect(await context.cookies()).not.toContainEqual(
    expect.objectContaining({ name: '__Host-proto-theme' }),
  );
  expect(faults.filter((fault) => !fault.includes('ERR_FAILED'))).toEqual([]);
  await context.close();
});

test('a person sees their sessions and ends those of other browsers', async () => {
  const own = await openContext(browser);
  const lost = await openContext(browser);
  await logIn(lost.page, demo, 'Olivia Owner');
  await logIn(own.page, demo, 'Olivia Owner');
  const { page } = own;
  await page.locator('.who summary').click();
  await page.getByRole('link', { name: 'My sessions' }).click();
  await page.getByText('This session').waitFor();
  expect(await page.getByRole('button', { name: /^End the session/ }).count()).toBeGreaterThan(0);
  expect(await findings(page)).toEqual([]);
  await picture(page, 'sessions');
  const lines = page
    .getByText('End', { exact: true })
    .first()
    .evaluate((button) => {
      const words = document.createRange();
      words.selectNodeContents(button);
      return words.getClientRects().length;
    });
  expect(await lines).toBe(1);
  await page.getByRole('button', { name: 'End all others' }).click();
  await page.getByText('ended.').waitFor();
  await page.getByText('There is no other session').waitFor();
  await lost.page.reload();
  await lost.page.getByRole('link', { name: 'Sign in' }).waitFor();
  expect([...own.faults, ...lost.faults]).toEqual([]);
  await own.close();
  await lost.close();
});

test('an operator ends the sessions of a person', async () => {
  const operator = await openContext(browser);
  const person = await openContext(browser);
  await logIn(person.page, demo, 'Ruth Reviewer');
  await logIn(operator.page, demo, 'Otto Operator');
  const { page } = operator;
  await page.goto(`${demo.origin}/operator/principals/reviewer-1`);
  await page.getByRole('button', { name: 'End all sessions' }).click();
  await page.getByText('is signed out with its next call').waitFor();
  expect(await findings(page)).toEqual([]);
  await picture(page, 'operator');
  await page.getByRole('button', { name: 'End them now' }).click();
  await page.getByText('All sessions of this person were ended').waitFor();
  await person.page.reload();
  await person.page.getByRole('link', { name: 'Sign in' }).waitFor();
  expect([...operator.faults, ...person.faults]).toEqual([]);
  await operator.close();
  await person.close();
});
