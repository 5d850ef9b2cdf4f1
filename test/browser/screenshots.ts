// `npm run screenshots`: the pictures of docs/images, out of the real pages. Not a test of anything.
import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { personOf, producerOf } from '../support/client.js';
import type { Client } from '../support/client.js';
import { startInstance } from '../support/instance.js';
import type { Instance } from '../support/instance.js';
import { decide } from '../support/requests.js';
import { DESKTOP, PHONE, logIn, openContext, startBrowser } from './support/browser.js';
import { file, paymentRun, pressText } from './support/seed.js';

const FOLDER = resolve(__dirname, '../../docs/images');

let instance: Instance;
let browser: Browser;
let producer: Client;
let page: Page;
let payment: string;

async function picture(name: string, fullPage = false): Promise<void> {
  await page.screenshot({ path: join(FOLDER, `${name}.png`), fullPage, animations: 'disabled' });
}

beforeAll(async () => {
  mkdirSync(FOLDER, { recursive: true });
  [instance, browser] = await Promise.all([startInstance(), startBrowser()]);
  const { demo, dataDirectory } = instance;
  producer = producerOf(demo);
  const ravi = await personOf(demo, dataDirectory, 'reviewer-2');
  const create = (input: Record<string, unknown>) => file(producer, input);
  const decided = await create(pressText(demo, { summary: 'Publish the release notes of 4.2.0' }));
  await decide(ravi, decided, 'approve', { tone: 'right' });
  const refused = await create(paymentRun(demo, { summary: 'Refund order 4711 in full' }));
  await decide(ravi, refused, 'refuse', { reason: 'The order was delivered.' });
  const gone = await create(pressText(demo, { summary: 'Reply to a journalist’s question' }));
  await producer.post(`/v2/requests/${gone}/cancel`, {});
  await create(pressText(demo, { review_seconds: 86_400 }));
  await create(
    pressText(demo, { summary: 'Is this translation of the terms right?', review_seconds: 7_300 }),
  );
  await create(
    paymentRun(demo, {
      summary: 'Delete 3 unused storage buckets in production',
      review_seconds: 1_500,
    }),
  );
  const taken = await create(
    pressText(demo, { summary: 'Answer the complaint of a customer', review_seconds: 14_000 }),
  );
  await ravi.post(`/v2/requests/${taken}/assignment`, {});
  payment = await create(paymentRun(demo));
  ({ page } = await openContext(browser, { deviceScaleFactor: 1.5 }));
  await logIn(page, demo, 'Ruth Reviewer');
});

afterAll(async () => {
  await browser?.close();
  await instance?.stop();
});

const scheme = (colorScheme: 'light' | 'dark') => page.emulateMedia({ colorScheme });

test('the inbox', async () => {
  await page.getByText('producer-1 · execution').first().waitFor();
  await picture('inbox');
  await page.setViewportSize(PHONE);
  await scheme('dark');
  await picture('inbox-phone-dark');
  await page.setViewportSize(DESKTOP);
  await scheme('light');
  await page.getByRole('link', { name: 'Decided' }).click();
  await page.getByText('Refund order').waitFor();
  await picture('inbox-decided');
});

test('a review, from reading to the receipt', async () => {
  await page.goto(`${instance.demo.origin}/review/${payment}`);
  await page.getByText('matches').first().waitFor();
  // The end of the page comes last.
  await page.locator('.history-card').waitFor();
  await picture('review', true);
  await scheme('dark');
  await page.setViewportSize(PHONE);
  await page.evaluate(() => scrollTo(0, 0));
  await picture('review-phone-dark');
  await page.setViewportSize(DESKTOP);
  await scheme('light');
  await page.getByRole('radio', { name: 'Authorise the execution' }).check();
  await page.getByLabel('Reason').fill('Amounts and accounts agree with the invoices.');
  await page.getByRole('button', { name: 'Review and sign …' }).click();
  await page.getByRole('heading', { name: 'Read the exact text to be signed' }).waitFor();
  await picture('review-confirm');
  await page.getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Confirm and sign' }).click();
  await page.getByText('Authority open').waitFor();
  await picture('review-receipt');
});

test('a review through an app', async () => {
  const demoFile = join(instance.dataDirectory, 'demo.json');
  const { stdout } = await promisify(execFile)(process.execPath, [
    'examples/payment-batch/register.mjs',
    ...['--demo', demoFile],
  ]);
  await page.goto(/review +(\S+)/.exec(stdout)?.[1] as string);
  const app = page.frameLocator('.app-frame').frameLocator('iframe');
  await app.getByLabel('Exclude P-05, Ada Print Ltd').check();
  await app.getByLabel('Note on P-05, Ada Print Ltd').fill('Paid with P-01.');
  await app.getByRole('heading', { level: 1 }).scrollIntoViewIfNeeded();
  await page.evaluate(() => scrollTo(0, 0));
  await picture('review-app');
  await app.getByRole('button', { name: 'Propose to release' }).click();
  await page.getByRole('heading', { name: 'Read the exact text to be signed' }).waitFor();
  await picture('review-app-confirm');
  await page.getByRole('button', { name: 'Back to the answer' }).click();
  await page.setViewportSize(PHONE);
  await scheme('dark');
  await page.locator('.app-place').scrollIntoViewIfNeeded();
  await app.getByLabel('Note on P-03, Cobalt Hosting').scrollIntoViewIfNeeded();
  await app.getByLabel('Note on P-03, Cobalt Hosting').fill('Confirmed by phone.');
  await picture('review-app-phone-dark');
});
