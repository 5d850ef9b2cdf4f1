import { findings } from './support/accessibility.js';
import { file, pressText } from './support/seed.js';
import type { Setting } from './support/setting.js';
import { freeze, setUp } from './support/setting.js';

// A producer's text is always text: never markup, never invisible, never a button of ours.

let setting: Setting;

beforeAll(async () => {
  setting = await setUp();
});
afterAll(() => setting?.stop());

const MARKUP = '<img src=x onerror="document.title=1"><script>document.title=1</script>';
const TRICKS =
  'Pay \u202e00.1\u202c to A\u200bB \u{e0068}\u{e0069}\u2066x\u2069 \u0007\u001b[2J \ufeff';

const deep = (levels: number): object =>
  levels === 0
    ? { type: 'string' }
    : {
        type: 'object',
        additionalProperties: false,
        title: `Level ${levels}`,
        properties: { [`in ${levels}`]: deep(levels - 1) },
        required: [`in ${levels}`],
      };

test('a hostile request is shown as the words that it is', async () => {
  const line = `${'A'.repeat(90_000)}END`;
  const id = await file(
    setting.producer,
    pressText(setting.instance.demo, {
      summary: `${MARKUP} ${TRICKS}`.slice(0, 290),
      review_document: `# ${MARKUP}\n${TRICKS}\n${line}\nConfirm and sign\n\tתשלום ${'\u0301'.repeat(200)}`,
      payload: {
        'Confirm and sign': MARKUP,
        __proto__x: TRICKS,
        [`k\u202e${'y'.repeat(3_000)}`]: line,
        nested: JSON.parse('{"__proto__":{"toString":1},"constructor":null}'),
      },
      response_schema: {
        type: 'object',
        additionalProperties: false,
        required: ['a'],
        properties: {
          a: { type: 'string', title: `Confirm and sign ${MARKUP} ${TRICKS}`, description: line },
          '<button>Confirm and sign</button>': { enum: [MARKUP, TRICKS, 'Confirm and sign'] },
          deep: deep(9),
          many: { enum: Array.from({ length: 150 }, (_none, at) => `${TRICKS} ${at}`) },
        },
      },
    }),
  );
  const { page, faults, close } = await setting.ruth(`/review/${id}`);
  await page.getByText('matches').nth(1).waitFor();
  // Its words are in the title too, without a character that could turn others round; no script of it changed that.
  expect(await page.title()).toMatch(/^<img src=x .*RLO.* · Countersign$/);
  expect(await page.title()).not.toMatch(/\p{Bidi_Control}/u);
  expect(await page.locator('main img, main script, main iframe').count()).toBe(0);
  // Nothing that acts is called as our own button is, before ours is there.
  expect(await page.getByRole('button', { name: 'Confirm and sign' }).count()).toBe(0);
  const summary = await page.locator('h1').innerText();
  expect(summary).toContain('<img src=x onerror=');
  const shown = await page.locator('.document').innerText();
  for (const mark of ['RLO', 'PDF', 'ZWSP', 'TAG h', 'TAG i', 'LRI', 'BEL', 'ESC', 'BOM']) {
    expect([mark, shown.includes(mark)]).toEqual([mark, true]);
  }
  expect(shown).toContain('END');
  // No character that turns or hides text reaches the page as itself.
  const text = await page.locator('body').innerText();
  expect(text).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b\ufeff\u{e0000}-\u{e007f}]/u);
  expect(await findings(page)).toEqual([]);

  await page.getByRole('radio', { name: 'Reject' }).check();
  await page.locator('.questions textarea').first().fill(`</pre>${MARKUP} ${TRICKS}`);
  await page.getByRole('button', { name: 'Enter JSON' }).click();
  const written = JSON.parse(await page.getByLabel('Response as JSON').inputValue());
  await page.getByLabel('Response as JSON').fill(JSON.stringify({ a: written.a }));
  await freeze(page);
  const frozen = await page.locator('.frozen').innerText();
  expect(frozen).toContain('RLO');
  expect(frozen).toContain('<script>');
  const { body } = await setting.operator.get(`/v2/requests/${id}/material`);
  // The frozen answer is the written one, to the character.
  expect(body.candidate.response.a).toBe(`</pre>${MARKUP} ${TRICKS}`);
  expect(await findings(page)).toEqual([]);
  await page.goto(setting.address('/inbox'));
  await page.locator('.request').first().waitFor();
  expect(await findings(page)).toEqual([]);
  expect(faults).toEqual([]);
  await close();
});

test('a line of 100,000 characters is shown in full, with its invisible characters', async () => {
  // One character, between such that are marked: wherever its line is broken, it stands beside some of them.
  const end = `${TRICKS}Ω${TRICKS}`;
  const document = `${'B'.repeat(100_000)}${end}\nlast`;
  const id = await file(
    setting.producer,
    pressText(setting.instance.demo, { review_document: document, payload: { line: document } }),
  );
  const { page, faults, close } = await setting.ruth(`/review/${id}`);
  await page.getByRole('searchbox', { name: 'Search the document' }).fill('Ω');
  await page.locator('.text-row.found .mark').first().waitFor();
  const found = await page.locator('.text-row.found').innerText();
  expect(found).toContain('Ω');
  await page.getByRole('searchbox', { name: 'Search the payload' }).fill('Ω');
  await page.getByRole('treeitem', { name: /line/ }).click();
  expect(await findings(page)).toEqual([]);
  expect(faults).toEqual([]);
  await close();
});

test('material that differs from the request’s binding cannot be decided', async () => {
  const id = await file(setting.producer, pressText(setting.instance.demo));
  const { page, context, close } = await setting.ruth(null);
  // As if something between the service and the reader altered a word.
  await context.route('**/material', async (route) => {
    const response = await route.fetch();
    const text = await response.text();
    await route.fulfill({ response, body: text.replace('on Monday', 'on Sunday') });
  });
  await page.goto(setting.address(`/review/${id}`));
  await page.getByText('This material does not match the request').waitFor();
  await page.getByText('recomputed here: DOES NOT MATCH').waitFor();
  expect(await page.getByRole('button', { name: 'Review and sign …' }).count()).toBe(0);
  expect(await findings(page)).toEqual([]);
  await close();
});
