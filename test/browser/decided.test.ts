import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readPage } from '@countersign/protocol';
import type { Page } from 'playwright-core';
import { decide } from '../support/requests.js';
import { findings } from './support/accessibility.js';
import { PHONE, logIn, openContext } from './support/browser.js';
import { file, paymentRun, pressText } from './support/seed.js';
import type { Setting } from './support/setting.js';
import { confirm, freeze, setUp } from './support/setting.js';

let setting: Setting;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-saved-'));
  setting = await setUp();
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await setting?.stop();
});

const reason = 'Amounts and accounts agree with the invoices.';

test('a decision of another reviewer is told as theirs, in view and above the document', async () => {
  const id = await file(setting.producer, paymentRun(setting.instance.demo));
  const { page, faults, close } = await setting.ruth(`/review/${id}`, { viewport: PHONE });
  await page.getByRole('radio', { name: 'Authorise the execution' }).check();
  await page.getByLabel('Reason').fill('Compared with the invoices.');
  await freeze(page);
  const { status } = await decide(setting.ravi, id, 'refuse', { reason: 'Two lines are wrong.' });
  expect(status).toBe(200);
  const notice = page.getByRole('alert').filter({ hasText: 'Decided meanwhile' });
  await notice.waitFor();
  await page.getByRole('heading', { name: 'Decided by another person' }).waitFor();
  expect(await page.getByRole('heading', { name: 'Receipt' }).count()).toBe(0);
  await page.getByText('The producer sees that Ravi Reviewer refused.').waitFor();
  expect(await page.getByText('that you refused').count()).toBe(0);
  expect(await notice.evaluate((element) => element === document.activeElement)).toBe(true);
  expect(await isInView(page, '.notice.warning')).toBe(true);
  const [outcome, text] = await Promise.all([top(page, '.outcome'), top(page, '.document-card')]);
  expect(outcome).toBeLessThan(text);
  expect(await findings(page)).toEqual([]);
  expect(faults).toEqual([]);
  await close();
});

test('the signed answer is on the receipt, on paper and before operators, until it is deleted', async () => {
  const id = await file(setting.producer, paymentRun(setting.instance.demo));
  const { page, faults, close } = await setting.ruth(`/review/${id}`);
  await page.getByLabel('Reason').fill(reason);
  await page.getByRole('checkbox', { name: 'Atelier Brun' }).check();
  await freeze(page);
  await confirm(page);
  const answered = page.locator('.outcome .answered');
  const shown = async () => {
    await answered.getByText('Its digest was recomputed here').waitFor();
    const terms = await answered.locator('dt').allInnerTexts();
    const values = await answered.locator('dd').allInnerTexts();
    return terms.map((term, at) => [term, values[at]]);
  };
  const expected = [
    ['Reason', reason],
    ['Which lines did you check?', 'Atelier Brun'],
  ];
  expect(await shown()).toEqual(expected);
  await page.reload();
  expect(await shown()).toEqual(expected);
  expect(await findings(page)).toEqual([]);
  await page.emulateMedia({ media: 'print' });
  expect(await answered.getByText(reason).isVisible()).toBe(true);
  await page.emulateMedia({ media: null });
  await close();

  const otto = await openContext(setting.browser);
  await logIn(otto.page, setting.instance.demo, 'Otto Operator');
  await otto.page.goto(setting.address(`/operator/requests/${id}`));
  const card = otto.page.locator('.card', { hasText: 'The decision' });
  await card.getByText(reason).waitFor();
  await card.getByRole('link', { name: 'reviewer-1' }).waitFor();
  await card.getByText('Refused', { exact: true }).waitFor();
  expect(await findings(otto.page)).toEqual([]);
  expect(await otto.page.locator('.moment-words:is(.warning, .bad)').count()).toBe(0);

  await setting.producer.post(`/v2/requests/${id}/discard`, {});
  await otto.page.reload();
  await card.getByText('The answer was deleted by retention rules').waitFor();
  await otto.page.goto(setting.address(`/review/${id}`));
  await otto.page
    .locator('.outcome .answered')
    .getByText('The answer was deleted by retention rules')
    .waitFor();
  expect(await findings(otto.page)).toEqual([]);
  expect([...faults, ...otto.faults]).toEqual([]);
  await otto.close();
});

test('the evidence is saved from receipt and operator page, and opens from a disk', async () => {
  const id = await file(setting.producer, paymentRun(setting.instance.demo));
  const { page, faults, close } = await setting.ruth(`/review/${id}`);
  await page.getByLabel('Reason').fill(reason);
  await freeze(page);
  await confirm(page);
  const otto = await openContext(setting.browser);
  await logIn(otto.page, setting.instance.demo, 'Otto Operator');
  await otto.page.goto(setting.address(`/operator/requests/${id}`));
  for (const from of [page, otto.page]) {
    const html = await saved(from, 'Evidence as a page');
    const json = await saved(from, 'Evidence as JSON');
    expect([html.name, json.name]).toEqual([`evidence-${id}.html`, `evidence-${id}.json`]);
    const inside = readPage(html.bytes);
    expect(JSON.parse('json' in inside ? inside.json : '').export.request.id).toBe(id);
    expect(JSON.parse(json.bytes.toString()).export.request.id).toBe(id);
    const context = await setting.browser.newContext({ offline: true });
    const opened = await context.newPage();
    await opened.goto(pathToFileURL(html.path).href);
    await opened.locator('#headline[data-kind="unconfirmed"]').waitFor();
    await opened.getByText(reason).waitFor();
    expect(await opened.locator('.digest.differs').count()).toBe(0);
    await context.close();
  }
  expect(await findings(otto.page)).toEqual([]);
  expect([...faults, ...otto.faults]).toEqual([]);
  await otto.close();
  await close();
});

/** Awaits the ledger, too: the first evidence of a decision takes some seconds. */
async function saved(page: Page, button: string) {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: button }).click(),
  ]);
  const name = download.suggestedFilename();
  // A browser opens a page by its name.
  const path = join(folder, name);
  await download.saveAs(path);
  return { name, path, bytes: readFileSync(path) };
}

test('a receipt never shows the draft of another reviewer as the signed answer', async () => {
  const id = await file(setting.producer, paymentRun(setting.instance.demo));
  const { page, faults, close } = await setting.ruth(`/review/${id}`);
  await page.getByLabel('Reason').fill('My own words');
  await freeze(page);
  await decide(setting.ravi, id, 'refuse', { reason: 'Two lines are wrong.' });
  await page.getByText('Only its digest is shown to you.').waitFor();
  expect(await page.locator('.answered').getByText('My own words').count()).toBe(0);
  expect(faults).toEqual([]);
  await close();
});

test('an operator who is no reviewer of the route is offered no decision', async () => {
  const id = await file(setting.producer, pressText(setting.instance.demo));
  const { page, faults, close } = await openContext(setting.browser);
  await logIn(page, setting.instance.demo, 'Otto Operator');
  await page.goto(setting.address(`/review/${id}`));
  await page.getByRole('heading', { name: 'You can read this, not decide it' }).waitFor();
  await page.getByText('decide it: Ruth Reviewer, Ravi Reviewer.').waitFor();
  expect(await page.getByRole('button', { name: 'Review and sign …' }).count()).toBe(0);
  expect(await page.locator('.document').innerText()).toContain('May this go out');
  expect(await findings(page)).toEqual([]);
  await page.getByRole('link', { name: 'Open on the operators’ page' }).click();
  await page.waitForURL(setting.address(`/operator/requests/${id}`));
  expect(faults).toEqual([]);
  await close();
});

test.each([1440, 820, 390])(
  'the states of a decided execution are whole in the list at %i px',
  async (width) => {
    const { demo } = setting.instance;
    const { producer, ravi } = setting;
    const { body } = await producer.post('/v2/requests', paymentRun(demo));
    await decide(ravi, body.request.id, 'authorise', { reason });
    const viewport = { width, height: 900 };
    const { page, close } = await setting.ruth('/inbox#decided', { viewport });
    const row = page.locator(`[data-id="${body.request.id}"]`);
    await row.locator('.chip', { hasText: 'Authorised' }).waitFor();
    await row.locator('.chip').nth(1).waitFor();
    const cut = await row
      .locator('.chip')
      .evaluateAll((all) =>
        all
          .filter((each) => each.scrollWidth > each.clientWidth + 1)
          .map((each) => each.textContent),
      );
    expect(cut).toEqual([]);
    // The list counts with the height that a row has.
    const heights = await page
      .locator('.request')
      .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().height));
    expect([...new Set(heights)]).toEqual([width === 1440 ? 38 : width === 820 ? 64 : 116]);
    await close();
  },
);

test('no deadline counts down on a request that is over', async () => {
  const { demo } = setting.instance;
  const id = await file(setting.producer, pressText(demo));
  const { page, faults, close } = await setting.ruth(`/review/${id}`);
  await page.getByText('left', { exact: false }).first().waitFor();
  await setting.producer.post(`/v2/requests/${id}/cancel`, {});
  await page.getByText('Withdrawn meanwhile').waitFor();
  expect(await page.getByText(/\d+ (minutes?|hours?|days?).* left$/).count()).toBe(0);
  expect(await page.locator('.urgent').count()).toBe(0);
  expect(faults).toEqual([]);
  await close();
});

const top = (page: Page, of: string) =>
  page
    .locator(of)
    .first()
    .evaluate((element) => element.getBoundingClientRect().top);

const isInView = (page: Page, of: string) =>
  page
    .locator(of)
    .first()
    .evaluate((element) => {
      const { top, bottom } = element.getBoundingClientRect();
      return top >= 0 && bottom <= innerHeight;
    });
