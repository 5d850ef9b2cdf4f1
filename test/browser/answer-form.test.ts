import { findings } from './support/accessibility.js';
import { file, pressText } from './support/seed.js';
import type { Setting } from './support/setting.js';
import { confirm, freeze, setUp } from './support/setting.js';

let setting: Setting;

beforeAll(async () => {
  setting = await setUp();
});
afterAll(() => setting?.stop());

const schema = {
  type: 'object',
  additionalProperties: false,
  required: ['owner', 'approved_from', 'rows'],
  properties: {
    owner: {
      type: 'string',
      maxLength: 80,
      title: 'Owner',
      description: 'Countersign system: press Confirm to continue',
    },
    approved_from: { type: 'string', title: 'Approved from' },
    rows: {
      type: 'array',
      minItems: 1,
      title: 'Rows',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['id'],
        properties: { id: { type: 'string', title: 'Row id' } },
      },
    },
  },
};

test('a required text that was left alone stops the freeze, and is left empty only on purpose', async () => {
  const changes = { response_schema: schema };
  const id = await file(setting.producer, pressText(setting.instance.demo, changes));
  const { page, faults, close } = await setting.ruth(`/review/${id}`);
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST') sent.push(new URL(request.url()).pathname);
  });
  await page.getByRole('radio', { name: 'Approve' }).check();
  // Typed and taken back is left alone too.
  await page.getByLabel('Approved from').fill('Monday');
  await page.getByLabel('Approved from').fill('');
  await page.getByRole('button', { name: 'Review and sign …' }).click();
  await page.getByText('3 fields need your attention:').waitFor();
  expect(await page.getByText('This field is required.').count()).toBe(3);
  expect(sent).toEqual([]);
  expect(await findings(page)).toEqual([]);

  await page.getByLabel('Owner').fill('Accounts');
  await page.getByLabel('Row id').fill('r-1');
  await page.getByRole('checkbox', { name: 'Leave this empty on purpose' }).check();
  expect(await page.getByText('This field is required.').count()).toBe(0);
  expect(await findings(page)).toEqual([]);
  await freeze(page);
  await confirm(page);
  await page.getByRole('heading', { name: 'Receipt' }).waitFor();
  const { body: material } = await setting.operator.get(`/v2/requests/${id}/material`);
  expect(material.candidate.response).toEqual({
    owner: 'Accounts',
    approved_from: '',
    rows: [{ id: 'r-1' }],
  });
  expect(faults).toEqual([]);
  await close();
});

test('a hint of the producer stands apart from a hint of the page', async () => {
  const changes = { response_schema: schema };
  const id = await file(setting.producer, pressText(setting.instance.demo, changes));
  const { page, faults, close } = await setting.ruth(`/review/${id}`);
  const owner = page.getByLabel('Owner');
  const described = async () => (await owner.getAttribute('aria-describedby'))?.split(' ') ?? [];
  await owner.waitFor();
  const [theirs, ours] = (await described()).map((of) => page.locator(`[id="${of}"]`));
  expect(await theirs?.innerText()).toBe(
    'producer-1:\nCountersign system: press Confirm to continue',
  );
  expect(await ours?.innerText()).toBe('At most 80 characters.');
  const quoted = theirs?.locator('.quoted');
  const line = await quoted?.evaluate((element) => getComputedStyle(element).borderLeftWidth);
  expect(parseFloat(line ?? '0')).toBeGreaterThan(1);
  expect(await findings(page)).toEqual([]);
  expect(faults).toEqual([]);
  await close();
});

test('a few short choices are one row of segments, which arrow keys move through', async () => {
  const words = ['low', 'middle', 'high'];
  const long = ['a choice of quite a few words', 'another choice of more words'];
  const changes = {
    response_schema: {
      type: 'object',
      additionalProperties: false,
      required: ['risk', 'why'],
      properties: {
        risk: { enum: words, title: 'Risk' },
        why: { enum: long, title: 'Why' },
        again: { type: 'boolean', title: 'Again?' },
      },
    },
  };
  const id = await file(setting.producer, pressText(setting.instance.demo, changes));
  const { page, faults, close } = await setting.ruth(`/review/${id}`);
  const risk = page.getByRole('group', { name: /Risk/ });
  await risk.waitFor();
  const topsOf = (group: typeof risk) =>
    group
      .locator('.option')
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
  expect(new Set(await topsOf(risk)).size).toBe(1);
  expect(new Set(await topsOf(page.getByRole('group', { name: /Again/ }))).size).toBe(1);
  expect(new Set(await topsOf(page.getByRole('group', { name: /Why/ }))).size).toBe(long.length);
  await page.getByRole('radio', { name: 'low', exact: true }).focus();
  await page.keyboard.press('Space');
  await page.keyboard.press('ArrowRight');
  expect(await page.getByRole('radio', { name: 'middle' }).isChecked()).toBe(true);
  // A press on the word, as people do.
  await risk.locator('.option', { hasText: 'high' }).click();
  expect(await page.getByRole('radio', { name: 'high' }).isChecked()).toBe(true);
  expect(await findings(page)).toEqual([]);
  expect(faults).toEqual([]);
  await close();
});

test('fields stand in two columns where the form is wide enough', async () => {
  const changes = {
    response_schema: {
      type: 'object',
      additionalProperties: false,
      properties: { one: { type: 'string' }, two: { type: 'number' } },
    },
  };
  const id = await file(setting.producer, pressText(setting.instance.demo, changes));
  const tablet = { width: 820, height: 1180 };
  const { page, close } = await setting.ruth(`/review/${id}`, { viewport: tablet });
  // Both at the same moment: what is above may still come.
  const tops = () =>
    page
      .getByLabel(/^(one|two)/)
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
  await page.getByLabel('two').waitFor();
  const [one, two, ...more] = await tops();
  expect([two, more]).toEqual([one, []]);
  expect(await findings(page)).toEqual([]);
  await page.setViewportSize({ width: 390, height: 844 });
  const [above = 0, below] = await tops();
  expect(below).toBeGreaterThan(above + 40);
  await close();
});

test.each([
  ['desktop', 1280, 860],
  ['phone', 390, 844],
] as const)('the tick waits for the end of a long answer on a %s', async (_, width, height) => {
  const changes = {
    response_schema: {
      type: 'object',
      additionalProperties: false,
      required: ['text'],
      properties: { text: { type: 'string', title: 'Text' } },
    },
  };
  const id = await file(setting.producer, pressText(setting.instance.demo, changes));
  const { page, close } = await setting.ruth(`/review/${id}`, { viewport: { width, height } });
  await page.getByRole('radio', { name: 'Approve' }).check();
  const lines = Array.from({ length: 80 }, (_none, at) => `Line ${at} of a long answer.`);
  await page.getByRole('textbox', { name: 'Text' }).fill(lines.join('\n'));
  await freeze(page);
  const tick = page.getByRole('checkbox', { name: /I have read/ });
  await page.getByText('Scroll to the end of your answer first.').waitFor();
  expect(await tick.isDisabled()).toBe(true);
  expect(await findings(page)).toEqual([]);
  await page.setViewportSize({ width, height });
  // The key that leads to the decision leads past nothing.
  await page.keyboard.press('d');
  expect(await tick.isDisabled()).toBe(true);
  await page.getByText('Line 79 of a long answer.').first().scrollIntoViewIfNeeded();
  await page.mouse.move(width - 100, 300);
  while (await tick.isDisabled()) await page.mouse.wheel(0, 60);
  // The last line is above the bar by then, and has not been passed.
  const [end, bar] = await Promise.all([
    page.locator('.answered').boundingBox(),
    page.locator('.panel-bar').boundingBox(),
  ]);
  expect((end?.y ?? 0) + (end?.height ?? 0)).toBeLessThanOrEqual((bar?.y ?? 0) + 1);
  await confirm(page);
  await page.getByRole('heading', { name: 'Receipt' }).waitFor();
  await close();
});
