import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SecurityEvent, SecurityList, SecurityPages } from '@countersign/protocol';
import type { Browser, Page } from 'playwright-core';
import type { Client } from '../support/client.js';
import { personOf } from '../support/client.js';
import { newFolder } from '../support/folder.js';
import { runCommand } from '../support/instance.js';
import { inParallel } from '../support/parallel.js';
import { until } from '../support/requests.js';
import { connectTo } from '../support/truths.js';
import { findings } from './support/accessibility.js';
import { DESKTOP, logIn, openContext, startBrowser } from './support/browser.js';
import type { Watched } from './support/browser.js';
import { startDay } from './support/day.js';
import type { Day } from './support/day.js';
import { picture } from './support/pictures.js';

// The security log as auditors and operators read it in a browser, against the product.

const LOG = '/operator/data/security-log';
const READS = 130;

let day: Day;
let browser: Browser;
let watched: Watched;
let page: Page;
let origin: string;
/** The auditor's session, for calls of the operations beside the page. */
let auditor: Client;

beforeAll(async () => {
  [day, browser] = await Promise.all([
    startDay({ SECURITY_CHECKPOINT_SECONDS: '1' }),
    startBrowser(),
  ]);
  const { demo, dataDirectory } = day.instance;
  origin = demo.origin;
  auditor = await personOf(demo, dataDirectory, 'anna');
  await inParallel(Array.from({ length: READS }), 8, async () => {
    const answer = await day.operator.get(`/v2/requests/${day.granted}/material`);
    expect(answer.status).toBe(200);
  });
  watched = await openContext(browser);
  page = watched.page;
  await logInAsAuditor(page);
  await wholeLog();
});

afterAll(async () => {
  await browser?.close();
  await day?.instance.stop();
});

afterEach(() => {
  expect(watched.faults).toEqual([]);
});

const open = async (query = '') => {
  await page.goto(`${origin}/security-log${query}`);
};
const see = (text: string | RegExp) => page.getByText(text).first().waitFor();
const press = (name: string | RegExp) => page.getByRole('button', { name }).click();
/** The part of the page that verifies and saves. */
const unfold = () => page.getByText('Verify the log, or save it').click();
const rows = () => page.locator('tbody tr');

async function logInAsAuditor(of: Page): Promise<void> {
  await of.goto(`${origin}/security-log`);
  await of.getByRole('button', { name: 'Anna Auditor' }).click();
  await of.waitForURL(`${origin}/security-log`);
}

async function list(query: string): Promise<SecurityEvent[]> {
  const { status, body } = await auditor.get(`${LOG}?${query}`);
  expect(status).toBe(200);
  return (body as SecurityList).items.map(({ entry }) => JSON.parse(entry) as SecurityEvent);
}

/** The whole log, once a checkpoint covers its end. */
async function wholeLog(): Promise<SecurityPages> {
  return until(
    async () => (await auditor.get(`${LOG}/pages`)).body as SecurityPages,
    ({ entries, checkpoints }) =>
      entries.length > READS &&
      checkpoints.some(({ statement }) => statement.includes(`\n${entries.length}\n`)),
  );
}

async function saved(name: string): Promise<{ name: string; text: string }> {
  const [download] = await Promise.all([page.waitForEvent('download'), press(name)]);
  const file = await download.path();
  return { name: download.suggestedFilename(), text: readFileSync(file, 'utf8') };
}

describe('access', () => {
  it('an auditor’s login leads to the log, and the navigation to nothing that would refuse', async () => {
    await page.goto(`${origin}/`);
    await page.waitForURL(`${origin}/security-log`);
    await page.getByRole('heading', { name: 'Security log', level: 1 }).waitFor();
    const links = await page.locator('header nav a').allTextContents();
    expect(links).toEqual(['Security log', 'Audit']);
    expect(await page.locator('nav.places').count()).toBe(0);
    expect((await page.goto(`${origin}/operator`))?.status()).toBe(403);
    expect((await page.goto(`${origin}/review/${day.granted}`))?.status()).toBe(404);
  });

  it('an auditor sees their own sessions and ends those of other browsers', async () => {
    const lost = await openContext(browser);
    await logInAsAuditor(lost.page);
    await page.goto(`${origin}/sessions`);
    await press('End all others');
    await see('ended.');
    await lost.page.reload();
    await lost.page.getByRole('link', { name: 'Sign in' }).waitFor();
    await lost.close();
    auditor = await personOf(day.instance.demo, day.instance.dataDirectory, 'anna');
    const [ended] = await until(
      () => list('kind=session.ended&actor=anna'),
      (found) => found.length > 0,
    );
    expect(ended?.actor).toEqual({ id: 'anna', kind: 'auditor' });
  });

  it('an operator comes by the places, and goes on from an entry to its request', async () => {
    const operator = await openContext(browser);
    await logIn(operator.page, day.instance.demo, 'Otto Operator');
    await operator.page.goto(`${origin}/operator/principals`);
    const row = operator.page.locator('tbody tr', { hasText: 'Anna Auditor' });
    expect(await row.innerText()).not.toContain('No token');
    await operator.page.getByRole('link', { name: 'Security log' }).click();
    await operator.page.getByRole('link', { name: /^…/ }).first().click();
    await operator.page.waitForURL(`${origin}/operator/requests/*`);
    expect(operator.faults).toEqual([]);
    await operator.close();
  });

  it('others are refused', async () => {
    const other = await openContext(browser);
    await logIn(other.page, day.instance.demo, 'Ruth Reviewer');
    expect((await other.page.goto(`${origin}/security-log`))?.status()).toBe(403);
    await other.page.getByRole('link', { name: 'operator_required' }).waitFor();
    await other.close();
  });
});

describe('the page', () => {
  it('shows the newest hundred, and goes on when asked', async () => {
    await open();
    await rows().nth(99).waitFor();
    expect(await rows().count()).toBe(100);
    expect(await findings(page)).toEqual([]);
    await picture(page, 'security-log');
    await picture(page, 'security-log-phone', { phone: true, dark: true });
    await press('Load more');
    await rows().nth(100).waitFor();
    const numbers = await page.locator('tbody td:first-child').allTextContents();
    const first = Number(numbers[0]);
    expect(numbers.map(Number)).toEqual(numbers.map((_, place) => first - place));
    expect(new Set(numbers).size).toBe(numbers.length);
  });

  it('finds by event, actor and time, and the address holds the search', async () => {
    await open();
    await page.getByLabel('Event').selectOption('A principal was changed');
    await page.getByLabel('Actor').fill(day.instance.demo.operator.id);
    await page.getByLabel('Since').fill('2026-01-01T00:00');
    await press('Find');
    await page.waitForURL(/kind=principal\.changed/);
    await rows().first().waitFor();
    const expected = await list(
      `kind=principal.changed&actor=${day.instance.demo.operator.id}&since=2026-01-01T00:00:00Z`,
    );
    expect(expected.length).toBeGreaterThan(3);
    expect(await rows().count()).toBe(expected.length);
    expect(await page.locator('tbody td:nth-child(2)').allTextContents()).toEqual(
      expected.map(() => 'A principal was changed'),
    );
    await page.getByRole('link', { name: 'Clear' }).click();
    await page.waitForURL(`${origin}/security-log`);
    await rows().nth(99).waitFor();
  });

  it('shows one entry whole, and leads on to other entries of its actor', async () => {
    await open(`?request=${day.granted}`);
    await page.getByRole('button', { name: 'Private material was read' }).first().click();
    const dialog = page.getByRole('dialog');
    for (const words of [
      'operator with a token',
      'the request service',
      'sha256:',
      'Not verified',
    ]) {
      await dialog.getByText(words).first().waitFor();
    }
    expect(await findings(page)).toEqual([]);
    await picture(page, 'security-log-entry');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Private material was read' }).first().click();
    await dialog.getByRole('link', { name: 'All by this actor' }).click();
    await page.waitForURL(/actor=/);
  });

  it.each([390, 1440])(
    'fits a window of %d px, in which nothing has to be moved sideways',
    async (width) => {
      await page.setViewportSize({ width, height: 900 });
      await open();
      await rows().nth(99).waitFor();
      const [inner, whole] = await page.evaluate(() => [
        document.documentElement.clientWidth,
        document.documentElement.scrollWidth,
      ]);
      expect(whole).toBeLessThanOrEqual(inner as number);
      expect(await findings(page)).toEqual([]);
      await page.setViewportSize(DESKTOP);
    },
  );

  it('works only by keyboard: the search, an entry, and back', async () => {
    await open();
    await rows().nth(99).waitFor();
    await unfold();
    await page.getByRole('link', { name: 'Skip to content' }).focus();
    const reached: string[] = [];
    const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '');
    for (let step = 0; step < 80; step += 1) {
      await page.keyboard.press('Tab');
      reached.push(await focused());
      if (reached.at(-1) === 'Private material was read') break;
    }
    expect(reached).toEqual(expect.arrayContaining(['Verify the whole log', 'Find']));
    expect(reached.at(-1)).toBe('Private material was read');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await focused()).toBe('Private material was read');
  });
});

describe('states', () => {
  it('says when nothing fits', async () => {
    await open('?actor=somebody-else');
    await see('No entry matches');
    expect(await findings(page)).toEqual([]);
  });

  it('shows a refusal, and tries again', async () => {
    const refused = {
      status: 503,
      error: 'service_unavailable',
      title: 'The service is unavailable',
    };
    await page.route(`**${LOG}*`, (route) =>
      route.fulfill({
        status: 503,
        contentType: 'application/problem+json',
        body: JSON.stringify({ ...refused, detail: 'Why.', instance: 'trace-1' }),
      }),
    );
    await open();
    await see('service_unavailable · trace trace-1');
    expect(await findings(page)).toEqual([]);
    await page.unroute(`**${LOG}*`);
    await press('Try again');
    await rows().nth(99).waitFor();
  });

  it('leads back to the search after a session that ran out', async () => {
    await open(`?request=${day.granted}`);
    await rows().first().waitFor();
    await watched.context.clearCookies();
    await unfold();
    await press('Save the matching entries as CSV');
    await see('Your session has ended');
    await page.getByRole('link', { name: 'Sign in again' }).click();
    await page.getByRole('button', { name: 'Anna Auditor' }).click();
    await page.waitForURL(`${origin}/security-log?request=${day.granted}`);
  });
});

describe('verification', () => {
  it('verifies the chain and its checkpoints in this browser, and shows the state of each entry', async () => {
    await open();
    await rows().nth(99).waitFor();
    await unfold();
    await press('Verify the whole log');
    await see('The security log holds');
    await page.locator('tbody').getByText('Under a checkpoint').first().waitFor();
    expect(await page.locator('tbody').getByText('Differs from the verified entry').count()).toBe(
      0,
    );
    expect(await findings(page)).toEqual([]);
    await picture(page, 'security-log-verified');
  });

  it('names the first entry that was rewritten in the database', async () => {
    const database = await connectTo(day.instance);
    const { tenant } = day.instance.demo;
    const rewrite = (from: string, to: string) =>
      database.query(
        'UPDATE security_entry SET entry = replace(entry, $2, $3) WHERE tenant = $1 AND sequence = 4',
        [tenant, from, to],
      );
    const { rows: kept } = await database.query<{ kind: string }>(
      'SELECT kind FROM security_entry WHERE tenant = $1 AND sequence = 4',
      [tenant],
    );
    const kind = kept[0]?.kind ?? '';
    await rewrite(`"kind":"${kind}"`, '"kind":"app.read"');
    await open();
    await unfold();
    await press('Verify the whole log');
    await page.getByRole('alert').getByText('The security log does NOT hold').waitFor();
    await see('Entry 4 is the first that does not verify');
    await press('Show entry 4');
    await page.locator('tbody td:first-child', { hasText: /^4$/ }).waitFor();
    await rewrite('"kind":"app.read"', `"kind":"${kind}"`);
    await database.end();
    await press('Verify it again');
    await see('The security log holds');
  });

  it('fails for a checkpoint of another key, and for a page that was left out', async () => {
    const answers = `**${LOG}/pages*`;
    const alter = (change: (pages: SecurityPages) => unknown) =>
      page.route(answers, async (route) => {
        const response = await route.fetch();
        const body = JSON.stringify(change((await response.json()) as SecurityPages));
        await route.fulfill({ response, body });
      });
    await open();
    await unfold();
    for (const [change, words] of [
      [
        ({ checkpoints, ...pages }: SecurityPages) => ({
          ...pages,
          checkpoints: checkpoints.map((each) => ({ ...each, key_id: 'ledger-unknown' })),
        }),
        'does not verify',
      ],
      [
        ({ entries, checkpoints: _, ...pages }: SecurityPages) => ({
          ...pages,
          entries: entries.slice(2),
          checkpoints: [],
        }),
        'It does not continue the chain before it.',
      ],
      [
        ({ security_log: of, ...pages }: SecurityPages) => ({
          ...pages,
          security_log: { ...of, tenant: 'other' },
        }),
        'does not verify',
      ],
    ] as const) {
      await alter(change);
      await press(/^Verify/);
      await page.getByRole('alert').getByText('The security log does NOT hold').waitFor();
      await see(words);
      await page.unroute(answers);
    }
  });
});

describe('files', () => {
  it('the CSV is the operation’s own, of the search', async () => {
    const query = 'kind=principal.changed';
    await open(`?${query}`);
    await rows().first().waitFor();
    await unfold();
    const { name, text } = await saved('Save the matching entries as CSV');
    expect(name).toBe('security-log.csv');
    const own = await auditor.get(`${LOG}/csv?${query}`);
    expect(text).toBe(own.text);
    expect(text.split('\r\n').length).toBe((await list(query)).length + 2);
    const [noted] = await until(
      () => list('kind=security_log.exported&actor=anna'),
      (found) => found.length > 0,
    );
    expect(noted?.detail).toMatchObject({ filters: ['kind'], format: 'csv' });
  });

  it('the JSON holds for countersign verify', async () => {
    await wholeLog();
    await open();
    await unfold();
    const { name, text } = await saved('Save the whole log as JSON');
    const { entries } = JSON.parse(text) as SecurityPages;
    expect(name).toBe(`security-log-1-${entries.length}.json`);
    const file = join(newFolder('security-log'), name);
    writeFileSync(file, text);
    const { dataDirectory } = day.instance;
    const verified = await runCommand([
      ...['verify', file, '--trust', join(dataDirectory, 'trust.json')],
      ...['--store', join(dataDirectory, 'anchor'), '--json'],
    ]);
    expect(JSON.parse(verified.stdout)).toMatchObject({ verdict: 'holds', kind: 'security log' });
    const noted = await until(
      async () =>
        (await list('kind=security_log.exported&actor=anna')).filter(
          ({ detail }) => detail['format'] === 'json',
        ),
      (found) => found.length > 0,
    );
    expect(noted.map(({ detail }) => detail['filters'])).toEqual([[]]);
  });
});
