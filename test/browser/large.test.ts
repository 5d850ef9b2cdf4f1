import { readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { newRoute } from '../support/own-route.js';
import { until } from '../support/requests.js';
import { findings } from './support/accessibility.js';
import { file, pressText } from './support/seed.js';
import type { Setting } from './support/setting.js';
import { setUp } from './support/setting.js';
import { workOf } from './support/work.js';

// The size and speed of pages, printed with their limits.

const FIRST_VIEW_BYTES = 100_000;
/** Of a review, with all that reading and answering need. */
const REVIEW_BYTES = 56_000;
/** The same with the reading view of a document in Markdown, whose parser comes while the exact text is read. */
const READING_BYTES = 68_000;
/** The same as browsers get it over TLS: compressed by Brotli. */
const READING_BYTES_SENT = 61_000;
const INTERACTION_MS = 100;
/** Answers of the service, which are as large as the request. */
const DATA = ['/v2/', '/auth/', '/inbox/history'];
/** The part below the view of a review, which comes by itself after three seconds (parts/Near.tsx). */
const BELOW = /^\/assets\/(?:Background|Timeline)-/;
const BELOW_AFTER_MS = 3_000;
/** A name in the parser of Markdown, and one in the view of what it found. */
const IN_PARSER = 'blockquoteStart';
const IN_VIEW = 'task-box';
const BUILT = resolve(__dirname, '../../packages/pages/dist');
const MiB = 1024 * 1024;

interface Weight {
  readonly gzip: number;
  readonly brotli: number;
}

/** Of a built file, as the gateway sends it. */
async function builtWeight(pathname: string): Promise<Weight> {
  const sizeOf = async (ending: string) => (await stat(join(BUILT, pathname + ending))).size;
  return { gzip: await sizeOf('.gz'), brotli: await sizeOf('.br') };
}

const inKb = (bytes: number) => (bytes / 1000).toFixed(1);

let setting: Setting;

beforeAll(async () => {
  setting = await setUp();
});
afterAll(() => setting?.stop());

test('a first view is below 100 kB, with the headers of the protocol', async () => {
  const { demo } = setting.instance;
  const review_document = 'Line one of a plain text.\n'.repeat(40);
  const plain = await file(setting.producer, pressText(demo, { review_document }));
  const laidOut = await file(
    setting.producer,
    pressText(demo, { review_document: `# A plan\n\n${'- [x] A point of a list.\n'.repeat(40)}` }),
  );
  const views = [
    ['/inbox', FIRST_VIEW_BYTES, (page: Page) => page.getByText('May this press').first()],
    [`/review/${plain}`, REVIEW_BYTES, (page: Page) => page.getByRole('tree')],
    // What comes last: the payload above, and the reading view here, which has a worker.
    [`/review/${laidOut}`, READING_BYTES, (page: Page) => page.locator('.reading')],
  ] as const;
  const figures: string[] = [];
  for (const [path, limit, shown] of views) {
    const { page, context, faults, close } = await setting.ruth(null);
    const weighed: Promise<Weight>[] = [];
    const begun = Date.now();
    context.on('response', (response) => {
      const { pathname } = new URL(response.url());
      if (DATA.some((start) => pathname.startsWith(start))) return;
      // On a busy machine the view may take that long.
      if (BELOW.test(pathname) && Date.now() - begun > BELOW_AFTER_MS) return;
      // The script of a worker that has ended can no longer be read from the browser.
      weighed.push(
        pathname.startsWith('/assets/')
          ? builtWeight(pathname)
          : response.body().then((body) => ({
              gzip: gzipSync(body).length,
              brotli: brotliCompressSync(body).length,
            })),
      );
    });
    const document = await page.goto(setting.address(path));
    await shown(page).waitFor();
    const weights = await Promise.all(weighed);
    const bytes = weights.reduce((sum, { gzip }) => sum + gzip, 0);
    const sent = weights.reduce((sum, { brotli }) => sum + brotli, 0);
    const name = path.replace(plain, '{plain text}').replace(laidOut, '{Markdown}');
    figures.push(`${name} ${inKb(bytes)} of ${limit / 1000} kB (Brotli ${inKb(sent)})`);
    expect(bytes).toBeLessThan(limit);
    if (path.endsWith(laidOut)) expect(sent).toBeLessThan(READING_BYTES_SENT);
    expect(bytes).toBeGreaterThan(10_000);
    expect(document?.headers()).toMatchObject({
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; " +
        "frame-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
      'cache-control': 'no-store',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-embedder-policy': 'require-corp',
      'cross-origin-resource-policy': 'same-origin',
      'permissions-policy':
        'camera=(), microphone=(), geolocation=(), payment=(), usb=(), clipboard-read=(), clipboard-write=()',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    });
    const html = (await document?.text()) ?? '';
    expect(html).not.toMatch(/<script(?![^>]* src=)|<style|\sstyle=|\son[a-z]+=/);
    expect(faults).toEqual([]);
    await close();
  }
  print(`first view, gzipped: ${figures.join(', ')}`);
});

test('a page answers within 100 ms while it holds a payload and a document of 10 MiB', async () => {
  const { demo, producer } = await newRoute(setting.instance.demo, setting.operator, [
    'reviewer-1',
  ]);
  // 450,000 values: a body may hold 500,000 (protocol R35).
  const rows = Array.from({ length: 50_000 }, (_none, at) => ({
    id: `row-${at}`,
    name: `Somebody number ${at} of a very long list of people who wait`,
    amount: at / 4,
    tags: ['a', 'b', `c${at % 97}`],
    note: at % 50 === 0 ? 'first line\nsecond line of a note' : null,
  }));
  while (JSON.stringify(rows).length > 10 * MiB - 20_000) rows.splice(-500);
  const line = 'A line of the document that goes on and on until it has to be wrapped somewhere. ';
  const document = `${line.repeat(3)}\n`.repeat(
    Math.floor((10 * MiB - 200) / (line.length * 3 + 1)),
  );
  const id = await file(
    producer,
    pressText(demo, {
      payload: { rows },
      review_document: `${document}The end.`,
      review_seconds: 900,
    }),
  );
  const { page, faults, close } = await setting.ruth(null);
  await page.addInitScript(measure);
  await page.goto(setting.address(`/review/${id}`));
  await page.getByRole('heading', { name: 'Your decision' }).waitFor();
  const table = page.getByRole('table', { name: 'rows as a table' });
  await table.getByRole('row').nth(5).waitFor();
  const loading = await longest(page);

  const steps: [string, () => Promise<void>][] = [
    ['sort the table', () => table.getByRole('button', { name: 'amount' }).click()],
    ['search the table', () => search(page, 'Search the table', 'number 34567 of', '1 row')],
    ['all data', () => page.getByRole('button', { name: 'All data' }).click()],
    ['open a list', () => page.getByRole('treeitem', { name: /rows/ }).click()],
    ['open a group', () => page.getByRole('treeitem', { name: /^▸?\s*0 … 499/ }).click()],
    ['type', () => page.getByLabel('Comment for the author').press('S')],
    ['go to the end', () => press(page, 'payload', 'End')],
    ['search the payload', () => search(page, 'Search the payload', 'number 34567 of')],
    ['search the document', () => search(page, 'Search the document', 'the end.')],
    ['scroll the document', () => scroll(page)],
    ['choose', () => page.getByRole('radio', { name: 'Approve' }).check()],
  ];
  const worked = await workOf(page);
  const figures: string[] = [`loading: longest task ${loading.task} ms`];
  const taken: { lasted: number; work: number }[] = [];
  for (const [name, act] of steps) {
    await longest(page);
    const before = await worked();
    await act();
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
    const { task, event } = await longest(page);
    const [lasted, work] = [Math.max(event, task), Math.round((await worked()) - before)];
    taken.push({ lasted, work });
    figures.push(`${name} ${lasted} ms (in all ${work} ms of work)`);
  }
  await page.getByText('number 34567 of').waitFor();
  print(`with 10 MiB payload and document, below ${INTERACTION_MS} ms: ${figures.join(', ')}`);
  // Where others had the processor meanwhile it lasts longer, and the page has not worked for longer.
  const slow = taken.filter(({ lasted, work }) => Math.min(lasted, work) >= INTERACTION_MS);
  expect(slow).toEqual([]);
  expect(Math.max(...taken.map(({ lasted }) => lasted))).toBeLessThan(10 * INTERACTION_MS);
  // The measurement itself notices a long task.
  const before = await worked();
  await until(
    async () => {
      await page.evaluate(() => {
        setTimeout(() => {
          for (const end = performance.now() + 150; performance.now() < end;);
        });
      });
      return { ...(await longest(page)), work: (await worked()) - before };
    },
    ({ task, work }) => task >= 150 && work >= INTERACTION_MS,
  );
  await page.getByText('The end.').waitFor();
  expect(await page.locator('.tree-row').count()).toBeLessThan(100);
  expect(await page.locator('.text-row').count()).toBeLessThan(120);
  expect(await findings(page)).toEqual([]);
  expect(faults).toEqual([]);
  await close();
});

test('a document in Markdown is read and answered before its parser has come', async () => {
  const id = await file(setting.producer, pressText(setting.instance.demo));
  const { page, context, faults, close } = await setting.ruth(null);
  let bytes = 0;
  const parser = gate();
  const view = gate();
  await context.route('**/assets/**', async (route) => {
    const { pathname } = new URL(route.request().url());
    const text = await readFile(join(BUILT, pathname));
    if (text.includes(IN_PARSER)) await parser.held();
    else if (pathname.endsWith('.js') && text.includes(IN_VIEW)) await view.held();
    else {
      bytes += gzipSync(text).length;
    }
    await route.continue();
  });
  await page.clock.install();
  const document = await page.goto(setting.address(`/review/${id}`));
  bytes += gzipSync((await document?.text()) ?? '').length;
  await page.locator('.document-line', { hasText: 'travel by train' }).waitFor();
  await page.getByRole('treeitem').first().waitFor();
  await page.getByRole('radio', { name: 'Approve' }).check();
  await parser.reached;
  print(`a review in Markdown, until it is read and answered: ${(bytes / 1000).toFixed(1)} kB`);
  expect(bytes).toBeLessThan(REVIEW_BYTES);
  expect(bytes).toBeGreaterThan(10_000);
  expect(await page.locator('.reading').count()).toBe(0);
  // However late: a slow network is no slow parser.
  await page.clock.fastForward(60_000);
  parser.release();
  await view.reached;
  expect(await page.locator('.document-line:visible', { hasText: 'travel by train' }).count()).toBe(
    1,
  );
  view.release();
  await page.locator('.reading').waitFor();
  expect(await page.getByRole('radio', { name: 'Approve' }).isChecked()).toBe(true);
  expect(faults).toEqual([]);
  await close();
});

/** Holds one load until it is released. */
function gate() {
  let reach = () => {};
  let release = () => {};
  const reached = new Promise<void>((resolve) => (reach = resolve));
  const released = new Promise<void>((resolve) => (release = resolve));
  const held = () => {
    reach();
    return released;
  };
  return { reached, release: () => release(), held };
}

/** Past jest, which would print where it was called from as well. */
function print(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Runs in the page: keeps the longest task and the longest time from an act to its painting. */
function measure(): void {
  const seen = { task: 0, event: 0 };
  Object.assign(globalThis, { seen });
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) seen.task = Math.max(seen.task, duration);
  }).observe({ type: 'longtask', buffered: true });
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) seen.event = Math.max(seen.event, duration);
  }).observe({ type: 'event', durationThreshold: 16, buffered: true } as PerformanceObserverInit);
}

/** The longest since the last question, whole milliseconds. */
async function longest(page: Page): Promise<{ task: number; event: number }> {
  return page.evaluate(() => {
    const { seen } = globalThis as unknown as { seen: { task: number; event: number } };
    const found = { task: Math.round(seen.task), event: Math.round(seen.event) };
    Object.assign(seen, { task: 0, event: 0 });
    return found;
  });
}

async function press(page: Page, tree: string, key: string): Promise<void> {
  await page.getByRole('tree', { name: tree }).focus();
  await page.keyboard.press(key);
}

async function search(page: Page, label: string, text: string, found = '1 of 1'): Promise<void> {
  const field = page.getByRole('searchbox', { name: label });
  await field.fill(text);
  await page.locator('.search', { has: field }).getByText(found, { exact: true }).waitFor();
}

async function scroll(page: Page): Promise<void> {
  await page.getByRole('region', { name: 'Text of the document' }).hover();
  for (let turns = 0; turns < 10; turns += 1) await page.mouse.wheel(0, 700);
}
