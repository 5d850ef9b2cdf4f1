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
