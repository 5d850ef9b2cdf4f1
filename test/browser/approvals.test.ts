import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import type { OwnRoute } from '../support/own-route.js';
import {
  APPROVAL_PROFILES,
  newExecution,
  newReview,
  policyWith,
  stagesOf,
} from '../support/voting.js';
import { findings } from './support/accessibility.js';
import type { Watched } from './support/browser.js';
import { picture } from './support/pictures.js';
import { pressText } from './support/seed.js';
import { answerText, freeze } from './support/setting.js';
import type { VotersSetting } from './support/voters.js';
import {
  FARID,
  FRIEDA,
  GUEST,
  PAULA,
  excessAt360,
  readToTheEnd,
  setUpVoters,
} from './support/voters.js';

// Requests that several people decide, as their reviewers meet them (protocol §18): each person in a browser of their own.

let setting: VotersSetting;
let own: OwnRoute;
const opened: Watched[] = [];

beforeAll(async () => {
  setting = await setUpVoters();
  own = await setting.voters.routeWith(
    policyWith({ stages: stagesOf({ finance: 1, platform: 1 }), distinct_by: 'person' }),
  );
});
afterAll(() => setting?.stop());
afterEach(async () => {
  const faults = opened.flatMap((watched) => watched.faults);
  for (const { close } of opened.splice(0)) await close();
  expect(faults).toEqual([]);
});

const review = (changes: Record<string, unknown> = {}) =>
  newReview(own, pressText(own.demo, { profiles: APPROVAL_PROFILES, ...changes }));

async function at(id: string, request: string): Promise<Page> {
  const watched = await setting.as(id, `/review/${request}`);
  opened.push(watched);
  await watched.page.getByRole('heading', { name: 'Several people decide this' }).waitFor();
  return watched.page;
}

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
const tally = (page: Page, text: string) =>
  page.locator('.tally', { hasText: new RegExp(`^${text}$`) }).waitFor();

/** The two acts that vote, after the end of the answer was in view. */
async function vote(page: Page): Promise<void> {
  await readToTheEnd(page);
  await button(page, 'Vote and sign').click();
}

it('stands in the inbox with its votes and what it asks of the person, and is not refused with others', async () => {
  const summary = 'Two groups decide this one';
  const request = await newReview(own, { summary });
  const inboxOf = async (id: string) => {
    const watched = await setting.as(id, '/inbox');
    opened.push(watched);
    return watched.page;
  };
  const row = (page: Page) => page.locator('.request', { hasText: summary });
  const frieda = await inboxOf(FRIEDA);
  await row(frieda).getByText('0 of 2 · waits for you').waitFor();
  const candidate = await setting.voters.freeze(FRIEDA, request);
  expect((await setting.voters.vote(FRIEDA, request, candidate)).status).toBe(201);
  await frieda.reload();
  await row(frieda).getByText('1 of 2 · you voted').waitFor();
  const guest = await inboxOf(GUEST);
  await row(guest).getByText('1 of 2', { exact: true }).waitFor();
  const paula = await inboxOf(PAULA);
  await row(paula).getByText('1 of 2 · waits for you').waitFor();
  expect(await findings(paula)).toEqual([]);
  expect(await excessAt360(paula)).toBe(0);
  await row(paula).getByRole('checkbox').check();
  await button(paula, 'Refuse …').click();
  await paula.getByText('1 left out: several people decide it. Open each request').waitFor();
  expect(await paula.getByRole('dialog').count()).toBe(0);
});

describe('a request of two groups', () => {
  let request: string;
  beforeAll(async () => {
    request = await review();
  });

  it('is decided by two people who sign the same answer, after one took a vote back', async () => {
    const frieda = await at(FRIEDA, request);
    await frieda.getByText('There is no answer yet. These seats are open:').waitFor();
    expect(await frieda.getByRole('radio', { checked: true }).count()).toBe(0);
    expect(await findings(frieda)).toEqual([]);
    await answerText(frieda);
    await freeze(frieda);
    await frieda.getByText('You vote to approve').waitFor();
    expect(await button(frieda, 'Vote and sign').isDisabled()).toBe(true);
    expect(await findings(frieda)).toEqual([]);
    await vote(frieda);
    await frieda.getByText('Your vote is recorded: Approved.').waitFor();
    await tally(frieda, '1 of 2');

    const guest = await at(GUEST, request);
    await guest.getByText('None of your groups has a seat in this decision.').waitFor();
    expect(await button(guest, /Approve this answer|Say no/).count()).toBe(0);
    expect(await findings(guest)).toEqual([]);
    expect(await excessAt360(guest)).toBe(0);

    const paula = await at(PAULA, request);
    await tally(paula, '1 of 2');
    await paula.getByText('Frieda Finance').first().waitFor();
    expect(await findings(paula)).toEqual([]);
    await picture(paula, 'approvals-candidate', { whole: true });
    expect(await excessAt360(paula)).toBe(0);
    await paula.keyboard.press('d');
    expect(await paula.evaluate(() => document.activeElement?.textContent)).toBe(
      'Several people decide this',
    );
    await button(paula, 'Approve this answer …').click();
    await paula.getByText('recomputed here: matches the promised one').waitFor();
    await picture(paula, 'approvals-panel', { whole: true });

    await button(frieda, 'Take my vote back …').click();
    await button(frieda, 'Take it back').click();
    await frieda.getByText('Your vote was taken back.').waitFor();
    await tally(guest, '0 of 2');

    await vote(paula);
    await paula.getByText('Your vote is recorded: Approved.').waitFor();
    await tally(frieda, '1 of 2');
    await button(frieda, 'Approve this answer …').click();
    await vote(frieda);
    for (const page of [frieda, paula, guest]) {
      await page.getByRole('heading', { name: 'Decided by these people' }).waitFor();
      const deciders = await page.locator('.deciders li').allInnerTexts();
      expect(deciders.map((text) => text.replaceAll(/\s+/g, ' '))).toEqual([
        expect.stringMatching(/^Paula Platform.* for platform, Stage 1/),
        expect.stringMatching(/^Frieda Finance.* for finance, Stage 1/),
      ]);
    }
    await frieda.getByRole('heading', { name: 'Decided by several people' }).waitFor();
    await paula.locator('.outcome .answered').getByText('right').waitFor();
    expect(await findings(paula)).toEqual([]);
    expect(await excessAt360(paula)).toBe(0);

    // Without a witness policy it is as much as the browser can say.
    await paula.locator('.seal', { hasText: 'Nothing fails' }).waitFor();
    const download = paula.waitForEvent('download');
    await button(paula, 'Save the signed votes').click();
    const saved = JSON.parse(await readFile(await (await download).path(), 'utf8')) as any[];
    expect(saved.map((record) => record.protected.type)).toEqual([
      'ApprovalRecord',
      'ApprovalEnded',
      'ApprovalRecord',
      'ApprovalRecord',
      'DecisionReceipt',
    ]);
  });
});

it('a no of another answer is as near as a yes, and one is enough', async () => {
  const request = await newExecution(own, {});
  await setting.voters.freeze(FRIEDA, request, 'authorise');
  const paula = await at(PAULA, request);
  await button(paula, 'Approve this answer …').waitFor();
  await button(paula, 'Say no …').click();
  await paula.getByLabel(/note/i).fill('No.');
  await freeze(paula);
  await paula.getByText('You vote to refuse').waitFor();
  await vote(paula);
  await paula.getByRole('heading', { name: 'Refused by these people' }).waitFor();
  await paula.getByText('said no').waitFor();
});

it('an answer that changes while it is read is not signed, and the draft stays', async () => {
  const request = await newReview(own);
  await setting.voters.freeze(FRIEDA, request, 'approve');
  const paula = await at(PAULA, request);
  await button(paula, 'Prepare another answer …').click();
  await paula.getByRole('textbox', { name: 'note' }).fill('Typed before.');
  await button(paula, 'Approve this answer …').click();
  await paula.getByRole('heading', { name: 'Read the exact text to be signed' }).waitFor();
  await setting.voters.freeze(FRIEDA, request, 'reject');
  await vote(paula);
  await paula.getByText('Your vote was not signed').waitFor();
  await paula.getByText('candidate_changed').waitFor();
  await button(paula, 'Confirm this no …').waitFor();
  await button(paula, 'Prepare another answer …').click();
  expect(await paula.getByRole('textbox', { name: 'note' }).inputValue()).toBe('Typed before.');
});

it('an answer that differs from the promised digest cannot be approved', async () => {
  const request = await newReview(own);
  await setting.voters.freeze(FRIEDA, request, 'approve');
  const watched = await setting.as(PAULA, '/inbox');
  opened.push(watched);
  const { page } = watched;
  await page.route('**/requests/*/approvals', async (route) => {
    const answer = await route.fetch();
    const board = await answer.json();
    board.candidates[0].candidate.decision = 'reject';
    await route.fulfill({ response: answer, json: board });
  });
  await page.goto(`${setting.instance.demo.origin}/review/${request}`);
  await button(page, 'Approve this answer …').click();
  await page.getByText(/differs from the digest that the service promised/).waitFor();
  expect(await button(page, 'Vote and sign').count()).toBe(0);
});

it('a vote whose answer was lost is repeated with its key, and given once', async () => {
  const request = await newReview(own);
  await setting.voters.freeze(FRIEDA, request, 'approve');
  const paula = await at(PAULA, request);
  const keys: (string | undefined)[] = [];
  await paula.route('**/requests/*/approvals', async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    keys.push(route.request().headers()['idempotency-key']);
    if (keys.length > 1) return route.continue();
    await route.fetch();
    return route.abort();
  });
  await button(paula, 'Approve this answer …').click();
  await vote(paula);
  await paula.getByText('Your vote is recorded: Approved.').waitFor();
  expect(keys).toHaveLength(2);
  expect(new Set(keys).size).toBe(1);
  expect(await paula.locator('.votes > li').count()).toBe(1);
});

it('a counted vote takes the unused authority with it', async () => {
  const request = await newExecution(own);
  const { voters } = setting;
  const candidate = await voters.freeze(FRIEDA, request, 'authorise');
  for (const id of [FRIEDA, PAULA])
    expect((await voters.vote(id, request, candidate)).status).toBe(201);
  const watched = await setting.as(PAULA, `/review/${request}`);
  opened.push(watched);
  const { page } = watched;
  await button(page, 'Take my vote back …').click();
  await page.getByText('The unused authority is revoked').waitFor();
  expect(await findings(page)).toEqual([]);
  await button(page, 'Take it back').click();
  await page.locator('.progress').getByText('Authority revoked').waitFor();
  expect(await button(page, 'Take my vote back …').count()).toBe(0);
});

it('an author reads that others approve, where authors may not', async () => {
  const route = await setting.voters.routeWith(
    policyWith({
      stages: stagesOf({ finance: 1 }, { platform: 1 }),
      distinct_by: 'person',
      author_may_approve: false,
    }),
  );
  const request = await newReview(route, pressText(route.demo, { profiles: APPROVAL_PROFILES }));
  const frieda = await at(FRIEDA, request);
  await answerText(frieda);
  await button(frieda, 'Review and sign …').click();
  await frieda.getByText('Your answer is ready for the others').waitFor();
  expect(await button(frieda, 'Vote and sign').count()).toBe(0);

  const paula = await at(PAULA, request);
  await paula
    .getByText(/Your seat is not in the stage that is open/)
    .first()
    .waitFor();
  await paula.getByText('Stage 2: stage-2').waitFor();
  expect(await button(paula, 'Approve this answer …').count()).toBe(0);
  await button(paula, 'Say no …').waitFor();
  const farid = await at(FARID, request);
  await button(farid, 'Approve this answer …').click();
  await vote(farid);
  await tally(paula, '1 of 2');
  await button(paula, 'Approve this answer …').click();
  await vote(paula);
  await paula.getByRole('heading', { name: 'Decided by these people' }).waitFor();
});
