import type { Browser, Page } from 'playwright-core';
import { operatorOf, personOf, producerOf } from '../support/client.js';
import type { Client } from '../support/client.js';
import { startInstance } from '../support/instance.js';
import type { Instance } from '../support/instance.js';
import { reviewInput, until } from '../support/requests.js';
import { EXTENDED, Voters } from '../support/voting.js';
import { findings } from './support/accessibility.js';
import { logIn, openContext, startBrowser } from './support/browser.js';
import type { Watched } from './support/browser.js';
import { picture } from './support/pictures.js';

// The page of custodians (protocol §20). Olga and Oscar operate; Carol and Dave are custodians.

const PEOPLE = ['olga', 'oscar', 'carol', 'dave', 'max'] as const;

let instance: Instance;
let browser: Browser;
let producer: Client;
const opened: Watched[] = [];

beforeAll(async () => {
  instance = await startInstance({
    people: PEOPLE,
    env: { CAPABILITIES: 'proto.approval,proto.legal-hold' },
  });
  browser = await startBrowser();
  const { demo, dataDirectory } = instance;
  producer = producerOf(demo);
  const voters = new Voters(instance, PEOPLE);
  for (const id of PEOPLE) {
    await voters.putHuman(id, id.startsWith('o') ? { operator: true } : { name: id });
  }
  const body = { groups: ['proto.custodians'], team: null, same_person_as: null };
  for (const operator of ['olga', 'oscar']) {
    const client = await personOf(demo, dataDirectory, operator);
    for (const id of ['carol', 'dave']) {
      const path = `/v2/admin/principals/${id}/membership`;
      expect((await client.put(path, body, EXTENDED)).status).toBe(200);
    }
  }
});
afterAll(async () => {
  await browser?.close();
  await instance?.stop();
});
afterEach(async () => {
  const faults = opened.flatMap((watched) => watched.faults);
  for (const { close } of opened.splice(0)) await close();
  expect(faults).toEqual([]);
});

async function at(id: string, locale = 'en-US'): Promise<Page> {
  const watched = await openContext(browser, { locale });
  opened.push(watched);
  await logIn(watched.page, instance.demo, id.charAt(0).toUpperCase() + id.slice(1));
  await watched.page.goto(`${instance.demo.origin}/custody`);
  return watched.page;
}

async function newRequest(): Promise<string> {
  const input = reviewInput(instance.demo, { summary: 'Publish the report of the third quarter' });
  const answer = await producer.post('/v2/requests', input);
  expect(answer.status).toBe(201);
  return answer.body.request.id;
}

const button = (page: Page, name: string) => page.getByRole('button', { name });
const cardOf = (page: Page, reference: string) => page.getByRole('region', { name: reference });
const day = (years: number) => `${new Date().getUTCFullYear() + years}-06-30`;

/** A hold that Carol sets by her page. */
async function setByCarol(page: Page, reference: string, request: string): Promise<void> {
  const form = page.locator('details.card', { hasText: 'Set a hold' });
  await form.locator('summary').click();
  await form.getByLabel('Reference').fill(reference);
  await form.getByLabel('Held until').fill(day(1));
  await form.getByLabel('Requests').fill(`${instance.demo.origin}/review/${request}`);
  await button(page, 'Look before it is set').click();
  await page.getByText(`One request is held until ${day(1)}.`).waitFor();
  await button(page, 'Set the hold').click();
  await page.getByText(`The hold ${reference} is in force for one request.`).waitFor();
}

it('a custodian sets a hold after its effect was shown, and cannot lift it', async () => {
  const request = await newRequest();
  const carol = await at('carol');
  await carol.getByRole('heading', { name: 'No holds' }).waitFor();
  expect(await findings(carol)).toEqual([]);
  const form = carol.locator('details.card', { hasText: 'Set a hold' });
  await form.locator('summary').click();
  await button(carol, 'Look before it is set').click();
  await carol.getByText('Fill this in.').waitFor();
  await form.locator('summary').click();
  await setByCarol(carol, 'case 7/2026', request);
  await form.getByLabel('Reference').waitFor({ state: 'hidden' });
  const card = cardOf(carol, 'case 7/2026');
  await card.getByText('in force').waitFor();
  await card.getByText('Publish the report of the third quarter').waitFor();
  await card.getByText('You set this hold, so another custodian has to lift it.').waitFor();
  expect(await findings(carol)).toEqual([]);
  await picture(carol, 'custody', { whole: true });
});

it('another custodian exports, adds to and lifts it', async () => {
  const carol = await at('carol');
  const [first, second] = [await newRequest(), await newRequest()];
  await setByCarol(carol, 'case 8', first);
  const dave = await at('dave');
  const card = cardOf(dave, 'case 8');
  const [download] = await Promise.all([
    dave.waitForEvent('download'),
    card.getByRole('link', { name: `Save the export of the request ${first}` }).click(),
  ]);
  expect(download.suggestedFilename()).toBe(`${first}.json`);

  await card.getByText('Add requests or time').click();
  await card.getByLabel('Further requests').fill(second);
  await card.getByRole('button', { name: 'Look before it is set' }).click();
  await card.getByText('2 requests are held until').waitFor();
  await card.getByRole('button', { name: 'Set the hold' }).click();
  await dave.getByText('The hold case 8 is in force for 2 requests.').waitFor();
  await card.getByText('You set this hold').waitFor();

  const hers = cardOf(carol, 'case 8');
  // The security log is chained a moment after the reading.
  await until(
    async () => {
      await carol.reload();
      await hers.getByText('exports were read').or(hers.getByText('One export was read')).waitFor();
      return hers.getByText('One export was read').count();
    },
    (many) => many === 1,
  );
  await hers.getByText('One export was read').click();
  await hers.getByRole('cell', { name: 'dave' }).waitFor();
  await hers.getByText('Lift this hold').click();
  await hers.getByRole('button', { name: 'Look before it is lifted' }).click();
  await hers.getByText('Say why the hold ends.').waitFor();
  await hers.getByLabel('Reason').fill('settled');
  await hers.getByRole('button', { name: 'Look before it is lifted' }).click();
  await hers.getByText('dave set this hold.').waitFor();
  expect(await findings(carol)).toEqual([]);
  await hers.getByRole('button', { name: 'Lift the hold' }).click();
  await carol.getByText('The hold case 8 is lifted.').waitFor();
  await hers.getByText('lifted', { exact: true }).waitFor();
  expect(await hers.getByRole('link', { name: 'Save the export' }).count()).toBe(0);
});

it('speaks German to a reader of German', async () => {
  const carol = await at('carol');
  await setByCarol(carol, 'Aktenzeichen 9', await newRequest());
  const page = await at('dave', 'de-DE');
  await page.getByRole('heading', { name: 'Verwahrung', exact: true }).waitFor();
  const card = cardOf(page, 'Aktenzeichen 9');
  await card.getByText('in Kraft').waitFor();
  await card.getByText('Verwahrung aufheben').click();
  await card.getByRole('button', { name: 'Vor dem Aufheben ansehen' }).click();
  await card.getByText('Sagen Sie, warum die Verwahrung endet.').waitFor();
  expect(await findings(page)).toEqual([]);
});

it('a person who is no custodian is told so', async () => {
  for (const id of ['max', 'olga']) {
    const page = await at(id);
    await page.getByText('Only a custodian may do that').waitFor();
    expect(await page.getByText('Set a hold').count()).toBe(0);
    // The browser itself reports the refused read.
    opened.at(-1)?.faults.splice(0);
  }
});

it('a deployment without holds has no such page', async () => {
  const plain = await startInstance();
  const answer = await operatorOf(plain.demo).get('/custody', EXTENDED);
  expect(answer.status).toBe(404);
  await plain.stop();
});
