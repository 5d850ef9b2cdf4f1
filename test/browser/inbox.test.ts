import { isDeepStrictEqual } from 'node:util';
import { decide, until } from '../support/requests.js';
import { findings } from './support/accessibility.js';
import { PHONE } from './support/browser.js';
import { picture } from './support/pictures.js';
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
  const shows = (...expected: string[]) =>
    until(titles, (found) => isDeepStrictEqual(found, expected));
  await page.getByText('· review').first().waitFor();
  expect(await titles()).toEqual([
    'The soonest of all',
    'Comes by itself',
    'Pay somebody',
    'The latest of all',
  ]);
  const soonest = page.locator('.request').first().getByRole('time');
  expect(await soonest.textContent()).toMatch(/^[1-4] min[1-4] minutes? left$/);
  expect(await soonest.getAttribute('title')).toMatch(/^Decide until .*\d\d:\d\d/);
  expect(await page.locator('.request-head').allInnerTexts()).toEqual([
    'Under 15 minutes3',
    'Within a day1',
  ]);
  expect(await page.title()).toBe('(4) Inbox · Countersign');
  const icon = await page.locator('link[rel="icon"]').getAttribute('href');
  expect(icon).toContain('waiting');
  const drawn = await page.request.get(setting.address(icon ?? ''));
  expect([drawn.status(), drawn.headers()['content-type']]).toEqual([200, 'image/svg+xml']);
  expect(await findings(page)).toEqual([]);

  await page.getByLabel('Search').fill('OF all');
  await shows('The soonest of all', 'The latest of all');
  expect(page.url()).toBe(setting.address('/inbox#waiting?q=OF+all'));
  await page.getByLabel('Search').fill('nowhere');
  await page.getByRole('heading', { name: 'Nothing matches' }).waitFor();
  expect(await findings(page)).toEqual([]);
  await page.getByRole('button', { name: 'Clear search and filters' }).click();
  await page.getByLabel('Route').selectOption({ label: 'execution (1)' });
  await shows('Pay somebody');
  // Order and filters are in the address.
  await page.reload();
  await shows('Pay somebody');
  await page.getByLabel('Route').selectOption('');
  await page.getByLabel('Producer').selectOption('producer-1');
  await until(titles, ({ length }) => length === 4);
  await page.getByLabel('Sort by').selectOption('newest');
  await page.getByLabel('Group by').selectOption('route');
  await shows('Pay somebody', 'The soonest of all', 'The latest of all', 'Comes by itself');
  await page.goto(setting.address('/inbox#waiting'));
  await page.reload();
  await shows('The soonest of all', 'Comes by itself', 'Pay somebody', 'The latest of all');

  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').waitFor();
  expect(await findings(page)).toEqual([]);
  await page.keyboard.type('sort oldest');
  await page.keyboard.press('Enter');
  // The bands stay.
  await shows('Comes by itself', 'The soonest of all', 'Pay somebody', 'The latest of all');
  for (let turn = 0; turn < 3; turn += 1) await page.keyboard.press('s');
  await shows('The soonest of all', 'Comes by itself', 'Pay somebody', 'The latest of all');
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
  await page.getByText('4 of 4').waitFor();
  expect(await page.title()).toBe('The latest of all · Countersign');
  // Back where the reader was, and on to the neighbour.
  await page.keyboard.press('u');
  await page.locator(`[data-id="${late}"] a:focus`).waitFor();
  await page.keyboard.press('Enter');
  await page.getByText('4 of 4').waitFor();
  await page.keyboard.press('k');
  await page.getByText('3 of 4').waitFor();
  await page.getByRole('heading', { name: 'Pay somebody', level: 1 }).waitFor();
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
  await page.getByRole('link', { name: 'Ended' }).click();
  await page.getByRole('link', { name: 'To be withdrawn' }).waitFor();
  await page.locator('.request', { hasText: 'To be withdrawn' }).getByText('Cancelled').waitFor();
  expect(await findings(page)).toEqual([]);
  await page.keyboard.press('3');
  const refused = await file(setting.producer, paymentRun(demo, { summary: 'To be refused' }));
  await decide(setting.ravi, refused, 'refuse', { reason: 'Two lines are wrong.' });
  const only = (title: string) =>
    until(
      () => page.locator('.request-link').allInnerTexts(),
      (titles) => isDeepStrictEqual(titles, [title]),
    );
  const row = page.locator('.request', { hasText: 'To be refused' });
  await row.getByText('Refused', { exact: true }).waitFor();
  await row.getByText('Ravi Reviewer').waitFor();
  await page
    .locator('.request', { hasText: 'To be approved' })
    .getByText('Approved', { exact: true })
    .waitFor();
  await page.getByLabel('Decided by').selectOption('me');
  await page.getByRole('heading', { name: 'Nothing matches' }).waitFor();
  await page.getByLabel('Decided by').selectOption('others');
  await page.getByLabel('Decision').selectOption('refuse');
  await only('To be refused');
  expect(await findings(page)).toEqual([]);
  await page.getByLabel('Decided by').selectOption('');
  await page.getByLabel('Decision').selectOption('approve');
  await only('To be approved');
  expect(await findings(page)).toEqual([]);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: /Save record/ }).click(),
  ]);
  expect(download.suggestedFilename()).toBe(`receipt-${id}.json`);
  expect(page.url()).toBe(`${demo.origin}/inbox#decided?decision=approve`);
  expect(faults).toEqual([]);
  await close();
});

test('the current reviewer is visible to all reviewers, and a press takes the review', async () => {
  const other = await create('Ravi is at this one');
  await setting.ravi.post(`/v2/requests/${other}/assignment`, {});
  const mine = await create('Ruth takes this one');
  const { page, faults, close } = await setting.ruth(`/review/${mine}`);
  await page.getByRole('button', { name: 'Assign to me' }).click();
  await page.getByText('Assigned to you').waitFor();
  await page.goto(setting.address('/inbox#mine'));
  await page.getByText('You are reviewing').waitFor();
  expect(await page.locator('.request-link').allInnerTexts()).toEqual(['Ruth takes this one']);
  await page.keyboard.press('2');
  await page.getByText('Ravi Reviewer is reviewing').waitFor();
  await page.goto(setting.address(`/review/${other}`));
  await page.getByRole('button', { name: 'Assign to me' }).click();
  await page.getByText('Another reviewer is reviewing it').waitFor();
  expect(faults).toEqual([]);
  await close();
});

test('many reviews are taken at once, but for those of others', async () => {
  const theirs = await create('Many: taken by Ravi', { review_seconds: 500 });
  await create('Many: first', { review_seconds: 400 });
  await create('Many: second', { review_seconds: 450 });
  await setting.ravi.post(`/v2/requests/${theirs}/assignment`, {});
  const { page, faults, close } = await setting.ruth('/inbox#waiting?q=many');
  await page.getByRole('link', { name: 'Many: taken by Ravi' }).waitFor();
  for (let row = 0; row < 3; row += 1) {
    await page.keyboard.press('j');
    await page.keyboard.press('x');
  }
  await page.getByText('3 selected').waitFor();
  expect(await findings(page)).toEqual([]);
  await page.keyboard.press('t');
  await page.getByText('2 assigned to you; 1 already with others or over.').waitFor();
  await until(
    () => page.getByText('You are reviewing').count(),
    (count) => count === 2,
  );
  expect(faults).toEqual([]);
  await close();
});

test('a few requests are refused with one reason, each signed by itself', async () => {
  const { demo } = setting.instance;
  const pay = await file(setting.producer, paymentRun(demo, { summary: 'Twenty: first payment' }));
  const other = await file(
    setting.producer,
    paymentRun(demo, { summary: 'Twenty: second payment' }),
  );
  const asks = await create('Twenty: asks for a choice');
  const { page, faults, close } = await setting.ruth('/inbox#waiting?q=twenty');
  await page.getByRole('link', { name: 'Twenty: first payment' }).waitFor();
  for (let row = 0; row < 3; row += 1) {
    await page.keyboard.press('j');
    await page.keyboard.press('x');
  }
  await page.keyboard.press('r');
  await page.getByRole('heading', { name: 'Refuse 3 requests' }).waitFor();
  expect(await findings(page)).toEqual([]);
  await page.getByLabel('Reason for all of them').fill('The budget is spent.');
  await page.getByRole('button', { name: 'Review 3 refusals …' }).click();
  await page.getByText('2 requests can be refused. 1 request cannot be refused here.').waitFor();
  await page.getByText('It asks for more than a reason').waitFor();
  expect(await findings(page)).toEqual([]);
  await picture(page, 'inbox-refuse-many');
  // Nothing is signed before the press, and no key of the list presses.
  const states = async () =>
    Promise.all(
      [pay, other, asks].map(
        async (id) => (await setting.producer.get(`/v2/requests/${id}`)).body.decision_state,
      ),
    );
  expect(await states()).toEqual(['pending', 'pending', 'pending']);
  expect(await page.getByRole('button', { name: /Refuse and sign/ }).isDisabled()).toBe(true);
  await page.getByRole('checkbox', { name: /I have read this list/ }).check();
  await page.getByRole('button', { name: 'Refuse and sign 2 requests' }).click();
  await page.getByText('2 requests refused.', { exact: true }).waitFor();
  expect(await findings(page)).toEqual([]);
  expect(await states()).toEqual(['confirmed', 'confirmed', 'pending']);
  const { body } = await setting.producer.get(`/v2/requests/${pay}/export`);
  expect(body.material.candidate.response).toEqual({ reason: 'The budget is spent.' });
  await page.getByRole('button', { name: 'Close', exact: true }).last().click();
  await page.getByRole('link', { name: 'Twenty: first payment' }).waitFor({ state: 'detached' });
  expect(faults).toEqual([]);
  await close();
});

test('a view is saved under a name, without the words of a search', async () => {
  const { page, faults, close } = await setting.ruth('/inbox#waiting?q=secret&route=execution');
  await page.locator('.views summary').click();
  await page.getByRole('textbox', { name: 'Name of this view' }).fill('Executions');
  await page.getByRole('button', { name: 'Save this view' }).click();
  await page.getByRole('link', { name: 'Executions' }).waitFor();
  expect(await findings(page)).toEqual([]);
  await page.goto(setting.address('/inbox'));
  await page.reload();
  // Keys that come before the page listens to them are lost.
  await until(
    async () => {
      await page.keyboard.press('Control+k');
      return page.locator('[role="combobox"]:focus').isVisible();
    },
    (ready) => ready,
  );
  await page.keyboard.type('view exec');
  await page.keyboard.press('Enter');
  await page.waitForURL(setting.address('/inbox#waiting?route=execution'));
  expect(faults).toEqual([]);
  await close();
});

test('loading, a refusal, silence and a broken connection each have their own message', async () => {
  const { page, context, close } = await setting.ruth(null);
  let answer: 'wait' | 'refuse' | 'silence' | 'through' = 'wait';
  let go = () => {};
  const waiting = new Promise<void>((resume) => (go = resume));
  await page.route('**/inbox/data?*', async (route) => {
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
  // One notice, also when a call has failed for it.
  const failed = page.waitForEvent('requestfailed');
  await page.getByLabel('Sort by').selectOption('newest');
  await failed;
  expect(await findings(page)).toEqual([]);
  expect(await page.locator('.notice').count()).toBe(1);
  await context.setOffline(false);
  await page.getByText('You are offline').waitFor({ state: 'detached' });
  await close();
});

test('a phone shows whole summaries, below one line for brand and person', async () => {
  const summary = 'Pay four suppliers, 6,650.25 EUR in all';
  await file(setting.producer, paymentRun(setting.instance.demo, { summary }));
  const { page, close } = await setting.ruth('/inbox', { viewport: PHONE });
  const link = page.getByRole('link', { name: summary }).first();
  await link.waitFor();
  const cut = await link.evaluate(
    (each) => each.scrollWidth > each.clientWidth || each.scrollHeight > each.clientHeight,
  );
  expect(cut).toBe(false);
  const [brand, who] = await Promise.all(
    ['.brand', '.who summary'].map((part) => page.locator(part).boundingBox()),
  );
  expect(Math.abs(brand!.y - who!.y)).toBeLessThan(brand!.height / 2);
  expect(
    await page.locator('.who summary').evaluate((each) => each.scrollWidth - each.clientWidth),
  ).toBe(0);
  await close();
});
