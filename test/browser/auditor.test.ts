import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { trustManifest } from '../conformance/evidence/keys.js';
import { findings } from './support/accessibility.js';
import { logIn, openContext, startBrowser } from './support/browser.js';
import type { Watched } from './support/browser.js';
import { startDay } from './support/day.js';
import type { Day } from './support/day.js';
import { picture } from './support/pictures.js';

// The audit page: any visitor drops a file, and sees the verdict and the timeline. verifier.test.ts checks the verdicts
// with all vectors; this file checks that the page shows them.

let day: Day;
let browser: Browser;
let watched: Watched;
let page: Page;
let exported: string;

beforeAll(async () => {
  [day, browser] = await Promise.all([startDay(), startBrowser()]);
  watched = await openContext(browser);
  page = watched.page;
  const answer = await day.operator.get(`/v2/requests/${day.executed}/export`);
  exported = answer.text;
});

afterAll(async () => {
  await browser?.close();
  await day?.instance.stop();
});

afterEach(() => {
  expect(watched.faults).toEqual([]);
});

const file = (name: string, text: string) => ({
  name,
  mimeType: 'application/json',
  buffer: Buffer.from(text),
});
const see = (text: string | RegExp) => page.getByText(text).first().waitFor();
const open = () => page.goto(`${day.instance.demo.origin}/auditor`);
const give = (name: string, text: string) =>
  page.getByLabel('or choose one').setInputFiles(file(name, text));
const trust = (text: string) =>
  page.getByLabel('Choose your own trust manifest').setInputFiles(file('trust.json', text));

test('anybody may open it, and it is empty until a file comes', async () => {
  await open();
  await see('Drop a file here');
  expect(await findings(page)).toEqual([]);
  await picture(page, 'auditor');
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Save the verifier as one file' }).click(),
  ]);
  expect(saved.suggestedFilename()).toBe('countersign-verify.html');
});

test('the export of an execution: verdict, timeline, records, and the material', async () => {
  await open();
  await give('export.json', exported);
  await see('No check fails, but a decisive one is open');
  await see('Not checked');
  const story = page.locator('.timeline');
  for (const words of [
    /asked for owner-1 on the route execution/,
    /proposed: authorise/,
    /decided: authorise/,
    /The anchor store has accepted/,
    /claimed pay\//,
    /reported the outcome: completed/,
  ]) {
    await story.getByText(words).waitFor();
  }
  expect(await story.getByText('NOT proven').count()).toBe(0);
  await story.locator('li', { hasText: 'decided: authorise' }).locator('summary').click();
  await story.getByText('"DecisionReceipt"').waitFor();
  await see('# Is this text right?');
  await page.locator('summary', { hasText: 'Form of the answer' }).click();
  await see('"maxLength": 100');
  expect(await findings(page)).toEqual([]);
  await page.emulateMedia({ media: 'print' });
  expect(await page.locator('.drop').isVisible()).toBe(false);
  expect(await story.isVisible()).toBe(true);
  await page.emulateMedia({ media: null });
  await picture(page, 'auditor-verdict', { whole: true });
  await picture(page, 'auditor-verdict-phone', { phone: true, dark: true });
});

test('a file that was changed does not hold, and says where', async () => {
  await open();
  await give('export.json', exported.replace('Pay invoice 17', 'Pay invoice 18'));
  await page.getByRole('alert').getByText('It does NOT hold').waitFor();
  await see('Failed');
  await page.locator('.timeline').getByText('NOT proven').first().waitFor();
  expect(await findings(page)).toEqual([]);
  await picture(page, 'auditor-tampered');
});

test('under keys that are not those of the service nothing is proven', async () => {
  await open();
  await give('export.json', exported);
  await see('No check fails');
  await trust(JSON.stringify({ ...trustManifest(), issuer: day.instance.demo.origin }));
  await page.getByRole('alert').getByText('It does NOT hold').waitFor();
  await see('unknown_key');
});

test('refuses in words a file that is no evidence, no trust manifest, or too large', async () => {
  await open();
  await give('notes.json', '{"a": [1, 2');
  await see('The file cannot be read as something that can be verified.');
  await trust('{"keys": "none"}');
  await see('This could not be verified');
  await see(/This is no trust manifest/);
  expect(await findings(page)).toEqual([]);
});

test('hostile words stay words', async () => {
  await open();
  const { text } = await day.operator.get(`/v2/requests/${day.strange}/export`);
  await give('<img src=x onerror=alert(1)>\u202e.json', text);
  await page.locator('.timeline').getByText('asked for owner-1').waitFor();
  // The verifier spells them, the page marks the rest.
  expect(await page.locator('.timeline').textContent()).not.toMatch(/[\u200b\u202c\u202e]/);
  await page.locator('.facts .mark').first().waitFor();
  expect(await page.locator('img').count()).toBe(0);
});

test('drops work as the button does', async () => {
  await open();
  const dropped = await page.evaluateHandle((text) => {
    const given = new DataTransfer();
    given.items.add(new File([text], 'dropped.json'));
    return given;
  }, exported);
  await page.dispatchEvent('.drop', 'drop', { dataTransfer: dropped });
  await see('dropped.json');
  await see('Timeline');
});

test('verifies without network once it is open', async () => {
  await open();
  await see('Drop a file here');
  await trust(readFileSync(join(day.instance.dataDirectory, 'trust.json'), 'utf8'));
  await watched.context.setOffline(true);
  await give('export.json', exported);
  await see('No check fails, but a decisive one is open');
  await see('You are offline');
  await watched.context.setOffline(false);
});

test('an operator comes with one request, out of its page', async () => {
  const { page: other, context, faults } = await openContext(browser);
  await logIn(other, day.instance.demo, 'Otto Operator');
  await other.goto(`${day.instance.demo.origin}/operator/requests/${day.executed}`);
  await other.getByRole('link', { name: 'Verify it on the audit page' }).click();
  await other.getByText('reported the outcome: completed').waitFor();
  // Who reads is known here too, so the way back is there.
  await other.getByRole('link', { name: 'Operation' }).waitFor();
  await context.clearCookies();
  await other.reload();
  await other.getByText('unauthenticated').waitFor();
  expect(faults).toEqual([]);
  await context.close();
});
