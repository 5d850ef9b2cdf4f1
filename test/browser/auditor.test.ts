import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { evidencePage } from '@countersign/protocol';
import type { Browser, Page } from 'playwright-core';
import { trustManifest } from '../conformance/evidence/keys.js';
import { evidenceVectors } from '../conformance/vectors/cases/evidence.js';
import type { Vector } from '../conformance/vectors/vector.js';
import { findings } from './support/accessibility.js';
import { logIn, openContext, startBrowser } from './support/browser.js';
import type { Watched } from './support/browser.js';
import { startDay } from './support/day.js';
import type { Day } from './support/day.js';
import { picture } from './support/pictures.js';

// The audit page: any visitor drops a file, and sees the verdict and the timeline. verifier.test.ts checks the verdicts
// with all vectors; this file checks that the page shows them.

const witnessed = evidenceVectors().find(({ name }) => name === 'evidence-witnessed') as Vector;
const TEMPLATE = readFileSync(
  resolve(__dirname, '../../packages/verifier-page/dist/evidence.html'),
  'utf8',
);

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
  await see('Genuine: nothing fails');
  await see('The one you mean: you have not said');
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

/** Opens `Your own expectations`, and enters one. */
const expectThat = async (label: string, value: string) => {
  const field = page.getByLabel(label);
  if (!(await field.isVisible())) await page.getByText('Your own expectations').first().click();
  await field.fill(value);
};

test('two questions: it is genuine, and it is the one that is meant', async () => {
  const { document, trust: manifest, policy } = witnessed;
  await open();
  await trust(JSON.stringify(manifest));
  await give('evidence.json', document as string);
  await see('Evidence of a request');
  await see('Genuine: nothing fails');
  await expectThat('Witness policy', policy as string);
  await expectThat('Tenant', 'other');
  await page.getByRole('button', { name: 'Verify again' }).click();
  await see('Genuine: yes');
  await page.getByRole('alert').getByText('The one you mean: NO').waitFor();
  await see('It is of another tenant.');
  expect(await findings(page)).toEqual([]);
  await expectThat('Tenant', 'acme');
  await page.getByRole('button', { name: 'Verify again' }).click();
  await see('The one you mean: yes');
  await picture(page, 'auditor-genuine');
  await expectThat('Witness policy', 'witness ada');
  await page.getByRole('button', { name: 'Verify again' }).click();
  await see(/The witness policy: /);
});

test('evidence as a page shows its document and records as the JSON does', async () => {
  await open();
  await trust(JSON.stringify(witnessed.trust));
  await give('evidence.html', evidencePage(TEMPLATE, witnessed.document as string));
  await see('Genuine: nothing fails');
  const { review_document } = JSON.parse(witnessed.document as string).export.material;
  await page.getByLabel('Document', { exact: true }).getByText(review_document).waitFor();
  const story = page.locator('.timeline');
  await story.locator('li', { hasText: 'decided: authorise' }).locator('summary').click();
  await story.getByText('"DecisionReceipt"').waitFor();
});

test('a file that was changed does not hold, and says where', async () => {
  await open();
  await give('export.json', exported.replace('Pay invoice 17', 'Pay invoice 18'));
  await page.getByRole('alert').getByText('Genuine: NO').waitFor();
  await see('Failed');
  await page.locator('.timeline').getByText('NOT proven').first().waitFor();
  expect(await findings(page)).toEqual([]);
  await picture(page, 'auditor-tampered');
});

test('under keys that are not those of the service nothing is proven', async () => {
  await open();
  await give('export.json', exported);
  await see('Genuine: nothing fails');
  await trust(JSON.stringify({ ...trustManifest(), issuer: day.instance.demo.origin }));
  await page.getByRole('alert').getByText('Genuine: NO').waitFor();
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
  await see('Genuine: nothing fails');
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
  await other.getByRole('link', { name: 'Admin' }).waitFor();
  await context.clearCookies();
  await other.reload();
  await other.getByText('unauthenticated').waitFor();
  expect(faults).toEqual([]);
  await context.close();
});
