import { findings } from './support/accessibility.js';
import { picture } from './support/pictures.js';
import { file, paymentRun, pressText } from './support/seed.js';
import { answerText, setUp } from './support/setting.js';
import type { Setting } from './support/setting.js';

let setting: Setting;
beforeAll(async () => {
  setting = await setUp();
});
afterAll(() => setting?.stop());

const MARKDOWN = `# Deploy 4.2.0

Rolls out **three** services. See [the plan](https://example.com/plan) and \`deploy.yaml\`.

- [x] Tests are green
- [ ] The owner is informed

| Service | From | To |
|---------|------|---:|
| api     | 4.1  | 42 |

\`\`\`diff
- replicas: 2
+ replicas: 3
\`\`\`

<b>No markup</b>
`;

test('a document is read as it was written, and its exact text is one key away', async () => {
  const { demo } = setting.instance;
  const id = await file(setting.producer, pressText(demo, { review_document: MARKDOWN }));
  const { page, faults, close } = await setting.ruth(`/review/${id}`);
  const reading = page.locator('.reading');
  await reading.getByRole('heading', { name: 'Deploy 4.2.0' }).waitFor();
  await reading.getByRole('cell', { name: '4.1' }).waitFor();
  await reading.getByRole('img', { name: 'Done' }).waitFor();
  await reading.locator('.diff-line.added', { hasText: 'replicas: 3' }).waitFor();
  // Markup stays text, and a link leads nowhere.
  expect(await reading.locator('a, b, img').count()).toBe(0);
  const text = await reading.innerText();
  for (const words of ['<b>No markup</b>', 'https://example.com/plan', 'three']) {
    expect(text).toContain(words);
  }
  expect(await findings(page)).toEqual([]);
  await picture(page, 'review-reading');
  await page.keyboard.press('e');
  await page.locator('.document').getByText('| api     | 4.1  | 42 |').waitFor();
  // The choice is kept for the next document.
  await page.reload();
  await page.locator('.document-line').first().waitFor();
  await page.getByRole('button', { name: 'Reading view' }).click();
  await reading.waitFor();
  expect(faults).toEqual([]);
  await close();
});

test('a document with hidden characters opens as its exact text', async () => {
  const { demo } = setting.instance;
  const id = await file(
    setting.producer,
    pressText(demo, { review_document: '# Pay\n\n- 100\u202e001\u202c\n\nשלום\n' }),
  );
  const { page, close } = await setting.ruth(`/review/${id}`);
  await page.getByText('2 hidden characters: read the exact text').waitFor();
  await page.locator('.document').getByText('RLO').waitFor();
  // A line of a language that is read from the right begins there.
  const sides = await page.locator('.document-line', { hasText: 'שלום' }).evaluate((line) => {
    const texts = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
    let text = texts.nextNode() as Text;
    while (!text.data.includes('שלום')) text = texts.nextNode() as Text;
    // Without the end of the line, which is on the other side.
    const range = document.createRange();
    range.setStart(text, text.data.indexOf('שלום'));
    range.setEnd(text, range.startOffset + 'שלום'.length);
    const ends = [range.getBoundingClientRect().right, line.getBoundingClientRect().right];
    return ends.map(Math.round);
  });
  expect(sides[0]).toBe(sides[1]);
  expect(await findings(page)).toEqual([]);
  await close();
});

test('rows of a payload are a table that sorts, searches and adds up', async () => {
  const { demo } = setting.instance;
  const id = await file(setting.producer, paymentRun(demo));
  const { page, faults, close } = await setting.ruth(`/review/${id}`);
  const table = page.getByRole('table', { name: 'payments as a table' });
  await table.getByRole('cell', { name: 'Atelier Brun' }).waitFor();
  await table.getByRole('button', { name: 'amount' }).click();
  await table.locator('[aria-sort=ascending]', { hasText: 'amount' }).waitFor();
  await table.getByRole('row', { name: /^2 214.75/ }).waitFor();
  expect(await table.locator('.table-foot').innerText()).toContain('6650.25');
  await page.getByRole('searchbox', { name: 'Search the table' }).fill('studio');
  await page.getByText('1 row', { exact: true }).waitFor();
  expect(await findings(page)).toEqual([]);
  await picture(page, 'review-table');
  await page.getByRole('button', { name: 'All data' }).click();
  await page.getByRole('treeitem', { name: /payments/ }).waitFor();
  expect(faults).toEqual([]);
  await close();
});

test('a replaced request leads to the new one, which shows what changed and takes the draft up', async () => {
  const { demo } = setting.instance;
  const old = await file(setting.producer, pressText(demo));
  const { page, faults, close } = await setting.ruth(`/review/${old}`);
  await answerText(page, 'Approve');
  await page.getByLabel('Comment for the author').fill('Kept from the first try.');
  const text = 'From December on, all our parcels travel by train and ship.';
  const { body } = await setting.producer.post(
    `/v2/requests/${old}/supersede`,
    pressText(demo, {
      summary: 'May this corrected press text go out?',
      payload: { headline: 'Parcels by train', text, audience: 'everybody' },
      review_document: `# Parcels by train\n\n${text}\n\nMay this go out to the press list on Monday?\n`,
    }),
  );
  const { id } = body.request;
  await page.getByText('The producer has replaced this request', { exact: true }).waitFor();
  await page.getByText('The producer replaced it by another request').waitFor();
  expect(await findings(page)).toEqual([]);
  await page.getByRole('link', { name: 'May this corrected press text go out?' }).click();
  await page.waitForURL(setting.address(`/review/${id}`));
  await page.getByText('This request replaces an earlier one').waitFor();
  // The fields are there, the decision is not.
  await page.getByText('The fields hold your draft for the earlier request').waitFor();
  expect(await page.getByLabel('Comment for the author').inputValue()).toBe(
    'Kept from the first try.',
  );
  expect(await page.getByRole('radio', { name: 'Approve' }).isChecked()).toBe(false);
  await page.getByRole('button', { name: 'Show what changed' }).click();
  const changes = page.locator('.changes');
  await changes.locator('.changed-line.added', { hasText: 'by train and ship' }).waitFor();
  await changes.locator('.changed-line.removed', { hasText: 'travel by train.' }).waitFor();
  const row = changes.getByRole('row', { name: /audience/ });
  expect(await row.innerText()).toMatch(/press\s+everybody/);
  await changes.getByText('Unchanged.').waitFor();
  expect(await findings(page)).toEqual([]);
  await picture(page, 'review-changes');
  expect(faults).toEqual([]);
  await close();
});

test('document and payload stand side by side, and lines between columns are moved by pointer and keys', async () => {
  const { demo } = setting.instance;
  const id = await file(setting.producer, paymentRun(demo));
  const { page, faults, close } = await setting.ruth(`/review/${id}`, {
    viewport: { width: 1440, height: 900 },
  });
  const widthOf = async (selector: string) =>
    Math.round((await page.locator(selector).boundingBox())?.width ?? 0);
  const topOf = async (selector: string) =>
    Math.round((await page.locator(selector).boundingBox())?.y ?? 0);
  await page.getByRole('table', { name: 'payments as a table' }).waitFor();
  expect(await topOf('.payload-card')).toBeGreaterThan(await topOf('.document-card'));
  await page.getByRole('button', { name: 'Side by side' }).click();
  expect(await topOf('.payload-card')).toBe(await topOf('.document-card'));

  const rail = page.getByRole('separator', { name: 'Width of the decision' });
  const before = await widthOf('.side');
  await rail.focus();
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  const wider = await widthOf('.side');
  expect(wider).toBeGreaterThan(before + 30);
  const pane = page.getByRole('separator', { name: 'Width of the document' });
  const line = await pane.boundingBox();
  if (line === null) throw new Error('there is no line beside the document');
  const document = await widthOf('.document-card');
  await page.mouse.move(line.x + line.width / 2, 600);
  await page.mouse.down();
  await page.mouse.move(line.x + line.width / 2 + 90, 620, { steps: 4 });
  await page.mouse.up();
  expect(Math.abs((await widthOf('.document-card')) - document - 90)).toBeLessThan(4);
  expect(await findings(page)).toEqual([]);

  // For the next request, too.
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.reload();
  await page.getByRole('table', { name: 'payments as a table' }).waitFor();
  expect(Math.abs((await widthOf('.side')) - wider)).toBeLessThan(2);
  expect(await topOf('.payload-card')).toBe(await topOf('.document-card'));
  await rail.focus();
  await page.keyboard.press('Enter');
  expect(Math.abs((await widthOf('.side')) - before)).toBeLessThan(2);
  await page.getByRole('button', { name: 'Stacked' }).click();
  expect(faults).toEqual([]);
  await close();
});

test('columns of a table are made wider and narrower by pointer and keys', async () => {
  const { demo } = setting.instance;
  const id = await file(setting.producer, paymentRun(demo));
  const { page, close } = await setting.ruth(`/review/${id}`);
  const table = page.getByRole('table', { name: 'payments as a table' });
  const title = table.getByRole('columnheader', { name: 'name' });
  const cell = table.getByRole('cell', { name: 'Atelier Brun' });
  const widthOf = async (of: typeof title) => Math.round((await of.boundingBox())?.width ?? 0);
  await cell.waitFor();
  const before = await widthOf(title);
  await title.getByRole('button').press('Shift+ArrowLeft');
  const narrower = await widthOf(title);
  expect(narrower).toBeLessThan(before - 10);
  expect(await widthOf(cell)).toBe(narrower);
  const edge = title.locator('.table-edge');
  const at = await edge.boundingBox();
  if (at === null) throw new Error('the column has no edge');
  await page.mouse.move(at.x + 5, at.y + 10);
  await page.mouse.down();
  await page.mouse.move(at.x + 105, at.y + 10, { steps: 4 });
  await page.mouse.up();
  expect(Math.abs((await widthOf(title)) - narrower - 100)).toBeLessThan(12);
  // Moving an edge sorts nothing.
  expect(await title.getAttribute('aria-sort')).toBe('none');
  await edge.dblclick();
  expect(await widthOf(title)).toBe(before);
  await close();
});
