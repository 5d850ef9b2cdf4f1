import { inParallel } from '../support/parallel.js';
import { file, paymentRun } from './support/seed.js';
import type { Setting } from './support/setting.js';
import { setUp } from './support/setting.js';

// A day of a reviewer: two hundred requests wait, and ten of them are decided without a pointer. The figures are printed as
// the sizes of the pages are.

const PENDING = 200;
const REFUSED = 5;
const AUTHORISED = 5;

let setting: Setting;

beforeAll(async () => {
  setting = await setUp();
  const { demo } = setting.instance;
  await inParallel(
    Array.from({ length: PENDING }, (_, place) => place),
    8,
    async (place) => {
      const summary = `Payment run ${place}`;
      await file(setting.producer, paymentRun(demo, { summary, review_seconds: 3_600 + place }));
    },
  );
});
afterAll(() => setting?.stop());

test('a reviewer with 200 pending decides ten by keyboard', async () => {
  const { page, faults, close } = await setting.ruth(null, {
    viewport: { width: 1440, height: 900 },
  });
  let keys = 0;
  let clicks = 0;
  let calls = 0;
  let heldCalls = 0;
  // All that the pages and their workers ask the service, beside their own files. On a busy machine a decision may last until a
  // call is held.
  page.on('request', (request) => {
    const held = 'prefer' in request.headers();
    if (request.resourceType() !== 'fetch') return;
    if (held) heldCalls += 1;
    else calls += 1;
  });
  await page.exposeFunction('noteClick', () => (clicks += 1));
  await page.addInitScript(() => {
    const { noteClick } = globalThis as unknown as { noteClick: () => void };
    addEventListener('pointerdown', () => noteClick(), true);
  });
  const press = async (key: string, times = 1) => {
    for (let time = 0; time < times; time += 1) await page.keyboard.press(key);
    keys += times;
  };

  const begun = performance.now();
  await page.goto(setting.address('/inbox'));
  await page.locator('.request').first().waitFor();
  const listed = Math.round(performance.now() - begun);
  const inView = await page.evaluate(
    () =>
      [...document.querySelectorAll('.request')].filter(
        (row) => row.getBoundingClientRect().bottom <= innerHeight,
      ).length,
  );
  const elements = await page.evaluate(() => document.querySelectorAll('*').length);
  const callsForList = calls;
  await press('j');
  await press('Enter');

  const figures: { what: string; keys: number; calls: number; ms: number }[] = [];
  for (let place = 0; place < REFUSED + AUTHORISED; place += 1) {
    const before = { keys, calls, at: performance.now() };
    const what = place < REFUSED ? 'refusal' : 'authorisation';
    await page.getByRole('button', { name: 'Review and sign …' }).waitFor();
    // To the decision, where to refuse is chosen beforehand; the reason is typed, which counts as no key.
    await press('d');
    if (what === 'authorisation') await press('ArrowDown');
    await press('Tab');
    await page.keyboard.type('The lines agree with the invoices.');
    await press('Control+Enter');
    await page.getByRole('heading', { name: 'Read the exact text to be signed' }).waitFor();
    await press('d');
    await press('Space');
    await press('Tab');
    await press('Enter');
    await page.getByRole('heading', { name: 'Receipt' }).waitFor();
    figures.push({
      what,
      keys: keys - before.keys,
      calls: calls - before.calls,
      ms: Math.round(performance.now() - before.at),
    });
    const now = page.url();
    await press('n');
    await page.waitForURL((url) => url.href !== now);
  }
  const most = (what: string, of: 'keys' | 'calls' | 'ms') =>
    Math.max(...figures.filter((each) => each.what === what).map((each) => each[of]));
  process.stdout.write(
    `keyboard: list of ${PENDING} in ${listed} ms, ${callsForList} call(s), ${inView} rows in view, ${elements} elements\n` +
      ['refusal', 'authorisation']
        .map(
          (what) =>
            `keyboard: each ${what} at most ${most(what, 'keys')} keys, ${most(what, 'calls')} calls, ${most(what, 'ms')} ms\n`,
        )
        .join('') +
      `keyboard: ten decisions, ${keys} keys, ${clicks} clicks, ${calls} calls and ${heldCalls} held ones, ${Math.round((performance.now() - begun) / 1000)} s\n`,
  );
  expect(callsForList).toBe(1);
  expect(inView).toBeGreaterThanOrEqual(16);
  expect(clicks).toBe(0);
  expect(Math.max(...figures.map((each) => each.calls))).toBeLessThanOrEqual(4);
  // With the key that leads on to the next one.
  expect(most('refusal', 'keys') + 1).toBeLessThanOrEqual(8);
  expect(most('authorisation', 'keys') + 1).toBeLessThanOrEqual(12);
  expect(faults).toEqual([]);
  await page.goto(setting.address('/inbox'));
  await page.getByText(`${PENDING - REFUSED - AUTHORISED} requests`).waitFor();
  await close();
});

test('the inbox of 200 comes in few bytes and steps over a slow network', async () => {
  const { page, close } = await setting.ruth(null, { viewport: { width: 1440, height: 900 } });
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 150,
    downloadThroughput: 1_600_000 / 8,
    uploadThroughput: 750_000 / 8,
  });
  let bytes = 0;
  session.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
  const begun = performance.now();
  await page.goto(setting.address('/inbox'), { waitUntil: 'commit' });
  await page.locator('.request').first().waitFor();
  const row = Math.round(performance.now() - begun);
  const before = bytes;
  await page.getByLabel('Sort by').selectOption('newest');
  await page.waitForURL(/sort=newest/);
  const usable = Math.round(performance.now() - begun);
  /** The longest chain of loads of which each began after the one before had ended. */
  const steps = await page.evaluate(() => {
    const loads = [
      ...performance.getEntriesByType('navigation'),
      ...performance.getEntriesByType('resource'),
    ] as PerformanceResourceTiming[];
    const firstRow = loads.filter(({ name }) => name.includes('/inbox/data'))[0]?.responseEnd ?? 0;
    let chain = 0;
    for (let end = -1; end < firstRow; chain += 1) {
      const next = loads.filter(({ startTime }) => startTime >= end);
      end = Math.min(...next.map(({ responseEnd }) => responseEnd));
    }
    return chain;
  });
  process.stdout.write(
    `slow network (150 ms, 1.6 Mbit/s): first row of ${PENDING} after ${row} ms, usable after ${usable} ms, ${before} bytes, ${steps} steps\n`,
  );
  expect(before).toBeLessThanOrEqual(150_000);
  expect(steps).toBeLessThanOrEqual(4);
  await close();
});

test.each([
  ['desktop', 1440, 900, 20],
  ['tablet', 820, 1180, 8],
  ['phone', 390, 844, 8],
] as const)(
  'the document comes first on a %s, with the decision at hand',
  async (_, width, height, lines) => {
    const { demo } = setting.instance;
    const review_document = Array.from({ length: 60 }, (_line, at) => `Line ${at}`).join('\n');
    const id = await file(setting.producer, paymentRun(demo, { review_document }));
    const { page, close } = await setting.ruth(`/review/${id}`, { viewport: { width, height } });
    await page.getByText('matches').nth(1).waitFor();
    const inView = (selector: string) =>
      page.evaluate(
        (of) =>
          [...document.querySelectorAll(of)].filter((each) => {
            const { top, bottom } = each.getBoundingClientRect();
            return bottom > top && top >= 0 && bottom <= innerHeight;
          }).length,
        selector,
      );
    const first = await inView('.document-line');
    process.stdout.write(`document lines in view at ${width}x${height}: ${first}\n`);
    expect(first).toBeGreaterThanOrEqual(lines);
    expect(await inView('.decide .decision-option, .to-decision')).toBeGreaterThan(0);
    if (width > 1000) {
      // Reading on does not take it away.
      await page.mouse.move(300, 600);
      await page.mouse.wheel(0, 900);
      await page.waitForFunction(() => scrollY > 500);
      expect(await inView('.decide .decision-option')).toBeGreaterThan(0);
    }
    await close();
  },
);

test('no key of the page confirms', async () => {
  const { page, close } = await setting.ruth('/inbox');
  await page.locator('.request').first().waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Review and sign …' }).waitFor();
  await page.getByLabel('Reason').fill('Not yet.');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('heading', { name: 'Read the exact text to be signed' }).waitFor();
  await page.getByRole('checkbox', { name: /I have read/ }).check();
  await page.getByRole('heading', { name: 'Read the exact text to be signed' }).focus();
  const confirmed: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/confirm')) confirmed.push(request.url());
  });
  for (const key of [
    'Enter',
    'Control+Enter',
    'Meta+Enter',
    'y',
    'c',
    'a',
    'd',
    '?',
    'Escape',
    'x',
    't',
  ]) {
    await page.keyboard.press(key);
  }
  expect(confirmed).toEqual([]);
  expect(await page.getByRole('button', { name: 'Confirm and sign' }).count()).toBe(1);
  await close();
});
