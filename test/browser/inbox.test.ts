import { decide } from '../support/requests.js';
import { findings } from './support/accessibility.js';
import { file, paymentRun, pressText } from './support/seed.js';
import type { Setting } from './support/setting.js';
import { setUp } from './support/setting.js';

let setting: Setting;

beforeAll(async () => {
  setting = await setUp();
});
afterAll(() => setting?.stop());

const create = (summary: string, changes: Record<string, unknown> = {}) =>
  file(setting.producer, pressText(setting.instance.demo, { summary, ...changes }));

test('an empty inbox says so, and fills by itself', async () => {
  const { page, faults, close } = await setting.ruth('/inbox');
  await page.getByRole('heading', { name: 'Nothing is waiting for you' }).waitFor();
  expect(await findings(page)).toEqual([]);
  await create('Comes by itself', { review_seconds: 600 });
  await page.getByRole('link', { name: 'Comes by itself' }).waitFor();
  expect(faults).toEqual([]);
  await close();
});

test('waiting requests are sorted by deadline, searched, filtered, and walked through by keys', async () => {
  const late = await create('The latest of all', { review_seconds: 86_400 });
  await create('The soonest of all', { review_seconds: 300 });
  await file(
    setting.producer,
    paymentRun(setting.instance.demo, { summary: 'Pay somebody', review_seconds: 900 }),
  );
  const { page, faults, close } = await setting.ruth('/inbox');
  const titles = () => page.locator('.request-link').allInnerTexts();
  await page.getByText('· review').first().waitFor();
  expect(await titles()).toEqual([
    'The soonest of all',
    'Comes by itself',
    'Pay somebody',
    'The latest of all',
  ]);
  expect(await page.locator('.request').first().innerText()).toMatch(/\b[1-4] minutes left/);
  expect(await findings(page)).toEqual([]);
  // The exact time, in UTC, on demand.
  const moment = page.locator('.request .moment-exact').first();
  await moment.click();
  expect(await moment.innerText()).toMatch(/^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/);

  await page.getByLabel('Search').fill('OF all');
  expect(await titles()).toEqual(['The soonest of all', 'The latest of all']);
  await page.getByLabel('Search').fill('nowhere');
  await page.getByRole('heading', { name: 'Nothing matches' }).waitFor();
  expect(await findings(page)).toEqual([]);
  await page.getByRole('button', { name: 'Clear search and filters' }).click();
  await page.getByLabel('Route').selectOption('execution');
  expect(await titles()).toEqual(['Pay somebody']);
  await page.getByLabel('Route').selectOption('');
  await page.getByLabel('Producer').selectOption('producer-1');
  expect((await titles()).length).toBe(4);

  await page.getByRole('heading', { name: 'Inbox' }).click();
  await page.keyboard.press('?');
  await page.getByRole('dialog').waitFor();
  expect(await findings(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('k');
  await page.keyboard.press('k');
  for (let down = 0; down < 3; down += 1) await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.waitForURL(setting.address(`/review/${late}`));
  expect(faults).toEqual([]);
  await close();
});

test('decided requests stay, with their signed records', async () => {
  const { demo } = setting.instance;
  const id = await create('To be approved');
  await decide(setting.ravi, id, 'approve', { tone: 'right' });
  const gone = await create('To be withdrawn');
  await setting.producer.post(`/v2/requests/${gone}/cancel`, {});
  const { page, faults, close } = await setting.ruth('/inbox');
  await page.getByRole('link', { name: 'Decided' }).click();
  await page.getByRole('link', { name: 'To be approved' }).waitFor();
  await page.getByRole('link', { name: 'To be withdrawn' }).waitFor();
  const refused = await file(setting.producer, paymentRun(demo, { summary: 'To be refused' }));
  await decide(setting.ravi, refused, 'refuse', { reason: 'Two lines are wrong.' });
  const row = page.locator('.request', { hasText: 'To be refused' });
  await row.getByText('Refused', { exact: true }).waitFor();
  await row.getByText('by reviewer-2').waitFor();
  await page
    .locator('.request', { hasText: 'To be approved' })
    .getByText('Approved', { exact: true })
    .waitFor();
  await page.getByLabel('Decided by').selectOption('me');
  await page.getByRole('heading', { name: 'Nothing matches' }).waitFor();
  await page.getByLabel('Decided by').selectOption('others');
  await page.getByLabel('State').selectOption('refuse');
  expect(await page.locator('.request-link').allInnerTexts()).toEqual(['To be refused']);
  expect(await findings(page)).toEqual([]);
  await page.getByLabel('Decided by').selectOption('');
  await page.getByLabel('State').selectOption('approve');
  expect(await page.locator('.request-link').allInnerTexts()).toEqual(['To be approved']);
  expect(await findings(page)).toEqual([]);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: /Save record/ }).click(),
  ]);
  expect(download.suggestedFilename()).toBe(`receipt-${id}.json`);
  expect(page.url()).toBe(`${demo.origin}/inbox#decided`);
  expect(faults).toEqual([]);
  await close();
});

test('the current reviewer is visible to all reviewers, and a press takes the review', async () => {
  const other = await create('Ravi is at this one');
  await setting.ravi.post(`/v2/requests/${other}/assignment`, {});
  const mine = await create('Ruth takes this one');
  const { page, faults, close } = await setting.ruth(`/review/${mine}`);
  await page.getByRole('button', { name: 'Take this review' }).click();
  await page.getByText('You have taken this review').waitFor();
  await page.goto(setting.address('/inbox#mine'));
  await page.getByText('You are reviewing').waitFor();
  expect(await page.locator('.request-link').allInnerTexts()).toEqual(['Ruth takes this one']);
  await page.keyboard.press('2');
  await page.getByText('reviewer-2 is reviewing').waitFor();
  await page.goto(setting.address(`/review/${other}`));
  await page.getByRole('button', { name: 'Take this review' }).click();
  await page.getByText('Another reviewer is working on it').waitFor();
  expect(faults).toEqual([]);
  await close();
});

test('loading, a refusal, silence and a broken connection each have their own message', async () => {
  const { page, context, close } = await setting.ruth(null);
  let answer: 'wait' | 'refuse' | 'silence' | 'through' = 'wait';
  let go = () => {};
  const waiting = new Promise<void>((resume) => (go = resume));
  await page.route('**/v2/requests?*', async (route) => {
    if (answer === 'wait') await waiting;
    if (answer === 'silence') return route.abort('connectionreset');
    if (answer !== 'refuse') return route.continue();
    return route.fulfill({
      status: 429,
      contentType: 'application/problem+json',
      headers: { 'retry-after': '60' },
      body: JSON.stringify({
        type: setting.address('/errors/rate_limited'),
        title: 'Too many calls',
        status: 429,
        detail: '<b>Wait</b> a little.',
        error: 'rate_limited',
        instance: 'abc',
      }),
    });
  });
  await page.goto(setting.address('/inbox'));
  await page.getByText('Loading your requests').waitFor();
  expect(await findings(page)).toEqual([]);
  answer = 'refuse';
  go();
  await page.goto(setting.address('/inbox'));
  await page.getByText('Too many calls').waitFor();
  // Words of a problem are words.
  await page.getByText('<b>Wait</b> a little.').waitFor();
  await page.getByText('Try again in 60 seconds').waitFor();
  expect(await findings(page)).toEqual([]);
  answer = 'silence';
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('The service did not answer').waitFor();
  expect(await findings(page)).toEqual([]);
  answer = 'through';
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.locator('.request').first().waitFor();
  await context.setOffline(true);
  await page.getByText('You are offline').waitFor();
  expect(await page.locator('.request').count()).toBeGreaterThan(0);
  await context.setOffline(false);
  await page.getByText('You are offline').waitFor({ state: 'detached' });
  await close();
});
