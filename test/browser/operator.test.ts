import { gzipSync } from 'node:zlib';
import {
  canonicalText,
  createTrustManifest,
  generateSigningKey,
  valueDigest,
} from '@countersign/protocol';
import type { Browser, Page } from 'playwright-core';
import { Client, personOf } from '../support/client.js';
import { authorisedRequest, reviewInput, until } from '../support/requests.js';
import { findings } from './support/accessibility.js';
import { DESKTOP, PHONE, logIn, openContext, startBrowser } from './support/browser.js';
import type { Watched } from './support/browser.js';
import { startDay } from './support/day.js';
import type { Day } from './support/day.js';
import { picture } from './support/pictures.js';

// The operator pages as an operator uses them: a person with that power, in a browser, against the product.

let day: Day;
let browser: Browser;
let watched: Watched;
let page: Page;
let origin: string;

beforeAll(async () => {
  [day, browser] = await Promise.all([startDay(), startBrowser()]);
  origin = day.instance.demo.origin;
  watched = await openContext(browser);
  page = watched.page;
  await logIn(page, day.instance.demo, 'Otto Operator');
});

afterAll(async () => {
  await browser?.close();
  await day?.instance.stop();
});

afterEach(() => {
  expect(watched.faults).toEqual([]);
});

const open = async (path: string) => {
  await page.goto(`${origin}/operator${path}`);
};
const see = (text: string | RegExp) => page.getByText(text).first().waitFor();
const press = (name: string | RegExp) => page.getByRole('button', { name }).click();

describe('access', () => {
  it('a person without the power is refused, and sees no link', async () => {
    const { page: other, context } = await openContext(browser);
    await logIn(other, day.instance.demo, 'Ruth Reviewer');
    expect(await other.getByRole('link', { name: 'Admin' }).count()).toBe(0);
    const answer = await other.goto(`${origin}/operator`);
    expect(answer?.status()).toBe(403);
    await other.getByRole('link', { name: 'operator_required' }).waitFor();
    const data = await other.goto(`${origin}/operator/data/routes`);
    expect(data?.status()).toBe(403);
    await context.close();
  });

  it('an operator comes by the navigation', async () => {
    await page.goto(`${origin}/inbox`);
    await page.getByRole('link', { name: 'Admin' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  });
});

describe('every page', () => {
  const pages: readonly [path: string, seen: string | RegExp, picture: string][] = [
    ['', 'Waiting for a review', 'operator-overview'],
    ['/requests', 'Publish the release notes of 4.2', 'operator-requests'],
    ['/requests?state=cancelled', 'Rename the staging cluster', ''],
    ['/incidents', 'An outcome came without an admission', 'operator-incidents'],
    ['/deliveries?state=pending', 'It was not accepted', 'operator-deliveries'],
    ['/routes', 'execution', ''],
    ['/routes/execution', 'Separation of duties', ''],
    ['/routes?new', 'Name of the route', ''],
    ['/principals', 'Payments agent', 'operator-principals'],
    ['/principals/producer-1', 'Webhook secret', ''],
    ['/principals/operator-1', /with the command “countersign operator”/, ''],
    ['/principals?new', 'Identity provider', ''],
    ['/ledger', 'Entries', ''],
    ['/nowhere', 'This operator page does not exist', ''],
  ];
  it.each(pages)('/operator%s has its content and is accessible', async (path, seen, name) => {
    await open(path);
    await see(seen);
    expect(await findings(page)).toEqual([]);
    if (name !== '') await picture(page, name);
  });

  it('nothing is about decisions of several people where they are not offered', async () => {
    await open('/routes/execution');
    await see('Separation of duties');
    expect(await page.locator('#policy').count()).toBe(0);
    expect(await page.content()).not.toContain('data-approvals');
  });

  it('a request shows its states, records, deliveries and incidents', async () => {
    await open(`/requests/${day.executed}`);
    await see('An outcome came without an admission');
    await see('A decision');
    await page.locator('summary', { hasText: 'A claim' }).click();
    await see('"execution_identity"');
    await see('It was not accepted');
    expect(await findings(page)).toEqual([]);
    await picture(page, 'operator-request', { whole: true });
  });

  it('on a phone the list comes before its filter, and the current place is in view', async () => {
    await page.setViewportSize(PHONE);
    await open('/requests');
    await see('Publish the release notes of 4.2');
    await page.getByText('Filters', { exact: true }).waitFor();
    const row = await page.locator('.table tbody tr').first().boundingBox();
    await open('/ledger');
    const place = await page.locator('.places [aria-current]').boundingBox();
    await page.setViewportSize(DESKTOP);
    expect(row?.y).toBeLessThan((PHONE.height * 2) / 3);
    expect(place?.x).toBeGreaterThanOrEqual(0);
    expect((place?.x ?? 0) + (place?.width ?? 0)).toBeLessThanOrEqual(PHONE.width);
  });

  it('words of others are words', async () => {
    await open(`/requests/${day.strange}`);
    await page.locator('h1 .mark').first().waitFor();
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.locator('h1 .mark').count()).toBe(4);
    await open('/requests');
    await page.locator('td .mark').first().waitFor();
  });

  it('works by keyboard: the places, and a list', async () => {
    await open('/requests');
    await see('Publish the release notes of 4.2');
    await page.getByRole('link', { name: 'Skip to content' }).focus();
    const reached: string[] = [];
    for (let step = 0; step < 60; step += 1) {
      await page.keyboard.press('Tab');
      reached.push(await page.evaluate(() => document.activeElement?.textContent ?? ''));
    }
    expect(reached).toEqual(expect.arrayContaining(['Ledger', 'Find']));
    expect(reached.some((text) => text.includes('Transfer € 48,200.00'))).toBe(true);
  });
});

it.each(['/operator', '/operator/ledger', '/auditor'])(
  '%s weighs less than 100 kB at first view',
  async (path) => {
    const { page: other, context } = await openContext(browser);
    await context.addCookies(await watched.context.cookies());
    const weighed: Promise<number>[] = [];
    context.on('response', (response) => {
      const { pathname } = new URL(response.url());
      // The verifier comes when the page is there already.
      if (/^\/(assets\/(?!verifying-worker)|operator(\/ledger)?$|auditor$)/.test(pathname)) {
        weighed.push(response.body().then((body) => gzipSync(body).length));
      }
    });
    await other.goto(origin + path);
    await other.getByRole('heading', { level: 1 }).waitFor();
    const bytes = (await Promise.all(weighed)).reduce((sum, each) => sum + each, 0);
    process.stdout.write(`first view of ${path}, gzipped: ${(bytes / 1000).toFixed(1)} kB\n`);
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThan(100_000);
    await context.close();
  },
);

describe('figures of reviews', () => {
  it('cover a range of time, with the same as numbers, by route and by person', async () => {
    await open('?range=7d');
    await see('How reviews went');
    const charts = page.getByRole('img', { name: /Arrow keys move over the periods/ });
    await charts.first().locator('canvas').waitFor();
    expect(await charts.count()).toBe(4);
    await charts.nth(1).focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowLeft');
    const words = page.locator('.figure-words').nth(1);
    expect(await words.innerText()).toMatch(/Arrived\s+0\s+Decided\s+0/);
    for (let step = 0; step < 40; step += 1) await page.keyboard.press('ArrowRight');
    expect(await words.innerText()).not.toMatch(/Arrived\s+0/);
    const people = page.getByRole('table', { name: 'By person' });
    await people.getByRole('row', { name: /Ruth Reviewer/ }).waitFor();
    await page
      .getByRole('table', { name: 'By route' })
      .getByRole('row', { name: /execution/ })
      .waitFor();
    expect(await findings(page)).toEqual([]);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save as CSV' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('figures-7d.csv');
    await page.getByRole('link', { name: '30 days' }).click();
    await page.waitForURL(/range=30d/);
  });

  it('a request is found by words and by its execution, and the list is saved', async () => {
    await open('/requests');
    await page.getByRole('searchbox', { name: 'Search' }).fill('staging RENAME');
    await page.getByText('1 request loaded').waitFor();
    await see('Rename the staging cluster');
    // Words stand where no server gets them.
    expect(page.url()).toMatch(/\/operator\/requests#q=staging/);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save these as CSV' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('requests.csv');
    await open('/requests?execution=admitted&state=pending');
    await see('No request matches');
    expect(await findings(page)).toEqual([]);
  });
});

describe('states', () => {
  it('loading, then the loaded content', async () => {
    let let_go = () => {};
    const held = new Promise<void>((resolve) => (let_go = resolve));
    await page.route('**/operator/data/routes*', async (route) => {
      await held;
      await route.continue();
    });
    await open('/routes');
    await page.getByRole('status').getByText('Loading').waitFor();
    let_go();
    await page.getByRole('link', { name: 'review', exact: true }).waitFor();
    await page.unroute('**/operator/data/routes*');
  });

  it.each([
    [503, 'service_unavailable', 'The service is unavailable'],
    [403, 'operator_required', 'For operators'],
  ])('refused with %d %s: says so, and tries again', async (status, error, title) => {
    await page.route('**/operator/data/incidents*', (route) =>
      route.fulfill({
        status,
        contentType: 'application/problem+json',
        body: JSON.stringify({ title, status, detail: 'Why.', error, instance: 'trace-1' }),
      }),
    );
    await open('/incidents');
    await see(title);
    await see(`${error} · trace trace-1`);
    if (status === 503) expect(await findings(page)).toEqual([]);
    await page.unroute('**/operator/data/incidents*');
    await press('Try again');
    await see('An outcome came without an admission');
  });

  it('offline: says so, and keeps its content', async () => {
    await open('');
    await see('Waiting for a review');
    await watched.context.setOffline(true);
    await see('You are offline');
    await see('The service did not answer');
    await see('The last reading was');
    await see('Waiting for a review');
    await watched.context.setOffline(false);
  });

  it('empty', async () => {
    const { page: other, context } = await openContext(browser);
    await logIn(other, day.instance.demo, 'Oda Operator');
    for (const [path, words] of [
      ['/requests', 'There are no requests yet'],
      ['/incidents', 'There have been no incidents'],
      ['/deliveries', 'None in this state'],
    ] as const) {
      await other.goto(`${origin}/operator${path}`);
      await other.getByText(words).waitFor();
    }
    expect(await findings(other)).toEqual([]);
    await context.close();
  });

  it('a session that ended', async () => {
    const { page: other, context } = await openContext(browser);
    await logIn(other, day.instance.demo, 'Otto Operator');
    await other.goto(`${origin}/operator/routes`);
    await other.getByRole('link', { name: 'review', exact: true }).waitFor();
    await context.clearCookies();
    await other.evaluate(() => window.dispatchEvent(new Event('focus')));
    await other.getByText('Your session has ended').waitFor();
    await context.close();
  });
});

describe('the overview', () => {
  it('names items that need attention, and draws the metrics', async () => {
    // The page that was open reads no more.
    await page.goto('about:blank');
    let readings = 0;
    page.on('response', (response) => {
      if (response.url().endsWith('/v2/admin/metrics')) readings += 1;
    });
    await page.clock.install();
    await open('');
    await see('incident in the last 24 hours');
    for (let reading = 0; reading < 12; reading += 1) {
      // A day in a minute: questions come in bursts.
      for (let each = 0; each < [0, 1, 0, 2, 3, 0, 1, 0, 0, 2, 1, 0][reading]!; each += 1) {
        await day.producer.post('/v2/requests', reviewInput(day.instance.demo));
      }
      const read = page.waitForResponse('**/v2/admin/metrics');
      await page.clock.runFor(5_000);
      await read;
    }
    const chart = page.getByRole('img', { name: /Waiting requests: 4 at first, 14 now/ });
    await chart.waitFor();
    // Its clock goes on by itself as well: on a slow machine there are more readings than these.
    const points = await until(
      async () => (await chart.locator('polyline').getAttribute('points')) ?? '',
      (drawn) => drawn.split(' ').length === readings,
    );
    expect(readings).toBeGreaterThanOrEqual(13);
    expect(points).toMatch(/^0,.* 240,7.3$/);
    expect(await findings(page)).toEqual([]);
    await picture(page, 'operator-overview', { whole: true });
    await picture(page, 'operator-overview-dark', { whole: true, dark: true });
    await picture(page, 'operator-overview-phone', { phone: true });
    // Gives the page its real clock back.
    await page.clock.resume();
  });
});

describe('a route', () => {
  const remove = (who: string) => page.getByRole('button', { name: `Remove ${who}` }).click();

  it('shows the effects of a change before it can be saved, and exactly these happen', async () => {
    const { instance, operator, granted } = day;
    await open('/routes/execution');
    await see('Separation of duties');
    await page.getByLabel('fixed_mock').uncheck();
    expect(await page.getByRole('button', { name: /^Save/ }).count()).toBe(0);
    await press('See what this changes');
    await see('2 requests lose authority');
    await see('1 waiting review ends.');
    await see('1 unused grant is revoked.');
    await see('The revision moves from 1 to 2.');
    await see('Transfer € 48,200.00 to Nordwind Logistik GmbH');
    expect(await findings(page)).toEqual([]);
    await picture(page, 'operator-route-change', { whole: true });

    // Nothing has happened yet, and an edit takes the look back.
    const state = async () => (await operator.get(`/v2/requests/${granted}`)).body.grant_state;
    expect(await state()).toBe('available');
    await page.getByLabel('Time to decide, seconds').fill('3600');
    await page.getByRole('button', { name: /^Save/ }).waitFor({ state: 'detached' });
    await press('See what this changes');
    await press('Save, with these consequences');
    await see('Saved as revision 2.');
    expect(await state()).toBe('revoked');
    const { body } = await (await humanOperator()).get('/operator/data/routes?id=execution');
    expect(body.items[0].config).toMatchObject({
      modes: ['live_window', 'durable'],
      limits: { review_seconds: 3600 },
    });
    expect(instance.demo.routes.execution).toBe('execution');
  });

  it('a change of members that takes nothing away says so', async () => {
    await open('/routes?new');
    await page.getByLabel('Name of the route').fill('contracts');
    await page.getByLabel('Add: Reviewers').fill('reviewer-1');
    await page.keyboard.press('Enter');
    await press('See what this changes');
    await see('It is new, so nothing is affected.');
    await press('Save');
    await page.waitForURL('**/operator/routes/contracts');
    await page.getByLabel('Add: Reviewers').fill('reviewer-2');
    await page
      .getByRole('group', { name: 'Reviewers' })
      .getByRole('button', { name: 'Add' })
      .click();
    await press('See what this changes');
    await see('No request is affected.');
    await see('The revision stays 1');
    await press('Save');
    await see('Saved as revision 1.');
  });

  it('shows its own faults, and those that the service reports, beside the fields', async () => {
    await open('/routes?new');
    await page.getByLabel('Name of the route').fill('no name');
    await page.getByLabel('Time to decide, seconds').fill('99999999');
    await press('See what this changes');
    await see('Only letters, digits');
    await see('A whole number from 1 to 86,400.');
    expect(await findings(page)).toEqual([]);
  });

  it('looks again when more would be lost by the time of saving', async () => {
    const { instance, producer } = day;
    await open('/routes/review');
    await remove('producer-1');
    await press('See what this changes');
    await see(/requests lose authority/);
    await producer.post('/v2/requests', reviewInput(instance.demo));
    await press('Save, with these consequences');
    await see('The change now affects more than when you looked.');
    const { body } = await (await humanOperator()).get('/operator/data/routes?id=review');
    expect(body.items[0].config.allowed_producers).toContain('producer-1');
  });

  it('is not saved over another operator’s change', async () => {
    await open('/routes/contracts');
    await see('Separation of duties');
    const operator = await humanOperator();
    const { body } = await operator.get('/operator/data/routes?id=contracts');
    const { config } = body.items[0];
    await day.operator.put('/v2/admin/routes/contracts', { ...config, modes: ['durable'] });
    await page.getByLabel('live_window').check();
    await press('See what this changes');
    await press('Save');
    await see('Another person has changed this meanwhile.');
  });
});

describe('a principal', () => {
  it('gets a token once; it is neither shown of the change nor ever again', async () => {
    await open('/principals?new');
    await page.getByLabel('Kind').selectOption('producer');
    await page.getByLabel('Id', { exact: false }).first().fill('invoices');
    await page.getByRole('combobox', { name: 'Publisher' }).fill('publisher-1');
    await page.getByRole('combobox', { name: 'Owner' }).fill('owner-1');
    await page
      .getByLabel('Token')
      .locator('xpath=..')
      .getByRole('button', { name: 'Make a new one' })
      .click();
    const token = await page.getByLabel('Token').inputValue();
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    await press('See what this changes');
    const shown = page.getByRole('region', { name: 'Before you save' });
    await shown.getByText('a new one; never shown').waitFor();
    expect(await shown.textContent()).not.toContain(token);
    expect(await findings(page)).toEqual([]);
    await press('Hide');
    await picture(page, 'operator-principal-new', { whole: true });
    await press('Save');
    await page.waitForURL('**/operator/principals/invoices');
    await see('There is one. Leave this empty to keep it');
    expect(await page.content()).not.toContain(token);
    expect((await new Client(origin, { token }).get('/v2/requests')).status).toBe(200);
  });

  it('is refused with the service’s words, before anything is saved', async () => {
    await open('/principals/invoices');
    await page.getByRole('combobox', { name: 'Publisher' }).fill('nobody');
    await press('See what this changes');
    await page.getByRole('link', { name: /publisher_and_owner_required/ }).waitFor();
    expect(await page.getByRole('button', { name: /^Save/ }).count()).toBe(0);
  });

  it('disabling a person has effects, and the page shows them before', async () => {
    const { instance, producer, reviewer } = day;
    await authorisedRequest(instance.demo, producer, reviewer);
    await open('/principals/reviewer-1');
    await page.getByLabel('Enabled').uncheck();
    await press('See what this changes');
    await see('its reviewer may no longer decide');
    await press('Back to the form');
    await page.getByRole('button', { name: 'See what this changes' }).waitFor();
  });
});

describe('a request', () => {
  it('is not done twice though the answer was lost, and the page does not guess', async () => {
    const { operator, waiting } = day;
    const [id = ''] = waiting;
    await open(`/requests/${id}`);
    await press('Cancel');
    const dialog = page.getByRole('dialog', { name: 'Cancel' });
    await dialog.getByText('The review ends and can no longer be decided.').waitFor();
    const keys: (string | undefined)[] = [];
    await page.route('**/cancel', async (route) => {
      keys.push(route.request().headers()['idempotency-key']);
      // It takes effect, and its answer is lost.
      await route.fetch();
      await route.abort('connectionreset');
    });
    await dialog.getByRole('button', { name: 'Yes, do it' }).click();
    await dialog.getByText('the result is not known').waitFor();
    await page.unroute('**/cancel');
    await page.route('**/cancel', async (route) => {
      keys.push(route.request().headers()['idempotency-key']);
      await route.continue();
    });
    await dialog.getByRole('button', { name: 'Try again' }).click();
    await see('Done.');
    await page.locator('dd', { hasText: 'Cancelled' }).waitFor();
    expect(new Set(keys).size).toBe(1);
    expect(keys).toHaveLength(2);
    const { body } = await operator.get(`/v2/requests/${id}`);
    expect([body.decision_state, body.revision]).toEqual(['cancelled', 2]);
    await page.unroute('**/cancel');
  });

  it('an outcome is settled with reason and evidence, signed in the operator’s name', async () => {
    await open(`/requests/${day.executed}`);
    await press('Settle the outcome');
    const dialog = page.getByRole('dialog', { name: 'Settle the outcome' });
    await dialog.getByLabel('Outcome').selectOption('failed');
    await dialog.getByLabel('Reason').fill('The bank rejected it.');
    await dialog.getByLabel('Evidence').fill('Statement 2026-11-21, line 4');
    expect(await findings(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Yes, do it' }).click();
    await see('Done.');
    await see('An outcome settled by an operator');
    const { body } = await day.operator.get(`/v2/requests/${day.executed}`);
    expect(body.outcome.payload).toMatchObject({
      recorded_by: { kind: 'operator', subject: 'otto' },
    });
    expect(body.execution_state).toBe('failed');
  });
});

describe('the ledger', () => {
  it('is verified in the browser, every link and signature', async () => {
    await until(
      () => day.operator.get('/v2/admin/ledger?after=20'),
      ({ body }) => body.length > 0,
    );
    await open('/ledger');
    await press('Verify the whole ledger');
    await see('The ledger holds');
    const said = await page.getByRole('status').filter({ hasText: 'entries follow' }).textContent();
    const [, entries = '0'] = /([\d,]+) entries/.exec(said ?? '') ?? [];
    expect(Number(entries.replace(',', ''))).toBeGreaterThan(20);
    await see('Compare it with the checkpoint');
    expect(await findings(page)).toEqual([]);
    await picture(page, 'operator-ledger');
  });

  it.each([
    [
      'a record that was changed',
      (record: any) => ({ ...record, payload: { ...record.payload, enabled: false } }),
      'Its record is not the one that was chained.',
    ],
    [
      'a signature of somebody else',
      (record: any) => record,
      'Its signature does not fit its content.',
    ],
  ])('does not hold with %s, and says where', async (name, tamper, words) => {
    const forged = name.startsWith('a signature');
    await page.route('**/v2/admin/ledger?after=0', async (route) => {
      const response = await route.fetch();
      const entries = (await response.json()) as any[];
      let previous = entries[3].previous_head;
      for (const entry of entries.slice(3)) {
        if (entry.sequence === '4') {
          const record = tamper(JSON.parse(entry.record));
          // An attacker who rewrites a chain also recomputes it; a signature cannot be recomputed.
          if (forged)
            record.signature = `${record.signature.slice(0, 20)}AAAA${record.signature.slice(24)}`;
          entry.record = canonicalText(record);
          if (forged) entry.record_digest = valueDigest(record);
        }
        entry.previous_head = previous;
        const { record_digest, sequence } = entry;
        entry.head = valueDigest({ previous, record_digest, sequence: Number(sequence) });
        previous = entry.head;
      }
      await route.fulfill({ response, json: entries });
    });
    await open('/ledger');
    await press('Verify the whole ledger');
    const alert = page.getByRole('alert').filter({ hasText: 'does NOT hold' });
    await alert.getByText('Entry 4 is the first that does not verify').waitFor();
    await alert.getByText(words).waitFor();
    if (!forged) await picture(page, 'operator-ledger-tampered');
    await page.unroute('**/v2/admin/ledger?after=0');
  });

  it('is not trusted under another manifest’s keys', async () => {
    const key = generateSigningKey('stranger');
    const day_ms = 86_400_000;
    const window = { notBefore: Date.now() - day_ms, notAfter: Date.now() + day_ms };
    const manifest = createTrustManifest(origin, {
      keyId: 'stranger',
      publicPem: key.publicPem,
      ...window,
    });
    await open('/ledger');
    await page.locator('input[type=file]').setInputFiles({
      name: 'trust.json',
      mimeType: 'application/json',
      buffer: Buffer.from(JSON.stringify(manifest)),
    });
    await press('Verify the whole ledger');
    await see('The trust manifest does not list the key that it names.');
  });
});

function humanOperator(): Promise<Client> {
  return personOf(day.instance.demo, day.instance.dataDirectory, 'otto');
}
