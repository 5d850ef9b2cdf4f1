import type { Page } from 'playwright-core';
import type { OwnRoute } from '../support/own-route.js';
import { newRoute } from '../support/own-route.js';
import { findings } from './support/accessibility.js';
import { logIn, openContext } from './support/browser.js';
import { file, pressText } from './support/seed.js';
import type { Setting } from './support/setting.js';
import { confirm, freeze, setUp } from './support/setting.js';
import { workOf } from './support/work.js';

// The largest and the strangest that the service accepts, in every view that shows it: each can be used after two seconds of
// the page's own work, fits its screen, and shows no character that turns or hides others.

const USABLE_MS = 2_000;
const MiB = 1024 * 1024;

let setting: Setting;
let own: OwnRoute;

beforeAll(async () => {
  setting = await setUp();
  own = await newRoute(setting.instance.demo, setting.operator, ['reviewer-1']);
});
afterAll(() => setting?.stop());

/** The page's own work until `usable` has come true. */
async function workUntil(page: Page, act: () => Promise<unknown>, usable: () => Promise<unknown>) {
  const worked = await workOf(page);
  const before = await worked();
  const begun = performance.now();
  await act();
  await usable();
  const work = Math.round((await worked()) - before);
  return { work, lasted: Math.round(performance.now() - begun) };
}

const figures: string[] = [];
function note(what: string, { work, lasted }: { work: number; lasted: number }): void {
  figures.push(`${what} ${work} ms of work, ${lasted} ms`);
  expect([what, work < USABLE_MS ? 'usable' : work]).toEqual([what, 'usable']);
}
afterAll(() => process.stderr.write(`extreme: ${figures.join('; ')}\n`));

/** 300 characters of Hebrew, Arabic, marks, emoji, and characters that have no width or turn others. */
const MESS = [...'שלום مرحبا \u202e\u200b\u2066\u0301👩‍👩‍👧‍👦🏳️‍🌈\u200d\ufeff\u2069'.repeat(40)]
  .slice(0, 300)
  .join('');
/** The same without a space, so that no line may break. */
const UNBROKEN = MESS.replaceAll(' ', '\u00a0');
const HIDING = /[\u202a-\u202e\u2066-\u2069\u200b\ufeff]/u;

/** Creates a request of such texts, and one that replaces it, whose id it gives. */
async function strange(): Promise<string> {
  const { demo } = setting.instance;
  const { operator, producer } = setting;
  const rows = Array.from({ length: 30 }, (_none, at) => ({
    [MESS]: `${UNBROKEN}${at}`,
    [UNBROKEN]: at,
    amount: at,
  }));
  const texts = {
    summary: MESS,
    review_document: [
      `# ${MESS}`,
      `- [x] ${UNBROKEN}\n- ${MESS}`,
      `| ${MESS} | ${UNBROKEN} |\n|---|---|\n| ${MESS} | ${UNBROKEN} |`,
      `> ${MESS}`,
      `[${MESS}](https://example.org/${encodeURIComponent(UNBROKEN)})`,
      '```diff\n-' + MESS + '\n+' + UNBROKEN + '\n```',
    ].join('\n\n'),
    payload: { [UNBROKEN]: MESS, rows, nested: { [MESS]: { [UNBROKEN]: [MESS] } } },
    metadata: { [MESS]: UNBROKEN },
    response_schema: {
      type: 'object',
      additionalProperties: false,
      required: ['note'],
      title: MESS,
      properties: {
        note: { type: 'string', title: MESS, description: UNBROKEN },
        pick: { title: UNBROKEN, enum: [MESS, UNBROKEN] },
        [MESS]: { type: 'array', title: MESS, items: { type: 'string', title: UNBROKEN } },
      },
    },
  };
  const named = [
    [
      'reviewer-1-of-texts',
      'human',
      { oidc_issuer: demo.issuer, oidc_subject: 'nobody-in-particular' },
    ],
    [
      demo.producer.id,
      'producer',
      {
        publisher: demo.publisher.id,
        owner: demo.people[0]?.id,
        routes: [demo.routes.review, demo.routes.execution],
      },
    ],
  ] as const;
  for (const [id, kind, rest] of named) {
    const config = { enabled: true, name: MESS, ...rest };
    const { status, text } = await operator.put(`/v2/admin/principals/${id}`, { id, kind, config });
    expect([status, text]).toEqual([200, expect.any(String)]);
  }
  const first = await file(producer, pressText(demo, texts));
  const changed = { ...texts, review_document: `${texts.review_document}\n\n${UNBROKEN}` };
  const answer = await producer.post(`/v2/requests/${first}/supersede`, pressText(demo, changed));
  expect(answer.status).toBe(201);
  return answer.body.request.id as string;
}

/** Fits every screen, and shows no character that hides or turns others. */
async function expectSound(page: Page): Promise<void> {
  expect(await page.locator('body').innerText()).not.toMatch(HIDING);
  expect(await findings(page)).toEqual([]);
}

test('every name and text of 300 characters that hide, turn and join, where it is read', async () => {
  const id = await strange();
  const { page, faults, close } = await setting.ruth(null);
  const sound = () => expectSound(page);
  const open = (path: string, usable: () => Promise<unknown>) =>
    workUntil(page, () => page.goto(setting.address(path)), usable);

  note(
    'inbox of such texts',
    await open('/inbox', () => page.locator('.request').first().waitFor()),
  );
  await sound();
  note(
    'review of such texts',
    await open(`/review/${id}`, async () => {
      await page.getByRole('table').last().waitFor();
      await page.getByRole('radio', { name: 'Approve' }).check();
    }),
  );
  await sound();
  await page.getByRole('button', { name: 'Reading view' }).click();
  await page.locator('.reading table').waitFor();
  await sound();
  note(
    'their differences',
    await workUntil(
      page,
      () => page.getByRole('button', { name: 'Show what changed' }).click(),
      () => page.locator('.changed-line, .changes li').first().waitFor(),
    ),
  );
  await sound();
  await page.getByRole('button', { name: 'All data' }).click();
  await page.getByRole('treeitem').first().waitFor();
  await sound();
  expect(faults).toEqual([]);
  await close();
});

test('the same where it is signed', async () => {
  const id = await strange();
  const { page, faults, close } = await setting.ruth(`/review/${id}`);
  const sound = () => expectSound(page);
  await page.getByRole('radio', { name: 'Approve' }).check();
  await page.locator('.decide textarea').first().fill(MESS);
  await freeze(page);
  await sound();
  await confirm(page);
  await page.getByRole('heading', { name: 'Receipt' }).waitFor();
  await sound();
  await page.goto(setting.address('/inbox#decided'));
  await page.getByRole('button', { name: /Save record/ }).waitFor();
  await sound();
  expect(faults).toEqual([]);
  await close();
});

test('the same for operators', async () => {
  const id = await strange();
  const { demo } = setting.instance;
  const otto = await openContext(setting.browser);
  await logIn(otto.page, demo, 'Otto Operator');
  for (const path of ['/requests', `/requests/${id}`, '/principals', '/routes']) {
    await otto.page.goto(setting.address(`/operator${path}`));
    await otto.page.locator('.waiting').waitFor({ state: 'detached' });
    await otto.page.locator('main h1').waitFor();
    expect(await otto.page.locator('body').innerText()).not.toMatch(HIDING);
    expect(await findings(otto.page)).toEqual([]);
  }
  expect(otto.faults).toEqual([]);
  await otto.close();
});

/** `levels` deep, with `members` in all. */
function nested(levels: number, members: number): object {
  const here = Math.ceil(members / levels);
  const properties: Record<string, object> = {};
  for (let at = 0; at < here; at += 1) {
    properties[`level ${levels}, member ${at}`] =
      at % 3 === 0 ? { type: 'string', minLength: 1 } : { type: 'integer', minimum: 0, maximum: 9 };
  }
  if (levels > 1) properties['deeper'] = nested(levels - 1, members - here);
  return {
    type: 'object',
    additionalProperties: false,
    required: Object.keys(properties),
    properties,
  };
}

test('a schema of 200 members in eight levels', async () => {
  const id = await file(
    setting.producer,
    pressText(setting.instance.demo, { response_schema: nested(8, 200) }),
  );
  const { page, faults, close } = await setting.ruth(null);
  const field = page.getByLabel('level 8, member 0');
  note(
    'form of 200 members',
    await workUntil(
      page,
      () => page.goto(setting.address(`/review/${id}`)),
      () => field.fill('a'),
    ),
  );
  expect(await page.getByLabel('level 1, member 3').count()).toBe(1);
  note(
    'all of its faults',
    await workUntil(
      page,
      () => page.getByRole('button', { name: 'Review and sign …' }).click(),
      () => page.getByText(/\d+ fields need your attention/).waitFor(),
    ),
  );
  expect(await findings(page)).toEqual([]);
  expect(faults).toEqual([]);
  await close();
});

test('the longest document that has a reading view', async () => {
  const part = (at: number) =>
    `## Part ${at}\n\nSome *words* and \`code\`.\n\n| a | b |\n|---|---|\n| ${at} | 2 |\n\n- [x] done\n`;
  let review_document = '';
  for (let at = 0; review_document.length < 99_000 && at < 180; at += 1)
    review_document += part(at) + `${'Words of a long paragraph. '.repeat(18)}\n\n`;
  expect(review_document.length).toBeGreaterThan(90_000);
  const { demo } = setting.instance;
  const id = await file(setting.producer, pressText(demo, { review_document }));
  const { page, faults, close } = await setting.ruth(null);
  note(
    'reading view of 100,000 characters',
    await workUntil(
      page,
      () => page.goto(setting.address(`/review/${id}`)),
      async () => {
        await page.locator('.reading table').last().waitFor();
        await page.getByRole('radio', { name: 'Approve' }).check();
      },
    ),
  );
  note(
    'its exact text',
    await workUntil(
      page,
      () => page.keyboard.press('e'),
      () => page.locator('.document-line').last().waitFor(),
    ),
  );
  expect(faults).toEqual([]);
  await close();
});

test('the differences of payloads and documents of 10 MiB', async () => {
  const rows = (changed: number) =>
    Array.from({ length: 50_000 }, (_none, at) => ({
      id: `row-${at}`,
      name: `Somebody number ${at} of a very long list of people who wait for it`,
      amount: at % 1_000 === changed ? -1 : at / 4,
      tags: ['a', 'b', `c${at % 97}`],
    }));
  const line = 'A line of the document that goes on and on until it has to be wrapped. ';
  const lines = (changed: number) => {
    const all = Array.from(
      { length: Math.floor((10 * MiB - 4_000) / (line.length + 8)) },
      (_none, at) => `${line}${at % 5_000 === changed ? 'changed' : at % 7}`,
    );
    return all.join('\n');
  };
  const input = (changed: number) =>
    pressText(own.demo, {
      payload: { rows: rows(changed) },
      review_document: lines(changed),
      review_seconds: 900,
    });
  const first = await file(own.producer, input(1));
  const { status, body, text } = await own.producer.post(
    `/v2/requests/${first}/supersede`,
    input(2),
  );
  expect([status, status === 201 ? '' : text]).toEqual([201, '']);
  const { page, faults, close } = await setting.ruth(null);
  note(
    'review of twice 10 MiB',
    await workUntil(
      page,
      () => page.goto(setting.address(`/review/${body.request.id}`)),
      async () => {
        await page
          .getByRole('table', { name: 'rows as a table' })
          .getByRole('row')
          .nth(5)
          .waitFor();
        await page.getByRole('radio', { name: 'Approve' }).check();
      },
    ),
  );
  note(
    'its differences from 10 MiB before',
    await workUntil(
      page,
      () => page.getByRole('button', { name: 'Show what changed' }).click(),
      () => page.locator('.changed-line, .changes li').first().waitFor(),
    ),
  );
  expect(await findings(page)).toEqual([]);
  expect(faults).toEqual([]);
  await close();
});
