import type pg from 'pg';
import type { Page } from 'playwright-core';
import type { OwnRoute } from '../support/own-route.js';
import { connectTo } from '../support/truths.js';
import { APPROVAL_PROFILES, EXTENDED, newReview, policyWith, stagesOf } from '../support/voting.js';
import { findings } from './support/accessibility.js';
import { keysOn } from './support/authenticator.js';
import type { Authenticator } from './support/authenticator.js';
import type { Watched } from './support/browser.js';
import { picture } from './support/pictures.js';
import { pressText } from './support/seed.js';
import { answerText, freeze } from './support/setting.js';
import type { VotersSetting } from './support/voters.js';
import {
  FARID,
  FRIEDA,
  GUEST,
  OLGA,
  OSKAR,
  PAULA,
  excessAt360,
  readToTheEnd,
  setUpVoters,
} from './support/voters.js';

// Keys of people, in a browser with a virtual authenticator for each of them (protocol §19).

const PROFILES = { ...APPROVAL_PROFILES, 'proto.human-key': '1-draft.1' };

interface Person {
  readonly page: Page;
  readonly device: Authenticator;
  readonly add: (options: object) => Promise<Authenticator>;
}

let setting: VotersSetting;
let database: pg.Client;
let frieda: Person;
let paula: Person;
let own: OwnRoute;
const opened: Watched[] = [];

beforeAll(async () => {
  setting = await setUpVoters('proto.approval,proto.human-key');
  database = await connectTo(setting.instance);
  frieda = await person(FRIEDA);
  paula = await person(PAULA);
});
afterAll(async () => {
  await database?.end();
  await setting?.stop();
});
afterEach(() => expect(opened.flatMap(({ faults }) => faults)).toEqual([]));

async function person(id: string, path = '/me'): Promise<Person> {
  const watched = await setting.as(id, path);
  opened.push(watched);
  const { add } = await keysOn(watched.page);
  return { page: watched.page, add, device: await add() };
}

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
const open = (page: Page, path: string) => page.goto(setting.instance.demo.origin + path);
const row = (page: Page, label: string) => page.getByRole('row', { name: new RegExp(label) });

async function make(page: Page, label: string): Promise<void> {
  await page.getByLabel('Name of the key').fill(label);
  await button(page, 'Make the key …').click();
}

/** Adds a key, which waits then. */
async function enrol(page: Page, label: string): Promise<void> {
  await make(page, label);
  await button(page, 'Sign with the new key …').click();
  await page.getByText(`“${label}” was added and waits for an operator.`).waitFor();
}

const keysOf = async (id: string) =>
  (await (await setting.voters.by(id)).get('/v2/me/credentials', EXTENDED)).body as any[];

/** An operator without a key vouches for every key of a person that waits. */
async function countersign(id: string): Promise<void> {
  const operator = await setting.voters.by(OSKAR);
  for (const { credential, state } of await keysOf(id)) {
    if (state !== 'waiting') continue;
    const path = `/v2/admin/credentials/${credential}/countersign`;
    expect((await operator.post(path, {}, EXTENDED)).status).toBe(200);
  }
}

describe('a person’s own keys', () => {
  it('begin with none, and one is added in two steps', async () => {
    const { page } = frieda;
    await page.getByRole('heading', { name: 'My keys', level: 1 }).waitFor();
    await page.getByText('No key yet').waitFor();
    expect(await findings(page)).toEqual([]);
    await button(page, 'Make the key …').click();
    await page.getByText('Give the key a name').waitFor();
    await make(page, 'Laptop');
    await page.getByRole('heading', { name: 'The key is made. Now let it sign' }).waitFor();
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe(
      'The key is made. Now let it sign',
    );
    expect(await findings(page)).toEqual([]);
    await button(page, 'Sign with the new key …').click();
    await page.getByText('“Laptop” was added and waits for an operator.').waitFor();
    await row(page, 'Laptop').getByText('Waiting', { exact: true }).waitFor();
    await row(page, 'Laptop').getByText('It waits for an operator who is another person').waitFor();
    expect(await findings(page)).toEqual([]);
    expect(await excessAt360(page)).toBe(0);
  });

  it('count once an operator has vouched', async () => {
    const { page } = frieda;
    await countersign(FRIEDA);
    await page.reload();
    await row(page, 'Laptop').getByText('Counts', { exact: true }).waitFor();
    await row(page, 'Laptop').getByText('Stays on its device').waitFor();
  });

  it('are one for each device', async () => {
    const { page, device } = frieda;
    await make(page, 'Again');
    await page.getByText('This device has a key of yours already').waitFor();
    expect(await device.keys()).toHaveLength(1);
  });

  it('stay as they are when a dialog is left, by the device or by the person', async () => {
    const { page, add, device } = frieda;
    // The first device has a key already, and must not answer.
    await device.isTouched(false);
    const spare = await add({ transport: 'usb', isUserVerified: false });
    await make(page, 'Spare');
    await page.getByText('Nothing was signed').waitFor();
    expect(await findings(page)).toEqual([]);
    await spare.verifies(true);
    await spare.isTouched(false);
    await button(page, 'Make the key …').click();
    await button(page, 'Stop waiting').click();
    await button(page, 'Make the key …').waitFor();
    expect(await page.getByLabel('Name of the key').inputValue()).toBe('Spare');
    await page.reload();
    await page.getByRole('row').nth(1).waitFor();
    expect(await page.getByRole('row').count()).toBe(2);

    await spare.isTouched(true);
    await page
      .getByLabel('Who vouches for it')
      .selectOption({ label: 'My key “Laptop” (at once)' });
    await make(page, 'Spare');
    await button(page, 'Sign with the new key …').click();
    await page.getByText('Step 3 of 3').waitFor();
    expect(await findings(page)).toEqual([]);
    await device.isTouched(true);
    // A touch of another key than the one that is asked ends the dialog.
    await spare.isTouched(false);
    await button(page, 'Sign with “Laptop” …').click();
    await page.getByText('“Spare” was added and counts.').waitFor();
    await row(page, 'Spare').getByText('Counts', { exact: true }).waitFor();
    await picture(page, 'keys', { whole: true });
  });

  it('end with a reason', async () => {
    const { page } = frieda;
    await button(page, 'End the key “Spare”').click();
    const end = page.getByRole('dialog').getByRole('button', { name: 'End the key' });
    expect(await end.isDisabled()).toBe(true);
    await page.getByRole('radio', { name: /^In other hands/ }).check();
    await page.getByLabel('In other hands since').fill('2999-01-01T00:00');
    await page.getByText('This time is still to come.').waitFor();
    await page.getByLabel('In other hands since').fill('2026-01-01T00:00');
    expect(await findings(page)).toEqual([]);
    await end.click();
    await page.getByText('“Spare” was ended.').waitFor();
    await row(page, 'Spare').getByText('Ended', { exact: true }).waitFor();
  });

  it('are added after a fresh login, which leads back', async () => {
    const { page } = paula;
    await database.query(
      `UPDATE session SET proved_at = proved_at - interval '301 seconds' WHERE principal = $1`,
      [PAULA],
    );
    await make(page, 'Phone');
    await page.getByText('Adding a key requires a fresh login').waitFor();
    expect(await findings(page)).toEqual([]);
    await page.getByRole('link', { name: 'Sign in and come back' }).click();
    await button(page, 'Plat-1').click();
    await page.waitForURL(/\/me$/);
    // By keyboard alone.
    await page.getByLabel('Name of the key').focus();
    await page.keyboard.type('Phone');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'The key is made. Now let it sign' }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('“Phone” was added and waits for an operator.').waitFor();
    await countersign(PAULA);
  });

  it('stand in German, too', async () => {
    const watched = await setting.as(FRIEDA, '/me', { locale: 'de-DE' });
    await watched.page.getByRole('heading', { name: 'Meine Schlüssel', level: 1 }).waitFor();
    await watched.page.getByText('Zählt', { exact: true }).first().waitFor();
    expect(await findings(watched.page)).toEqual([]);
    await watched.close();
  });
});

describe('a vote that asks for keys', () => {
  beforeAll(async () => {
    own = await setting.voters.routeWith({
      ...policyWith({ stages: stagesOf({ finance: 1, platform: 1 }), distinct_by: 'person' }),
      human_key: { attestation: 'none', aaguids: [], device: 'any', enrolment: 'countersigned' },
    });
  });

  const newRequest = () => newReview(own, pressText(own.demo, { profiles: PROFILES }));
  const newNote = () => newReview(own, { profiles: PROFILES });
  const sign = (page: Page) => button(page, 'Sign with your key').click();

  async function readAnswer(page: Page, request: string): Promise<void> {
    await open(page, `/review/${request}`);
    await button(page, 'Approve this answer …').click();
    await readToTheEnd(page);
  }

  it('is signed by each person’s own key, and proves it', async () => {
    const request = await newRequest();
    const { page } = frieda;
    await open(page, `/review/${request}`);
    await answerText(page);
    await freeze(page);
    await page.getByText('Your key:').waitFor();
    await page.locator('.vote-key', { hasText: 'Laptop' }).waitFor();
    expect(await findings(page)).toEqual([]);
    await readToTheEnd(page);
    await frieda.device.verifies(false);
    await sign(page);
    await page.getByText('Nothing was signed').waitFor();
    // The frozen answer is still there, and so is the tick.
    expect(await page.getByRole('checkbox', { name: /I have read/ }).isChecked()).toBe(true);
    await frieda.device.verifies(true);
    await sign(page);
    await page.getByText('Your vote is recorded: Approved.').waitFor();

    await readAnswer(paula.page, request);
    await picture(paula.page, 'approvals-key');
    expect(await excessAt360(paula.page)).toBe(0);
    await sign(paula.page);
    await paula.page.getByRole('heading', { name: 'Decided by these people' }).waitFor();
    await paula.page.locator('.seal', { hasText: 'Nothing fails' }).waitFor();
    const { rows } = await database.query<{ credential: string | null }>(
      'SELECT credential FROM approval WHERE request_id = $1',
      [request],
    );
    expect(rows.map(({ credential }) => credential !== null)).toEqual([true, true]);
  });

  it('leads a person without a key to their keys', async () => {
    const request = await newNote();
    await setting.voters.freeze(FRIEDA, request, 'approve');
    const farid = await person(FARID, '/inbox');
    await open(farid.page, `/review/${request}`);
    await farid.page.getByText('This decision asks for a key of yours').waitFor();
    expect(await button(farid.page, 'Approve this answer …').count()).toBe(0);
    expect(await findings(farid.page)).toEqual([]);
    await farid.page.locator('.notice').getByRole('link', { name: 'My keys' }).click();
    await farid.page.getByText('No key yet').waitFor();
  });

  it('waits for a touch, and can be left', async () => {
    const request = await newNote();
    await setting.voters.freeze(FRIEDA, request, 'approve');
    const { page, device } = paula;
    await readAnswer(page, request);
    await device.isTouched(false);
    await sign(page);
    await button(page, 'Waiting for your key …').waitFor();
    await button(page, 'Stop waiting').click();
    await button(page, 'Sign with your key').waitFor();
    await device.isTouched(true);
    await sign(page);
    await page.getByText('Your vote is recorded: Approved.').waitFor();
  });

  it('says what to do after a signature that is not good, and after an offer that is over', async () => {
    const request = await newNote();
    await setting.voters.freeze(FRIEDA, request, 'approve');
    const { page, device } = paula;
    await readAnswer(page, request);
    await device.answersWrongly({ isBogusSignature: true });
    await sign(page);
    await page.getByText('The service did not accept the signature').waitFor();
    expect(await findings(page)).toEqual([]);
    await device.answersWrongly({ isBogusSignature: false });
    await page.route('**/approvals', async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      await database.query(
        `UPDATE approval_offer SET issued_at = issued_at - interval '301 seconds'`,
      );
      return route.continue();
    });
    await sign(page);
    await page.getByText('The time to sign is over').waitFor();
    await page.unroute('**/approvals');
    await sign(page);
    await page.getByText('Your vote is recorded: Approved.').waitFor();
  });

  it.each([
    ['candidate_digest', `sha256:${'0'.repeat(64)}`],
    ['policy_digest', `sha256:${'0'.repeat(64)}`],
    ['request_id', '0198c1de-0000-7000-8000-000000000001'],
    ['decision', 'reject'],
    ['mode', 'break_glass'],
    ['reviewer', GUEST],
    ['person', `sha256:${'0'.repeat(64)}`],
    ['issuer', 'https://other.example'],
  ])('is not signed where the offer differs in %s', async (member, value) => {
    const request = await newNote();
    await setting.voters.freeze(FRIEDA, request, 'approve');
    const { page, device } = paula;
    await readAnswer(page, request);
    let sent = 0;
    await page.route('**/approvals**', async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      if (!route.request().url().endsWith('/offer')) {
        sent += 1;
        return route.continue();
      }
      const answer = await route.fetch();
      const offer = await answer.json();
      offer.statement[member] = value;
      return route.fulfill({ response: answer, json: offer });
    });
    // Nothing may be asked of the device: it would answer.
    await device.isTouched(true);
    await sign(page);
    await page.getByText('The service asks for another signature').waitFor();
    expect(sent).toBe(0);
    await page.unroute('**/approvals**');
  });

  it('opens an incident when the counter of a key steps back, and the key signs no more', async () => {
    const request = await newNote();
    await setting.voters.freeze(FRIEDA, request, 'approve');
    const { page, device } = paula;
    await device.setCounters(0);
    await readAnswer(page, request);
    await sign(page);
    await page.getByText('The service did not accept the signature').waitFor();
    await page.getByRole('link', { name: 'My keys' }).first().click();
    await row(page, 'Phone').getByText('Suspended', { exact: true }).waitFor();
    expect(await findings(page)).toEqual([]);
  });
});

describe('keys that wait for an operator', () => {
  it('stand with person, time and login, and are countersigned one at a time', async () => {
    const farid = await person(FARID);
    await enrol(farid.page, 'Tablet');
    const { page } = await person(OLGA, '/operator/keys');
    const waiting = row(page, 'Tablet');
    await waiting.getByRole('link', { name: 'Farid Finance' }).waitFor();
    await waiting.getByText(FARID).first().waitFor();
    expect(await findings(page)).toEqual([]);
    expect(await excessAt360(page)).toBe(0);
    await button(page, 'Vouch for “Tablet” of Farid Finance').click();
    await page.getByText('You have no key that counts yet').waitFor();
    const vouch = page.getByRole('dialog').getByRole('button', { name: 'Countersign' });
    expect(await vouch.isDisabled()).toBe(true);
    expect(await findings(page)).toEqual([]);
    await picture(page, 'operator-keys');
    await page.getByRole('checkbox', { name: 'The person confirmed this to me.' }).check();
    await vouch.click();
    await page.getByText('“Tablet” of Farid Finance counts now.').waitFor();
    await waiting.waitFor({ state: 'detached' });
    await farid.page.reload();
    await row(farid.page, 'Tablet').getByText('Counts', { exact: true }).waitFor();
  });

  it('are ended by an operator, such as one that may be copied', async () => {
    const { page } = await person(OLGA, '/operator/keys');
    await row(page, 'Phone').getByText('Suspended', { exact: true }).waitFor();
    await button(page, 'End the key “Phone”').click();
    await page.getByRole('radio', { name: /^In other hands/ }).check();
    await page.getByRole('dialog').getByRole('button', { name: 'End the key' }).click();
    await page.getByText('“Phone” was ended.').waitFor();
    await row(page, 'Phone').waitFor({ state: 'detached' });
    const [key] = await keysOf(PAULA);
    expect(key.state).toBe('ended');
  });

  it('are signed for by the key of an operator who has one', async () => {
    const olga = await person(OLGA);
    await enrol(olga.page, 'Desk');
    await open(olga.page, '/operator/keys');
    await row(olga.page, 'Desk').getByText('It is yours').waitFor();
    await countersign(OLGA);
    const guest = await person(GUEST);
    await enrol(guest.page, 'Badge');
    await olga.page.reload();
    await button(olga.page, 'Vouch for “Badge” of Gustav Guest').click();
    await olga.page.getByRole('checkbox', { name: 'The person confirmed this to me.' }).check();
    await olga.device.verifies(false);
    await button(olga.page, 'Sign with your key').click();
    await olga.page.getByText('Nothing was signed').waitFor();
    await olga.device.verifies(true);
    await button(olga.page, 'Sign with your key').click();
    await olga.page.getByText('“Badge” of Gustav Guest counts now.').waitFor();
    const [key] = await keysOf(GUEST);
    expect(key.bound.payload.countersigned_by).toMatchObject({
      kind: 'human',
      subject: OLGA,
      credential: expect.any(String),
    });
  });
});
