import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser, FrameLocator, Page } from 'playwright-core';
import { valueDigest } from '@countersign/protocol';
import { Client, operatorOf, producerOf } from '../support/client.js';
import type { Instance } from '../support/instance.js';
import { startInstance } from '../support/instance.js';
import { reviewInput, until } from '../support/requests.js';
import { logIn, openContext, startBrowser } from './support/browser.js';
import { findings } from './support/accessibility.js';
import { appWith } from './support/hostile-app.js';

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

let instance: Instance;
let browser: Browser;

beforeAll(async () => {
  [instance, browser] = await Promise.all([startInstance(), startBrowser()]);
});

afterAll(async () => {
  await browser?.close();
  await instance?.stop();
});

async function openAsRuth(requestId: string) {
  const watched = await openContext(browser);
  await logIn(watched.page, instance.demo, 'Ruth Reviewer', `/review/${requestId}`);
  return watched;
}

const appOn = (page: Page): FrameLocator => page.frameLocator('.app-frame').frameLocator('iframe');

/** The findings of axe inside the app itself, in its current state. */
async function findingsInApp(page: Page): Promise<string[]> {
  const app = page
    .frames()
    .find((frame) => frame.parentFrame()?.parentFrame() === page.mainFrame());
  await app?.evaluate(AXE);
  const violations = (await app?.evaluate(
    '(() => axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes[0].html])))()',
  )) as string[][];
  return violations.map((each) => each.join(': '));
}

const panel = (page: Page) => page.locator('.panel');

async function confirm(page: Page): Promise<void> {
  await page.getByRole('checkbox', { name: /I have read/ }).check();
  await page.getByRole('button', { name: 'Confirm and sign' }).click();
}

test('a payment batch is reviewed in the example app, and signed on the page around it', async () => {
  // As the README of the example says.
  const demoFile = join(instance.dataDirectory, 'demo.json');
  const script = 'examples/payment-batch/register.mjs';
  const { stdout } = await promisify(execFile)(process.execPath, [script, '--demo', demoFile]);
  const id = /review\/([0-9a-f-]{36})/.exec(stdout)?.[1] as string;
  const bundle = /bundle +(\S+)\s+(\S+)/.exec(stdout) as RegExpExecArray;

  const { page, context, faults } = await openAsRuth(id);
  const app = appOn(page);
  await app.getByRole('heading', { name: 'Payments of Shop Front GmbH' }).waitFor();
  expect(await app.getByRole('row').count()).toBe(9);
  await page.locator('.app-place').scrollIntoViewIfNeeded();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect([colorScheme, await findingsInApp(page)]).toEqual([colorScheme, []]);
  }
  await page.emulateMedia({ colorScheme: null });

  // At full width it is the same app, and a frozen answer stands beside it again.
  const width = async () =>
    Math.round((await page.locator('.app-place').boundingBox())?.width ?? 0);
  const beside = await width();
  await app.getByLabel('Exclude P-01, Ada Print Ltd').check();
  await page.getByRole('button', { name: 'Full width' }).click();
  expect(await width()).toBeGreaterThan(beside * 1.4);
  expect(await app.getByLabel('Exclude P-01, Ada Print Ltd').isChecked()).toBe(true);
  await app.getByLabel('Exclude P-01, Ada Print Ltd').uncheck();

  // By keyboard: without a reason nothing can be proposed.
  await app.getByLabel('Exclude P-05, Ada Print Ltd').focus();
  await page.keyboard.press('Space');
  const release = app.getByRole('button', { name: 'Propose to release' });
  expect(await release.isDisabled()).toBe(true);
  await app.getByText('Say why P-05 is excluded.').waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.type('Paid with P-01.');
  await app.getByText('Released (7)').waitFor();
  await app.getByText('29\u202f177.34 EUR').waitFor();
  await release.click();

  await panel(page).waitFor();
  expect(await width()).toBe(beside);
  const { body: material } = await operatorOf(instance.demo).get(`/v2/requests/${id}/material`);
  const response = {
    released_total: '29177.34',
    excluded: ['P-05'],
    notes: [{ payment: 'P-05', note: 'Paid with P-01.' }],
  };
  expect(material.candidate.response).toEqual(response);
  // Also parts within parts are labelled fields.
  const answered = panel(page).locator('.answered');
  expect(await answered.locator('pre').count()).toBe(0);
  expect(await answered.innerText()).toContain('Paid with P-01.');
  expect(JSON.parse(await panel(page).locator('.frozen').innerText())).toEqual(response);
  for (const said of [
    valueDigest(material.candidate),
    `the app of ${instance.demo.publisher.id}`,
    bundle[1] as string,
    bundle[2] as string,
  ]) {
    expect(await panel(page).innerText()).toContain(said);
  }
  await confirm(page);
  await page.getByRole('heading', { name: 'Receipt' }).waitFor();
  const { body: status } = await producerOf(instance.demo).get(`/v2/requests/${id}`);
  expect(status.receipt.payload).toMatchObject({
    decision: 'authorise',
    reviewer: 'reviewer-1',
    candidate_digest: valueDigest(material.candidate),
  });
  // The proxy tries whether its policy holds, which the browser's console tells.
  expect(faults.filter((fault) => !fault.includes('/sandbox/'))).toEqual([]);
  await context.close();
});

/** Files a review that is shown by this app. */
async function fileWith(html: string): Promise<string> {
  const { demo } = instance;
  const publisher = new Client(demo.origin, { token: demo.publisher.token });
  const { body: bundle } = await publisher.post('/v2/bundles', {
    html,
    compatibility: { agent_ui: '2' },
    author: 'Test',
    licence: 'Apache-2.0',
  });
  const input = reviewInput(demo, { profiles: { 'proto.agent-ui': '2' }, bundle_id: bundle.id });
  const { status, body } = await producerOf(demo).post('/v2/requests', input);
  expect(status).toBe(201);
  return body.request.id;
}

const PROPOSING = appWith(`
  window.propose = (note) => connected.then((view) =>
    view.propose({ decision: 'approve', response: { note } }).then(() => 'frozen', ({ message }) => message));`);

test('after a dismissal an app gets one more proposal, when the reviewer says so', async () => {
  const { page, context } = await openAsRuth(await fileWith(PROPOSING));
  await appOn(page).getByRole('heading', { name: 'App' }).waitFor();
  const frame = await until(
    () => Promise.resolve(page.frames().find((each) => each.parentFrame()?.parentFrame())),
    (found) => found !== undefined,
  );
  const propose = (note: string) => frame?.evaluate(`propose(${JSON.stringify(note)})`);
  expect(await propose('first')).toBe('frozen');
  await panel(page).waitFor();
  expect(await propose('over it')).toContain('has not allowed another');
  expect(await panel(page).locator('.frozen').innerText()).toContain('first');
  await page.getByRole('button', { name: /back to the answer|dismiss/i }).click();
  expect(await propose('unasked')).toContain('has not allowed another');
  await page.getByRole('button', { name: 'Allow the app one more proposal' }).click();
  expect(await propose('second')).toBe('frozen');
  expect(await panel(page).locator('.frozen').innerText()).toContain('second');
  await context.close();
});

test.each([
  ['leaves its page', appWith(`connected.then(() => { location.reload(); });`), 'left its page'],
  [
    'does not keep to the protocol',
    appWith(`connected.then(() => parent.postMessage(new Date(), '*'));`),
    'not JSON',
  ],
  [
    'dies while what it proposed is read',
    appWith(`connected.then((view) => view.propose({ decision: 'approve', response: { note: 'mine' } }))
      .then(() => setTimeout(() => location.reload(), 300));`),
    'left its page',
  ],
])('an app that %s leaves the form of the page, which signs', async (_what, html, said) => {
  const id = await fileWith(html);
  const { page, context } = await openAsRuth(id);
  await page.getByText(said).waitFor();
  expect(await page.locator('.app-frame').count()).toBe(0);
  // Its proposal is withdrawn with it.
  await panel(page).waitFor({ state: 'detached' });
  expect(await findings(page)).toEqual([]);
  await page.getByRole('radio', { name: 'Approve' }).check();
  await page.getByLabel('note').fill('By hand.');
  await page.getByRole('button', { name: 'Review and sign …' }).click();
  await panel(page).getByText('the form on this page').waitFor();
  await confirm(page);
  await page.getByRole('heading', { name: 'Receipt' }).waitFor();
  const { body } = await producerOf(instance.demo).get(`/v2/requests/${id}`);
  expect(body.receipt.payload.decision).toBe('approve');
  await context.close();
});
