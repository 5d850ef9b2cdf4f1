import type { Page } from 'playwright-core';
import type { OwnRoute } from '../support/own-route.js';
import { newRoute } from '../support/own-route.js';
import { APPROVAL_PROFILES, newReview } from '../support/voting.js';
import { findings } from './support/accessibility.js';
import type { Watched } from './support/browser.js';
import { picture } from './support/pictures.js';
import { pressText } from './support/seed.js';
import type { VotersSetting } from './support/voters.js';
import { FRIEDA, GUEST, OLGA, OSKAR, PAULA, setUpVoters } from './support/voters.js';

// The operator pages of decisions of several people (protocol §18.2), with two operators in browsers of their own.

let setting: VotersSetting;
let own: OwnRoute;
const opened: Watched[] = [];

beforeAll(async () => {
  setting = await setUpVoters();
  const { voters, instance } = setting;
  own = await newRoute(instance.demo, voters.operator, [FRIEDA, PAULA, GUEST]);
});
afterAll(() => setting?.stop());
afterEach(async () => {
  const faults = opened.flatMap((watched) => watched.faults);
  for (const { close } of opened.splice(0)) await close();
  expect(faults).toEqual([]);
});

async function at(id: string, path: string): Promise<Page> {
  const watched = await setting.as(id, `/operator${path}`);
  opened.push(watched);
  return watched.page;
}
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
const policyCard = (page: Page) =>
  page.getByRole('region', { name: 'Decisions of several people' });
const memberCard = (page: Page) => page.getByRole('region', { name: 'Groups of this person' });

it('a policy is set after its effects were shown', async () => {
  const page = await at(OLGA, `/routes/${own.route}`);
  const card = policyCard(page);
  await card.getByText('One person decides on this route.').waitFor();
  await card.getByRole('button', { name: 'Review the change …' }).click();
  await card.getByText('Every stage needs a name, and every seat a group.').waitFor();
  await card.getByLabel('Group of seat 1 in stage 1').fill('finance');
  await card.getByLabel('People for seat 1 in stage 1').fill('1');
  await button(page, 'Add seats to stage 1').click();
  await card.getByLabel('Group of seat 2 in stage 1').fill('platform');
  await card.getByRole('button', { name: 'Review the change …' }).click();
  await card.getByText('Every request of the route that is open ends').waitFor();
  await card.getByText('Open requests on this route now: 0.').waitFor();
  expect(await findings(page)).toEqual([]);
  await picture(page, 'operator-policy', { whole: true });
  await button(page, 'Save the policy').click();
  await card.getByText('Needed: 1 of finance and 1 of platform.').waitFor();
  await card.getByText('Saved: the route has revision 2.').waitFor();
  await page.getByText('Revision 2 ·').waitFor();
});

it('the groups of a person, and a change that needs a second operator', async () => {
  const olga = await at(OLGA, `/principals/${GUEST}`);
  const groups = memberCard(olga).getByLabel('Add: Groups');
  await groups.fill('legal');
  await groups.press('Enter');
  await memberCard(olga).getByRole('button', { name: 'Review the change …' }).click();
  await button(olga, 'Save the groups').click();
  await memberCard(olga).getByText('Saved as revision 1 of the membership.').waitFor();

  await groups.fill('finance');
  await groups.press('Enter');
  await memberCard(olga).getByRole('button', { name: 'Review the change …' }).click();
  await button(olga, 'Save the groups').click();
  await olga.getByText('A change waits for a second operator').waitFor();
  await olga.getByText(`${OLGA} proposes another membership.`).waitFor();
  expect(await findings(olga)).toEqual([]);
  await picture(olga, 'operator-membership', { whole: true });

  const oskar = await at(OSKAR, `/principals/${GUEST}`);
  await oskar.getByText(`${OLGA} proposes another membership.`).waitFor();
  const his = memberCard(oskar).getByLabel('Add: Groups');
  await his.fill('finance');
  await his.press('Enter');
  await memberCard(oskar).getByRole('button', { name: 'Review the change …' }).click();
  await button(oskar, 'Save the groups').click();
  await memberCard(oskar).getByText('Saved as revision 2 of the membership.').waitFor();
});

it('a weaker policy is proposed, and carried out by another operator with the same text', async () => {
  const olga = await at(OLGA, `/routes/${own.route}`);
  await policyCard(olga).getByLabel('Noes that refuse a request').fill('2');
  await policyCard(olga).getByRole('button', { name: 'Review the change …' }).click();
  await button(olga, 'Save the policy').click();
  await olga.getByText(`${OLGA} proposes another policy.`).waitFor();
  await policyCard(olga).getByText('A single no refuses the request.').waitFor();

  const oskar = await at(OSKAR, `/routes/${own.route}`);
  await oskar.getByText(`${OLGA} proposes another policy.`).waitFor();
  const open = policyCard(oskar).locator('summary', { hasText: 'Take over a policy as JSON' });
  await open.click();
  await policyCard(oskar).getByRole('textbox', { name: 'Take over a policy as JSON' }).fill('{');
  await oskar.getByRole('button', { name: 'Take over', exact: true }).click();
  await oskar.getByText('This is no policy in JSON.').waitFor();
  await policyCard(oskar).getByLabel('Noes that refuse a request').fill('2');
  await oskar.getByText('This is what was proposed.').waitFor();
  await policyCard(oskar).getByRole('button', { name: 'Review the change …' }).click();
  await button(oskar, 'Save the policy').click();
  await policyCard(oskar).getByText('2 people who say no refuse the request.').waitFor();
  await oskar.getByText(`${OLGA}, ${OSKAR}`).waitFor();
});

it('the votes of a request are on its operator page', async () => {
  const request = await newReview(own, pressText(own.demo, { profiles: APPROVAL_PROFILES }));
  const page = await at(OLGA, `/requests/${request}`);
  await page.getByRole('heading', { name: 'Several people decide this' }).waitFor();
  await page.getByText('There is no answer yet. These seats are open:').waitFor();
  expect(await findings(page)).toEqual([]);
});

it('the policy is removed by two operators', async () => {
  const olga = await at(OLGA, `/routes/${own.route}`);
  await button(olga, 'Remove the policy …').click();
  await olga.getByText('Open requests on this route now: 1.').waitFor();
  await policyCard(olga).getByRole('button', { name: 'Remove the policy', exact: true }).click();
  await olga.getByText(/proposes to remove the policy/).waitFor();
  const oskar = await at(OSKAR, `/routes/${own.route}`);
  await button(oskar, 'Remove the policy …').click();
  await policyCard(oskar).getByRole('button', { name: 'Remove the policy', exact: true }).click();
  await policyCard(oskar).getByText('One person decides on this route.').waitFor();
});
