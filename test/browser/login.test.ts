import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import type { Browser, Page } from 'playwright-core';
import { startInstance } from '../support/instance.js';
import { operatorOf, producerOf } from '../support/client.js';
import type { Instance } from '../support/instance.js';
import { findings } from './support/accessibility.js';
import { openContext, startBrowser } from './support/browser.js';
import { freePort } from '@countersign/dev-servers';
import { providerEnvironment, startProvider } from './support/own-provider.js';
import { file, paymentRun, pressText } from './support/seed.js';

// Against an OpenID provider as its makers ship it, through its own pages.

let instance: Instance;
let provider: ChildProcess;
let browser: Browser;
let database: pg.Client;

beforeAll(async () => {
  const port = await freePort();
  const rules = [{ tenant: 'demo', route: 'execution', max_age: 60 }];
  const env = { ...providerEnvironment(port), STEP_UP: JSON.stringify(rules) };
  [instance, browser] = await Promise.all([startInstance({ env }), startBrowser()]);
  provider = await startProvider(port, instance.demo.origin);
  const stores = JSON.parse(readFileSync(join(instance.dataDirectory, 'stores.json'), 'utf8'));
  database = new pg.Client({ connectionString: stores.urls.DATABASE_URL });
  await database.connect();
});

afterAll(async () => {
  provider?.kill();
  await database?.end();
  await browser?.close();
  await instance?.stop();
});

/** Fills in the provider's own pages: name and password, then the consent. */
async function signIn(page: Page, subject: string): Promise<void> {
  await page.locator('input[name="login"]').fill(subject);
  await page.locator('input[name="password"]').fill('any');
  await page.locator('button[type="submit"]').click();
  await page.waitForLoadState();
  const consent = page.getByRole('button', { name: 'Continue' });
  if (page.url().includes('/interaction/')) await consent.click();
}

async function signInAt(page: Page, path: string, subject: string): Promise<void> {
  await page.goto(instance.demo.origin + path);
  await signIn(page, subject);
  await page.waitForURL(instance.demo.origin + path);
}

/** Here, and then at the provider, which asks. */
async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Yes, sign me out' }).click();
  await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
}

const endSessions = () => database.query('UPDATE session SET expires_at = clock_timestamp()');
const who = (page: Page) => page.locator('.who summary').innerText();

test('leads through the provider to the requested page, and shows the person', async () => {
  const { page, context, faults } = await openContext(browser);
  const id = await file(producerOf(instance.demo), pressText(instance.demo));
  await signInAt(page, `/review/${id}`, 'ruth');
  expect(await who(page)).toContain('Ruth Reviewer');
  await page.goto(`${instance.demo.origin}/inbox`);
  await page.locator('.who summary').click();
  expect(await findings(page)).toEqual([]);
  // A sign-out that did not happen does not look as if it had.
  await page.route('**/auth/logout', (route) => route.abort('connectionreset'), { times: 1 });
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('The service did not answer').waitFor();
  await page.goto(`${instance.demo.origin}/signed-out`);
  await page.waitForURL(`${instance.demo.origin}/inbox`);
  await page.locator('.who summary').click();
  await signOut(page);
  expect(await findings(page)).toEqual([]);
  const ours = (await context.cookies()).filter(({ name }) => name === '__Host-proto');
  expect(ours).toEqual([]);
  expect(faults).toEqual([]);
  await context.close();
});

test('keeps a half-written answer over the end of a session', async () => {
  const { page, context, faults } = await openContext(browser);
  const id = await file(producerOf(instance.demo), pressText(instance.demo));
  await signInAt(page, `/review/${id}`, 'ruth');
  await page.getByRole('radio', { name: 'Approve' }).check();
  await page.getByRole('radio', { name: 'too formal' }).check();
  await page.getByLabel('Comment for the author').fill('Half of a sent');
  await endSessions();
  await page.getByRole('button', { name: 'Review and sign …' }).click();
  await page.getByText('Your session has ended').waitFor();
  expect(await findings(page)).toEqual([]);
  await page.getByRole('link', { name: 'Sign in again' }).click();
  // The provider may still know who it is; then its pages do not show.
  await page.waitForURL(`${instance.demo.origin}/review/${id}`);
  await page.getByText('Restored from your earlier draft').waitFor();
  expect(await page.getByLabel('Comment for the author').inputValue()).toBe('Half of a sent');
  expect(await page.getByRole('radio', { name: 'Approve' }).isChecked()).toBe(true);
  expect(await page.getByRole('radio', { name: 'too formal' }).isChecked()).toBe(true);
  expect(faults).toEqual([]);
  await context.close();
});

test('never shows one person another’s draft, nor lets a stale page act', async () => {
  const { page, context, faults } = await openContext(browser);
  const id = await file(producerOf(instance.demo), pressText(instance.demo));
  await signInAt(page, `/review/${id}`, 'ruth');
  await page.getByLabel('Comment for the author').fill('Only for Ruth');
  await endSessions();
  await context.clearCookies();
  const second = await context.newPage();
  await signInAt(second, `/review/${id}`, 'ravi');
  expect(await who(second)).toContain('Ravi Reviewer');
  expect(await second.getByLabel('Comment for the author').inputValue()).toBe('');
  // The first tab was Ruth's; it must not speak for Ravi.
  await page.bringToFront();
  await page.getByRole('radio', { name: 'Approve' }).check();
  await page.getByRole('radio', { name: 'right' }).check();
  await page.getByRole('button', { name: 'Review and sign …' }).click();
  await page.getByText('has since signed in with this browser').waitFor();
  expect(await findings(page)).toEqual([]);
  const material = await operatorOf(instance.demo).get(`/v2/requests/${id}/material`);
  expect(material.body.candidate).toBeNull();
  // Ruth comes back: her words are there; when she signs out, they are gone.
  await endSessions();
  await context.clearCookies();
  await signInAt(page, `/review/${id}`, 'ruth');
  expect(await page.getByLabel('Comment for the author').inputValue()).toBe('Only for Ruth');
  await page.locator('.who summary').click();
  await signOut(page);
  expect(await page.evaluate(() => JSON.stringify({ ...localStorage }))).not.toContain('Ruth');
  expect(faults).toEqual([]);
  await context.close();
});

test('steps up before a confirmation, and comes back to the frozen answer', async () => {
  const { page, context, faults } = await openContext(browser);
  const id = await file(producerOf(instance.demo), paymentRun(instance.demo));
  await signInAt(page, '/inbox', 'ruth');
  // An hour later.
  await database.query(`UPDATE session SET proved_at = clock_timestamp() - interval '1 hour'`);
  await page.goto(`${instance.demo.origin}/review/${id}`);
  await page.getByRole('radio', { name: 'Refuse the execution' }).check();
  await page.getByLabel('Reason').fill('Not this week.');
  await page.getByRole('button', { name: 'Review and sign …' }).click();
  await page.getByText('you will be asked to sign in again').waitFor();
  await page.getByRole('checkbox', { name: /I have read/ }).check();
  await page.getByRole('button', { name: 'Confirm and sign' }).click();
  await page.getByText('This route requires a fresh login').waitFor();
  expect(await findings(page)).toEqual([]);
  const frozen = await page.locator('.panel code.digest').first().innerText();
  // As if the last login at the provider were long ago: it must ask again, with any cookie.
  await context.clearCookies({ name: /_session/ });
  await page.getByRole('link', { name: 'Sign in and come back' }).click();
  await signIn(page, 'ruth');
  await page.waitForURL(`${instance.demo.origin}/review/${id}`);
  await page.getByRole('heading', { name: 'Read the exact text to be signed' }).waitFor();
  expect(await page.locator('.panel code.digest').first().innerText()).toBe(frozen);
  await page.getByText('the form on this page').waitFor();
  await page.getByRole('checkbox', { name: /I have read/ }).check();
  await page.getByRole('button', { name: 'Confirm and sign' }).click();
  await page.getByRole('heading', { name: 'Receipt' }).waitFor();
  const { rows } = await database.query('SELECT proved_at IS NOT NULL AS proved FROM session');
  expect(rows.some(({ proved }) => proved)).toBe(true);
  expect(faults).toEqual([]);
  await context.close();
});
