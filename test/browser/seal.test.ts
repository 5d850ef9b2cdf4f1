import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fingerprintWords, loadTrust, valueDigest } from '@countersign/protocol';
import type { Evidence, RequestHistory, RequestStatus } from '@countersign/protocol';
import type { Page, Route } from 'playwright-core';
import { pass, untilGone } from '../e2e/retention/fixture.js';
import { runCommand } from '../support/instance.js';
import { newRoute } from '../support/own-route.js';
import { authorisedRequest, claimInput, decide, until } from '../support/requests.js';
import { connectTo } from '../support/truths.js';
import { startWitness } from '../support/witness.js';
import type { StandingWitness } from '../support/witness.js';
import { EVERY_LOOK, findings } from './support/accessibility.js';
import { logIn, openContext } from './support/browser.js';
import { picture } from './support/pictures.js';
import { file, paymentRun } from './support/seed.js';
import type { Setting } from './support/setting.js';
import { confirm, freeze, setUp } from './support/setting.js';

// The seal: what the reader's browser verified of the page that it shows, with a witness outside the service.

let witness: StandingWitness;
let setting: Setting;
let words: string;

beforeAll(async () => {
  witness = await startWitness();
  setting = await setUp({ WITNESSES: witness.setting });
  const { dataDirectory } = setting.instance;
  const trust = join(dataDirectory, 'trust.json');
  words = fingerprintWords(loadTrust(JSON.parse(readFileSync(trust, 'utf8'))).fingerprint);
  const { code, stderr } = await runCommand([
    ...['tree', '--tenant', 'demo', '--trust', trust, '--data', dataDirectory],
    ...['--access', 'witnesses'],
  ]);
  expect([code, stderr]).toEqual([0, '']);
});
afterAll(async () => {
  await setting?.stop();
  witness?.stop();
});

const EVIDENCE = '**/v2/requests/*/evidence';
const reason = 'Amounts and accounts agree with the invoices.';

const seal = (page: Page) => page.locator('.seal');
const button = (page: Page) => seal(page).getByRole('button');
const says = (page: Page) => page.locator('.seal-says').innerText();
/** Awaits the word on the seal; gives its colour and its sentence. */
async function reads(page: Page, word: string) {
  await button(page).filter({ hasText: word }).waitFor();
  const looks = await seal(page).getAttribute('class');
  return [looks?.split(' ')[1], await says(page)];
}

/** Keeps what a reader knows from elsewhere in the browser, as the panel does. */
async function keepTrust(page: Page, { policy = witness.policy, fingerprint = '' } = {}) {
  await page
    .context()
    .addInitScript(
      ([key, value]) => localStorage.setItem(key as string, value as string),
      ['countersign.trust.reviewer-1', JSON.stringify({ fingerprint, policy })],
    );
}

/** A browser in which Ruth relies on the witness and has not opened a page yet. */
async function ruthWithPolicy(trust = {}) {
  const watched = await setting.ruth(null);
  await keepTrust(watched.page, trust);
  return watched;
}

/** A request that Ravi refused, with evidence that the witness has signed for. */
async function refused(): Promise<string> {
  const id = await file(setting.producer, paymentRun(setting.instance.demo));
  expect((await decide(setting.ravi, id, 'refuse', { reason })).status).toBe(200);
  await witnessed(id);
  return id;
}

async function witnessed(id: string): Promise<Evidence> {
  const { body } = await until(
    () => setting.producer.get(`/v2/requests/${id}/evidence`),
    ({ status, body: evidence }) =>
      status === 200 && evidence.export.anchor && evidence.log.checkpoint.includes('ada.example'),
  );
  return body as Evidence;
}

test('an honest receipt is verified, once the reader says who vouches from outside', async () => {
  const id = await file(setting.producer, paymentRun(setting.instance.demo));
  const { page, faults, close } = await setting.ruth(`/review/${id}`);
  await page.getByLabel('Reason').waitFor();
  expect(await seal(page).count()).toBe(0);
  await page.getByLabel('Reason').fill(reason);
  await freeze(page);
  await confirm(page);
  // Without a policy the service alone vouches for its ledger: that is not green.
  expect(await reads(page, 'Nothing fails')).toEqual([
    'neutral',
    'Checked in this browser against the trust manifest that this service publishes. Only the service vouches for its ledger: no witness outside it was asked for.',
  ]);
  expect(await findings(page, EVERY_LOOK)).toEqual([]);
  await witnessed(id);

  // By keyboard alone.
  await button(page).focus();
  await page.keyboard.press('Enter');
  const panel = page.getByRole('dialog', { name: 'The check of this page' });
  await panel.getByText(words).waitFor();
  expect(await panel.locator('h3').allInnerTexts()).toEqual([
    'Verdict',
    'What happened',
    'What vouches for it',
    'Open points',
    'For a stronger check',
    'What you know from elsewhere',
  ]);
  await panel.getByLabel('Fingerprint of the trust manifest').focus();
  await page.keyboard.insertText(words);
  await page.keyboard.press('Tab');
  await page.keyboard.insertText(witness.policy);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await panel.locator('.chip.good', { hasText: 'Verified' }).waitFor();
  expect(await panel.locator('h3').allInnerTexts()).not.toContain('Open points');
  expect(await panel.innerText()).toContain('Enough witnesses have seen the tree grow.');
  await picture(page, 'seal-verified');
  expect(await findings(page, EVERY_LOOK)).toEqual([]);
  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'detached' });
  expect(await page.locator(':focus').innerText()).toContain('Verified');
  const verified =
    'Verified in this browser against the trust manifest whose fingerprint you keep here. Enough of your witnesses have seen the ledger grow.';
  expect(await reads(page, 'Verified')).toEqual(['good', verified]);
  expect(await findings(page, EVERY_LOOK)).toEqual([]);
  await page.reload();
  expect(await reads(page, 'Verified')).toEqual(['good', verified]);
  await page.emulateMedia({ media: 'print' });
  expect(await seal(page).isVisible()).toBe(false);
  expect(faults).toEqual([]);
  await close();
});

test('an operator has the same seal, and a fingerprint of their own excludes other keys', async () => {
  const id = await refused();
  const { page, faults, close } = await openContext(setting.browser);
  await logIn(page, setting.instance.demo, 'Otto Operator');
  await page.goto(setting.address(`/operator/requests/${id}`));
  expect(await reads(page, 'Nothing fails')).toEqual(['neutral', expect.any(String)]);
  await button(page).click();
  const panel = page.getByRole('dialog');
  await panel.getByLabel('Witness policy').fill(witness.policy);
  await panel.getByLabel('Fingerprint of the trust manifest').fill(`sha256:${'0'.repeat(64)}`);
  await panel.getByRole('button', { name: 'Keep and check again' }).click();
  await panel.locator('.chip.warning', { hasText: 'Could not be checked' }).waitFor();
  expect(await says(page)).toContain('another fingerprint than yours');
  expect(await findings(page, EVERY_LOOK)).toEqual([]);
  await panel.getByLabel('Fingerprint of the trust manifest').fill('');
  await panel.getByRole('button', { name: 'Keep and check again' }).click();
  await panel.locator('.chip.good', { hasText: 'Verified' }).waitFor();
  expect(await says(page)).toContain('that this service publishes');
  expect(faults).toEqual([]);
  await close();
});

test('a policy whose witnesses have not signed leaves it neutral', async () => {
  const id = await refused();
  const other = await startWitness('cleo.example/witness');
  other.stop();
  const { page, close } = await ruthWithPolicy({ policy: other.policy });
  await page.goto(setting.address(`/review/${id}`));
  expect(await reads(page, 'Nothing fails')).toEqual([
    'neutral',
    expect.stringContaining('too few of your witnesses have signed'),
  ]);
  await close();
});

describe('tampering', () => {
  let id: string;
  let another: string;
  beforeAll(async () => {
    id = await refused();
    another = await refused();
  });

  /** Gives the page the answer of the service with a change. */
  const changed =
    <Body>(change: (body: Body) => void) =>
    async (route: Route) => {
      const response = await route.fetch();
      if (response.status() !== 200) return route.fulfill({ response });
      const body = (await response.json()) as Body;
      change(body);
      return route.fulfill({ response, body: JSON.stringify(body) });
    };
  const evidence = (change: (body: Evidence) => void) => changed(change);
  const status = (change: (body: RequestStatus) => void) =>
    changed<RequestHistory>((body) => change(body.status));
  const STATUS = /\/inbox\/history\?id=/;

  test.each<[string, string | RegExp, (route: Route) => Promise<void>, string]>([
    [
      'one byte of a record',
      EVIDENCE,
      evidence(({ export: exported }) => {
        const { payload } = exported!.records[0]!;
        (payload as { reviewer: string }).reviewer = 'reviewer-3';
      }),
      'The evidence fails at /export/records/0: It does not verify.',
    ],
    [
      'one byte of a signature',
      EVIDENCE,
      evidence(({ export: exported }) => {
        const record = exported!.records[0]!;
        const first = record.signature.startsWith('A') ? 'B' : 'A';
        record.signature = first + record.signature.slice(1);
      }),
      'The evidence fails at /export/records/0: It does not verify.',
    ],
    [
      'evidence of another request',
      EVIDENCE,
      (route) => route.continue({ url: route.request().url().replace(id, another) }),
      'The service answered with the evidence of another request.',
    ],
    [
      'an export in place of the evidence',
      EVIDENCE,
      (route) => route.continue({ url: route.request().url().replace('/evidence', '/export') }),
      'The service answered with something that is no evidence of a request.',
    ],
    [
      'a receipt that differs on the page',
      STATUS,
      status(({ receipt }) => {
        (receipt!.payload as { decision: string }).decision = 'authorise';
      }),
      'The receipt on this page differs from the evidence at /payload/decision.',
    ],
    [
      'a candidate digest that differs on the page',
      STATUS,
      status(({ receipt }) => {
        (receipt!.payload as { candidate_digest: string }).candidate_digest =
          `sha256:${'0'.repeat(64)}`;
      }),
      'The receipt on this page differs from the evidence at /payload/candidate_digest.',
    ],
    [
      'a state that differs on the page',
      STATUS,
      status((body) => Object.assign(body, { grant_state: 'consumed' })),
      'The state of the authority on this page differs from the evidence.',
    ],
    [
      'a request that differs on the page',
      STATUS,
      status(({ request }) => Object.assign(request, { summary: 'Pay one supplier' })),
      'The request on this page differs from the evidence at /summary.',
    ],
  ])('%s is red, with the reason', async (_, path, handler, reasonSaid) => {
    const { page, faults, close } = await ruthWithPolicy();
    await page.route(path, handler);
    await page.goto(setting.address(`/review/${id}`));
    const [colour, sentence] = await reads(page, 'Does NOT hold');
    expect(colour).toBe('bad');
    expect(sentence).toContain(reasonSaid);
    expect(await page.getByRole('alert').innerText()).toBe(sentence);
    expect(faults).toEqual([]);
    await close();
  });

  test('a red seal and its panel are accessible, and put the failures first', async () => {
    const { page, close } = await ruthWithPolicy();
    await page.route(
      EVIDENCE,
      evidence(({ export: exported }) => {
        exported!.material!.review_document += ' And 1 EUR more.';
      }),
    );
    await page.goto(setting.address(`/review/${id}`));
    await reads(page, 'Does NOT hold');
    expect(await findings(page, EVERY_LOOK)).toEqual([]);
    await button(page).click();
    const panel = page.getByRole('dialog');
    await panel.getByText('material_document').waitFor();
    expect((await panel.locator('h3').allInnerTexts()).slice(0, 3)).toEqual([
      'Verdict',
      'Failed checks',
      'What happened',
    ]);
    expect(await findings(page, EVERY_LOOK)).toEqual([]);
    await close();
  });

  test.each<[string, string, (route: Route) => Promise<void>, RegExp]>([
    [
      'a verifier that does not come',
      '**/assets/verifying-worker*',
      (route) => route.abort(),
      /The verifier did not start/,
    ],
    [
      'a service that does not answer',
      EVIDENCE,
      (route) => route.abort(),
      /The service did not answer/,
    ],
    [
      'a caller without the right',
      EVIDENCE,
      (route) =>
        route.fulfill({
          status: 403,
          contentType: 'application/problem+json',
          body: JSON.stringify({ error: 'forbidden', title: 'Not allowed' }),
        }),
      /Not allowed \(forbidden\)/,
    ],
    [
      'keys that cannot be read',
      '**/.well-known/proto-trust',
      (route) => route.fulfill({ body: '{}' }),
      /./,
    ],
  ])('%s: it could not be checked', async (_, path, handler, why) => {
    const { page, close } = await ruthWithPolicy();
    await page.route(path, handler);
    const colours = await coloursOf(page);
    await page.goto(setting.address(`/review/${id}`));
    expect(await reads(page, 'Could not be checked')).toEqual([
      'warning',
      expect.stringMatching(why),
    ]);
    expect(await colours()).not.toContain('good');
    await close();
  });
});

test('incomplete evidence is waited for, and then verified without a reload', async () => {
  const id = await refused();
  const { page, faults, close } = await ruthWithPolicy();
  const asked: number[] = [];
  await page.route(EVIDENCE, async (route) => {
    asked.push(Date.now());
    if (asked.length > 2) return route.continue();
    return route.fulfill({
      status: 409,
      contentType: 'application/problem+json',
      headers: { 'Retry-After': '1' },
      body: JSON.stringify({ error: 'evidence_incomplete', title: 'Not yet' }),
    });
  });
  const colours = await coloursOf(page);
  await page.goto(setting.address(`/review/${id}`));
  expect(await reads(page, 'Not yet provable')).toEqual([
    'neutral',
    'The ledger has not recorded the last step yet. This page asks again by itself.',
  ]);
  expect(await reads(page, 'Verified')).toEqual(['good', expect.any(String)]);
  expect(asked).toHaveLength(3);
  // As the service asked for, at least.
  expect(Math.min(asked[1]! - asked[0]!, asked[2]! - asked[1]!)).toBeGreaterThanOrEqual(1_000);
  expect(new Set(await colours())).toEqual(new Set(['neutral', 'good']));
  expect(faults).toEqual([]);
  await close();
});

test('a hidden page asks for nothing', async () => {
  const id = await refused();
  const { page, close } = await ruthWithPolicy();
  await page.addInitScript(() => {
    Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });
  });
  let asked = 0;
  page.on('request', (request) => (asked += request.url().endsWith('/evidence') ? 1 : 0));
  await page.goto(setting.address(`/review/${id}`));
  await button(page).filter({ hasText: 'Not checked yet' }).waitFor();
  // Behind the first idle time, in which a visible page would have asked.
  await page.evaluate(() => new Promise((idle) => requestIdleCallback(idle, { timeout: 2_000 })));
  await page.evaluate(() => new Promise((idle) => requestIdleCallback(idle, { timeout: 2_000 })));
  expect(asked).toBe(0);
  await page.evaluate(() => {
    Object.defineProperty(document, 'visibilityState', { value: 'visible' });
    document.dispatchEvent(new Event('visibilitychange'));
  });
  await reads(page, 'Verified');
  expect(asked).toBe(1);
  await close();
});

test('a reader who loses the right while the page is open sees that it was not checked', async () => {
  const { demo, producer, putRoute } = await newRoute(setting.instance.demo, setting.operator, [
    'reviewer-1',
    'reviewer-2',
  ]);
  const id = await file(producer, paymentRun(demo));
  expect((await decide(setting.ravi, id, 'refuse', { reason })).status).toBe(200);
  await until(
    () => producer.get(`/v2/requests/${id}/evidence`),
    ({ status, body }) => status === 200 && body.export.anchor !== null,
  );
  const { page, close } = await setting.ruth(null);
  // The page has its receipt; the right ends before the evidence is asked for.
  await page.route(EVIDENCE, async (route) => {
    await putRoute({ reviewers: ['reviewer-2'] });
    await route.continue();
  });
  await page.goto(setting.address(`/review/${id}`));
  const [colour] = await reads(page, 'Could not be checked');
  expect(colour).toBe('warning');
  await close();
});

test('after private deletion it says what is gone, and that the rest is proven', async () => {
  const id = await refused();
  const { page, faults, close } = await ruthWithPolicy();
  await page.goto(setting.address(`/review/${id}`));
  await reads(page, 'Verified');
  expect((await setting.producer.post(`/v2/requests/${id}/discard`, {})).status).toBe(200);
  await until(
    () => setting.producer.get(`/v2/requests/${id}/evidence`),
    ({ status, body }) =>
      status === 200 &&
      body.export.material === null &&
      body.log.checkpoint.includes('ada.example'),
  );
  await page.reload();
  const [colour, sentence] = await reads(page, 'Verified');
  expect(colour).toBe('good');
  expect(sentence).toContain('Private material was deleted; its digests are still signed.');
  await button(page).click();
  const panel = page.getByRole('dialog');
  await panel.getByRole('heading', { name: 'Deleted' }).waitFor();
  await panel
    .getByText(/Payload, response schema, document, candidate and app are gone/)
    .first()
    .waitFor();
  expect(await findings(page, EVERY_LOOK)).toEqual([]);
  expect(faults).toEqual([]);
  await close();
});

test('after audit expiry it says that only digests remain', async () => {
  const id = await refused();
  const { page, faults, close } = await openContext(setting.browser);
  await logIn(page, setting.instance.demo, 'Otto Operator');
  await page.goto(setting.address(`/operator/requests/${id}`));
  await reads(page, 'Nothing fails');
  const database = await connectTo(setting.instance);
  await pass({ database }, 'audit_deletion', id);
  await database.end();
  await untilGone(setting, id);
  await button(page).click();
  const panel = page.getByRole('dialog');
  await panel.getByRole('button', { name: 'Check again', exact: true }).click();
  expect(await reads(page, 'Deleted')).toEqual([
    'neutral',
    'The request was deleted at the end of its audit period. Only the digests of its records are still proven.',
  ]);
  expect(await findings(page, EVERY_LOOK)).toEqual([]);
  expect(faults).toEqual([]);
  await close();
});

test('large evidence is verified only when the reader asks', async () => {
  const input = paymentRun(setting.instance.demo);
  const payload = { note: 'x'.repeat(2_000_000) };
  const artefact = { ...input['artefact'], digest: valueDigest(payload) };
  const id = await file(setting.producer, { ...input, payload, artefact });
  expect((await decide(setting.ravi, id, 'refuse', { reason })).status).toBe(200);
  await witnessed(id);
  const { page, faults, close } = await ruthWithPolicy();
  let asked = 0;
  page.on('request', (request) => (asked += request.url().endsWith('/evidence') ? 1 : 0));
  await page.goto(setting.address(`/review/${id}`));
  expect(await reads(page, 'Not checked: large')).toEqual([
    'neutral',
    'The evidence has more than 2 MB, so this browser verifies it only when you ask: press, then “Check now”.',
  ]);
  expect(asked).toBe(1);
  await button(page).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Check now' }).click();
  expect(await reads(page, 'Verified')).toEqual(['good', expect.any(String)]);
  expect(asked).toBe(2);
  expect(faults).toEqual([]);
  await close();
});

test('a withdrawn request is not green: nothing was decided', async () => {
  const id = await file(setting.producer, paymentRun(setting.instance.demo));
  await setting.producer.post(`/v2/requests/${id}/cancel`, {});
  const { page, faults, close } = await ruthWithPolicy();
  await page.goto(setting.address(`/review/${id}`));
  const [colour] = await reads(page, 'Not fully provable');
  expect(colour).toBe('neutral');
  expect(faults).toEqual([]);
  await close();
});

test('an execution of 20 entries is verified, and followed to its end', async () => {
  const { demo } = setting.instance;
  const status = await authorisedRequest(demo, setting.producer, setting.ravi);
  const { id } = status.body.request;
  const input = claimInput(status);
  const { execution_identity } = input;
  const { page, faults, close } = await ruthWithPolicy();
  await page.goto(setting.address(`/review/${id}`));
  await reads(page, 'Verified');
  const claim = await setting.producer.post(`/v2/requests/${id}/claims`, input);
  for (let admission = 0; admission < 12; admission++) {
    const nonce = randomBytes(24).toString('base64url');
    const body = { claim_id: claim.body.payload.id, execution_identity, nonce };
    const path = `/v2/requests/${id}/admission`;
    expect((await setting.producer.post(path, body, { key: null })).status).toBe(200);
  }
  await page.locator('.progress').getByText('Running', { exact: true }).waitFor();
  const outcome = { execution_identity, status: 'completed', details: {} };
  expect((await setting.producer.post(`/v2/requests/${id}/outcomes`, outcome)).status).toBe(200);
  await page.locator('.progress').getByText('Completed', { exact: true }).waitFor();
  await reads(page, 'Verified');
  const { export: exported } = await witnessed(id);
  expect(exported?.audit.length).toBeGreaterThanOrEqual(20);
  const took = await timed(page);
  await page.reload();
  await reads(page, 'Verified');
  process.stdout.write(
    `evidence of ${exported?.audit.length} entries: verified ${await took()} ms after it came\n`,
  );
  expect(faults).toEqual([]);
  await close();
});

/** Every colour that a seal had since the page began. */
async function coloursOf(page: Page): Promise<() => Promise<string[]>> {
  await page.addInitScript(() => {
    const seen: string[] = [];
    Object.assign(globalThis, { sealColours: seen });
    new MutationObserver(() => {
      const colour = document.querySelector('.seal')?.className.split(' ')[1];
      if (colour !== undefined && colour !== seen.at(-1)) seen.push(colour);
    }).observe(document, { subtree: true, childList: true, attributes: true });
  });
  return () =>
    page.evaluate(() => (globalThis as unknown as { sealColours: string[] }).sealColours);
}

/** Milliseconds from the end of the evidence's answer until the seal is green. */
async function timed(page: Page): Promise<() => Promise<string>> {
  await page.addInitScript(() => {
    new MutationObserver((_, observer) => {
      if (document.querySelector('.seal.good') === null) return;
      performance.mark('sealed');
      observer.disconnect();
    }).observe(document, { subtree: true, childList: true, attributes: true });
  });
  return () =>
    page.evaluate(() => {
      const [mark] = performance.getEntriesByName('sealed');
      const answers = performance.getEntriesByType('resource') as PerformanceResourceTiming[];
      const came = answers.findLast(({ name }) => name.endsWith('/evidence'))?.responseEnd;
      return ((mark?.startTime ?? NaN) - (came ?? NaN)).toFixed(0);
    });
}
