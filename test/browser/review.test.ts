import type { Locator } from 'playwright-core';
import { valueDigest } from '@countersign/protocol';
import { claimInput, decide, until, untilAvailable } from '../support/requests.js';
import { findings } from './support/accessibility.js';
import { logIn } from './support/browser.js';
import { file, paymentRun, pressText } from './support/seed.js';
import type { Setting } from './support/setting.js';
import { answerText, confirm, freeze, setUp } from './support/setting.js';

let setting: Setting;

beforeAll(async () => {
  setting = await setUp();
});
afterAll(() => setting?.stop());

const isInView = (of: Locator): Promise<boolean> =>
  of.evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
  });

const statusOf = async (id: string) => (await setting.producer.get(`/v2/requests/${id}`)).body;

test('a text is read, answered by form, frozen, read again and signed', async () => {
  const id = await file(setting.producer, pressText(setting.instance.demo));
  const { page, faults, close } = await setting.ruth(`/review/${id}`);
  await page.getByText('matches').nth(1).waitFor();
  expect(await page.locator('.document').innerText()).toContain('May this go out');
  expect(await page.getByRole('radio', { checked: true }).count()).toBe(0);
  expect(await findings(page)).toEqual([]);

  // The page names the missing field, and sends nothing.
  await page.getByRole('button', { name: 'Review and sign …' }).click();
  await page.getByText('Choose a decision first').waitFor();
  await page.getByText('This field is required.').waitFor();
  // All faults at the button, each with the way to its field, and the first has the focus.
  await page.getByText('2 fields need your attention:').waitFor();
  expect(await page.locator(':focus').getAttribute('name')).toBe('decision');
  await page.getByRole('button', { name: /^Tone/ }).click();
  expect(await page.locator('.questions :focus').count()).toBe(1);
  expect(await findings(page)).toEqual([]);

  await answerText(page);
  await page.getByLabel('Comment for the author').fill('Good as it is.');
  await freeze(page);
  const { body: material } = await setting.operator.get(`/v2/requests/${id}/material`);
  expect(material.candidate.response).toEqual({ tone: 'right', comment: 'Good as it is.' });
  const panel = page.locator('.panel');
  await panel.getByText(valueDigest(material.candidate)).waitFor();
  await panel.getByText('the form on this page').waitFor();
  expect(await panel.locator('.sentence').innerText()).toBe(
    'You approve “May this press text go out?”, asked by producer-1 on behalf of Olivia Owner owner-1, on the route review.',
  );
  expect(await panel.locator('.answered').innerText()).toMatch(
    /Tone\s+right\s+Comment for the author\s+Good as it is\./,
  );
  expect(await panel.locator('.frozen').innerText()).toBe(
    JSON.stringify(material.candidate.response, null, 2),
  );
  expect(await findings(page)).toEqual([]);

  await confirm(page);
  await page.getByRole('heading', { name: 'Receipt' }).waitFor();
  // Without a reload.
  await page.getByText('Anchored', { exact: true }).waitFor();
  expect(await findings(page)).toEqual([]);
  const { receipt } = await statusOf(id);
  expect(receipt.payload).toMatchObject({
    decision: 'approve',
    reviewer: 'reviewer-1',
    candidate_digest: valueDigest(material.candidate),
  });
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save the signed record' }).click(),
  ]);
  const saved = await streamed(await download.createReadStream());
  expect(JSON.parse(saved)).toEqual(receipt);

  await page.emulateMedia({ media: 'print' });
  for (const gone of ['.top', '.search', '.rows']) {
    expect([gone, await page.locator(gone).first().isVisible()]).toEqual([gone, false]);
  }
  for (const kept of ['.document', '.outcome', '.head']) {
    expect([kept, await page.locator(kept).isVisible()]).toEqual([kept, true]);
  }
  // On paper "two minutes ago" says nothing.
  const time = page.locator('.outcome time').first();
  const printed = await time.evaluate((element) => [
    getComputedStyle(element, '::after').content,
    getComputedStyle(element).fontSize,
  ]);
  expect(printed).toEqual([`"${receipt.payload.confirmed_at}"`, '0px']);
  expect(faults).toEqual([]);
  await close();
});

test('an execution is refused beforehand, authorised on purpose, and followed to its end', async () => {
  const id = await file(setting.producer, paymentRun(setting.instance.demo));
  const { page, faults, close } = await setting.ruth(`/review/${id}`);
  expect(await page.getByRole('radio', { name: 'Refuse the execution' }).isChecked()).toBe(true);
  await page.getByRole('radio', { name: 'Authorise the execution' }).check();
  await page.getByLabel('Reason').fill('Compared with the invoices.');
  await page.getByRole('checkbox', { name: 'Atelier Brun' }).check();
  await page.getByRole('radio', { name: 'Yes' }).check();
  await freeze(page);
  await confirm(page);
  await page.getByText('Authority open', { exact: true }).waitFor();
  const status = await untilAvailable(setting.producer, id);
  expect(status.body.receipt.payload.decision).toBe('authorise');
  const claim = claimInput(status);
  const claimed = await setting.producer.post(`/v2/requests/${id}/claims`, claim);
  expect(claimed.status).toBe(201);
  await page.getByText('Authority used', { exact: true }).waitFor();
  const { execution_identity } = claim;
  await setting.producer.post(`/v2/requests/${id}/outcomes`, {
    execution_identity,
    status: 'cancelled_before_dispatch',
    details: {},
  });
  await page.locator('.progress').getByText('Not executed', { exact: true }).waitFor();
  expect(await findings(page)).toEqual([]);
  expect(faults).toEqual([]);
  await close();
});

test('an execution is refused', async () => {
  const id = await file(setting.producer, paymentRun(setting.instance.demo));
  const { page, faults, close } = await setting.ruth(`/review/${id}`);
  await page.getByLabel('Reason').fill('Two lines are wrong.');
  await freeze(page);
  await confirm(page);
  // The text to be signed says already that nothing will be executed.
  await page.getByText('The producer sees that you refused').waitFor();
  const status = await statusOf(id);
  expect([status.receipt.payload.decision, status.grant_state]).toEqual(['refuse', 'none']);
  expect(faults).toEqual([]);
  await close();
});

test('nothing is confirmed by Enter alone, by one click, or by a script', async () => {
  const id = await file(setting.producer, pressText(setting.instance.demo));
  const { page, close } = await setting.ruth(`/review/${id}`);
  await answerText(page);
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST') sent.push(new URL(request.url()).pathname);
  });
  await page.getByLabel('Comment for the author').focus();
  await page.keyboard.press('Tab');
  await page.getByRole('radio', { name: 'right' }).focus();
  await page.keyboard.press('Enter');
  expect(sent).toEqual([]);
  await page.getByRole('button', { name: 'Review and sign …' }).focus();
  // Enter held down: it freezes, and goes no further.
  for (let times = 0; times < 8; times += 1) await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Read the exact text to be signed' }).waitFor();
  for (let times = 0; times < 8; times += 1) await page.keyboard.press('Enter');
  const button = page.getByRole('button', { name: 'Confirm and sign' });
  expect(await button.isDisabled()).toBe(true);
  await page.getByRole('checkbox', { name: /I have read/ }).check();
  await button.evaluate((element: HTMLButtonElement) => element.click());
  await page.getByText('Only a person can confirm').waitFor();
  await button.evaluate((element) =>
    element.dispatchEvent(new MouseEvent('click', { bubbles: true })),
  );
  expect(sent).toEqual([`/v2/requests/${id}/candidates`]);
  expect((await statusOf(id)).decision_state).toBe('pending');
  // Back to the answer, which is still there.
  await page.getByRole('button', { name: 'Back to the answer' }).click();
  expect(await page.getByRole('radio', { name: 'right' }).isChecked()).toBe(true);
  await close();
});

describe('a confirmation whose answer is lost', () => {
  test.each([
    ['after it was recorded', true],
    ['before it arrived', false],
  ])('%s is asked for again with the same key until it is known', async (_when, arrives) => {
    const id = await file(setting.producer, pressText(setting.instance.demo));
    const { page, faults, close } = await setting.ruth(`/review/${id}`);
    const keys: string[] = [];
    let release = () => {};
    const held = new Promise<void>((resume) => (release = resume));
    await page.route('**/confirm', async (route) => {
      keys.push(route.request().headers()['idempotency-key'] ?? '');
      if (keys.length > 1) {
        await held;
        await route.continue();
        return;
      }
      if (arrives) await route.fetch();
      await route.abort('connectionreset');
    });
    await answerText(page);
    await freeze(page);
    await confirm(page);
    const unsure = page.getByText('It is not known yet whether your decision was recorded');
    await unsure.waitFor();
    expect(await isInView(unsure)).toBe(true);
    expect(await findings(page)).toEqual([]);
    expect((await statusOf(id)).decision_state).toBe(arrives ? 'confirmed' : 'pending');
    release();
    await page.getByText('The service confirms that it was recorded').waitFor();
    await page.getByRole('heading', { name: 'Receipt' }).waitFor();
    expect(keys.length).toBeGreaterThan(1);
    expect(new Set(keys).size).toBe(1);
    expect((await statusOf(id)).decision_state).toBe('confirmed');
    expect(faults).toEqual([]);
    await close();
  });
});

test('while a reviewer reads, the page shows changes of the request, and keeps the draft', async () => {
  const taken: number[] = [];
  const meanwhile = async (title: string, act: (id: string) => Promise<unknown>, changes = {}) => {
    const start = performance.now();
    const id = await file(setting.producer, pressText(setting.instance.demo, changes));
    const { page, faults, close } = await setting.ruth(`/review/${id}`);
    await page.getByRole('radio', { name: 'Reject' }).check();
    await page.getByLabel('Comment for the author').fill('My words');
    taken.push(performance.now() - start);
    await act(id);
    await page.getByText(title, { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Review and sign …' }).count()).toBe(0);
    await page.getByText('Your draft').click();
    expect(await page.locator('.notice details').innerText()).toMatch(
      /^Your draft\s+Comment for the author\s+My words$/,
    );
    expect(await findings(page)).toEqual([]);
    expect(faults).toEqual([]);
    await close();
  };
  const { demo } = setting.instance;
  await Promise.all([
    meanwhile('Decided meanwhile', async (id) => {
      const { status } = await decide(setting.ravi, id, 'approve', { tone: 'right' });
      expect(status).toBe(200);
    }),
    meanwhile('Withdrawn meanwhile', (id) =>
      setting.producer.post(`/v2/requests/${id}/cancel`, {}),
    ),
    meanwhile('Replaced meanwhile', (id) =>
      setting.producer.post(`/v2/requests/${id}/supersede`, pressText(demo)),
    ),
  ]);
  // Long enough for the words to be written before it, by the time that this just took.
  const review_seconds = 2 + Math.ceil((3 * Math.max(...taken)) / 1_000);
  await meanwhile('The deadline has passed', () => Promise.resolve(), { review_seconds });
});

test('an answer frozen in another tab is shown instead, and must be read again', async () => {
  const id = await file(setting.producer, pressText(setting.instance.demo));
  const { page, context, faults, close } = await setting.ruth(`/review/${id}`);
  await answerText(page);
  await freeze(page);
  const other = await context.newPage();
  await other.goto(setting.address(`/review/${id}`));
  await other.getByRole('button', { name: 'Back to the answer' }).click();
  await other.getByRole('radio', { name: 'too casual' }).check();
  await freeze(other);
  await page.bringToFront();
  // From the moment at which it is there, before anything is painted: a click may be on its way.
  const signable = await page.evaluateHandle(() => {
    const seen: string[] = [];
    new MutationObserver(() => {
      if (document.querySelector('.frozen')?.textContent.includes('too casual') !== true) return;
      if (document.querySelector('.read input:checked')) seen.push('ticked');
      if (document.querySelector('.panel .primary:enabled')) seen.push('enabled');
    }).observe(document, { subtree: true, childList: true, characterData: true });
    return seen;
  });
  await confirm(page);
  await page.getByText('The frozen answer has changed').waitFor();
  await page.locator('.frozen').getByText('too casual').waitFor();
  expect(await signable.jsonValue()).toEqual([]);
  expect(await page.getByRole('checkbox', { name: /I have read/ }).isChecked()).toBe(false);
  expect((await statusOf(id)).decision_state).toBe('pending');
  expect(await findings(page)).toEqual([]);
  await confirm(page);
  await page.getByRole('heading', { name: 'Receipt' }).waitFor();
  const { body } = await setting.producer.get(`/v2/requests/${id}/material`);
  const { receipt } = await statusOf(id);
  expect(receipt.payload.candidate_digest).toBe(valueDigest(body.candidate));
  expect(body.candidate.response).toEqual({ tone: 'too casual' });
  expect(faults).toEqual([]);
  await close();
});

test('a request that is not hers does not exist; one without material keeps its record', async () => {
  const { demo } = setting.instance;
  const { page, close } = await setting.ruth('/inbox');
  const missing = await page.goto(setting.address('/review/01a1feec-68c0-7437-95d6-3d0efd8bb6ef'));
  expect(missing?.status()).toBe(404);
  expect(await findings(page)).toEqual([]);
  const id = await file(setting.producer, pressText(demo));
  await setting.producer.post(`/v2/requests/${id}/discard`, {});
  await page.goto(setting.address(`/review/${id}`));
  await page.getByText('The private material of this request was deleted').waitFor();
  await page.getByRole('heading', { name: 'Expired' }).waitFor();
  expect(await findings(page)).toEqual([]);
  await close();
});

test('an answer may be written as JSON, and the service checks it', async () => {
  const id = await file(setting.producer, pressText(setting.instance.demo));
  const { page, close } = await setting.ruth(`/review/${id}`);
  await page.getByRole('radio', { name: 'Answer' }).check();
  await page.getByRole('button', { name: 'Enter JSON' }).click();
  const editor = page.getByLabel('Response as JSON');
  await editor.fill('{"tone": ');
  await page.getByText('This is not valid JSON').waitFor();
  await editor.fill('{"tone": "wrong"}');
  await page.locator('.questions .fault').waitFor();
  await page.getByRole('button', { name: 'Review and sign …' }).click();
  await page.getByRole('link', { name: /response_schema_mismatch/ }).waitFor();
  expect(await findings(page)).toEqual([]);
  await editor.fill('{"tone": "right"}');
  await freeze(page);
  await until(
    () => page.locator('.frozen').innerText(),
    (text) => text.includes('right'),
  );
  await close();
});

async function streamed(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

test('a page of an earlier session goes on in a newer one of the same person', async () => {
  const id = await file(setting.producer, pressText(setting.instance.demo));
  const { page, context, close } = await setting.ruth(null);
  await page.goto(setting.address(`/review/${id}`));
  await answerText(page);
  await context.clearCookies();
  const other = await context.newPage();
  await logIn(other, setting.instance.demo, 'Ruth Reviewer');
  // The token of the page is the earlier session's: it is refused once, and the answer is sent again with the newer one.
  const answers: number[] = [];
  page.on('response', (response) => {
    if (response.url().endsWith('/candidates')) answers.push(response.status());
  });
  await freeze(page);
  expect(answers).toEqual([403, 201]);
  await close();
});
