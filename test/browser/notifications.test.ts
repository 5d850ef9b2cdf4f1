import type { Page } from 'playwright-core';
import { until } from '../support/requests.js';
import { findings } from './support/accessibility.js';
import { picture } from './support/pictures.js';
import { file, pressText } from './support/seed.js';
import type { Setting } from './support/setting.js';
import { setUp } from './support/setting.js';

let setting: Setting;

beforeAll(async () => {
  setting = await setUp();
});
afterAll(() => setting?.stop());

test('a person chooses mails, hours and quiet hours, and finds them again', async () => {
  const { page, faults, close } = await setting.ruth('/inbox');
  await page.locator('.who summary').click();
  await page.getByRole('link', { name: 'Notifications' }).click();
  await page.getByRole('heading', { name: 'Notifications', level: 1 }).waitFor();
  await page
    .getByRole('radio', { name: /^At once/ })
    .and(page.locator(':checked'))
    .waitFor();
  expect(await findings(page)).toEqual([]);

  await page.getByRole('radio', { name: /^As a digest/ }).check();
  await page.getByRole('checkbox', { name: '08:00' }).uncheck();
  const save = page.getByRole('button', { name: 'Save' });
  expect(await save.isDisabled()).toBe(true);
  await page.getByText('Choose at least one hour.').waitFor();
  expect(await findings(page)).toEqual([]);
  await page.getByRole('checkbox', { name: '09:00' }).check();
  await page.getByRole('checkbox', { name: '16:00' }).check();
  await page.getByRole('checkbox', { name: 'Send no mail during quiet hours' }).check();
  await page.getByLabel('From').fill('15:30');
  await page.getByText('An hour of the digest is within the quiet hours.').waitFor();
  await page.getByRole('checkbox', { name: '16:00' }).uncheck();
  await page.getByLabel('Until').fill('08:15');
  await page.getByLabel('Time zone').selectOption('Europe/Berlin');
  await page.getByLabel('Language of mails').selectOption('Deutsch');
  await save.click();
  await page.getByText('Saved.').waitFor();
  await picture(page, 'notifications', { whole: true });

  await page.reload();
  await page.getByRole('checkbox', { name: '09:00' }).and(page.locator(':checked')).waitFor();
  const answer = await page.request.get(setting.address('/auth/notifications'));
  expect(await answer.json()).toEqual({
    preferences: {
      mails: 'digest',
      digest_hours: [9],
      quiet: { from: '15:30', until: '08:15' },
      time_zone: 'Europe/Berlin',
      language: 'de',
    },
  });
  expect(faults).toEqual([]);
  await close();
});

test('a hidden inbox says that a request has come, to a reader who asked for it, and nothing about it', async () => {
  const { page, context, faults, close } = await setting.ruth(null);
  await page.clock.install();
  await watchNotices(page);
  await page.goto(setting.address('/notifications'));
  await page.getByText('Notifications of this browser are off.').waitFor();
  await context.grantPermissions(['notifications'], { origin: setting.instance.demo.origin });
  await page.getByRole('button', { name: 'Notify me in this browser', exact: true }).click();
  await page.getByText('Notifications of this browser are on.').waitFor();
  expect(await findings(page)).toEqual([]);

  // What waits when the inbox opens is not new.
  const firstLook = page.waitForResponse((response) => response.url().endsWith('limit=1'));
  await page.goto(setting.address('/inbox'));
  await firstLook;
  await create('Seen by a reader who looks');
  await page.getByRole('link', { name: 'Seen by a reader who looks' }).waitFor();
  expect(await shown(page)).toEqual([]);

  await hide(page);
  await create('A secret summary');
  await until(
    async () => {
      await page.clock.fastForward(61_000);
      return shown(page);
    },
    (found) => found.some((text) => text.endsWith(': 2.')),
  );
  for (const text of await shown(page)) {
    expect(text).toMatch(/^Countersign: A new request has arrived\. Waiting for you: \d+\.$/);
  }
  expect((await shown(page)).length).toBeLessThanOrEqual(2);
  expect(faults).toEqual([]);
  await close();
});

test('a reader who did not ask, or took it back, gets no notice', async () => {
  const { page, context, faults, close } = await setting.ruth(null);
  await context.grantPermissions(['notifications'], { origin: setting.instance.demo.origin });
  await page.clock.install();
  await watchNotices(page);
  await page.goto(setting.address('/notifications'));
  await page.getByRole('button', { name: 'Notify me in this browser', exact: true }).click();
  await page.getByRole('button', { name: 'Do not notify me in this browser' }).click();
  await page.getByText('Notifications of this browser are off.').waitFor();
  const looks: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('limit=1')) looks.push(request.url());
  });
  await create('Waits already');
  await page.goto(setting.address('/inbox'));
  await page.getByRole('link', { name: 'Waits already' }).waitFor();
  await hide(page);
  await page.clock.fastForward(61_000);
  await create('Not told');
  await page.clock.fastForward(61_000);
  // The page answers, so whatever it was to do is done.
  expect(await shown(page)).toEqual([]);
  expect(looks).toEqual([]);
  expect(faults).toEqual([]);
  await close();
});

test('a browser that blocks notices says so', async () => {
  const { page, faults, close } = await setting.ruth(null);
  await page.addInitScript(() => {
    Object.defineProperty(Notification, 'permission', { get: () => 'denied' });
    Notification.requestPermission = async () => 'denied';
  });
  await page.goto(setting.address('/notifications'));
  await page.getByRole('button', { name: 'Notify me in this browser', exact: true }).click();
  await page.getByText('Your browser blocks notifications.').waitFor();
  expect(await findings(page)).toEqual([]);
  expect(faults).toEqual([]);
  await close();
});

const create = (summary: string) =>
  file(setting.producer, pressText(setting.instance.demo, { summary }));

/** Keeps the words of each notice that the page shows. */
async function watchNotices(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const words: string[] = [];
    const Own = globalThis.Notification;
    Object.assign(globalThis, {
      shownNotices: words,
      Notification: class extends Own {
        constructor(title: string, options: NotificationOptions) {
          super(title, options);
          words.push(`${title}: ${options.body}`);
        }
      },
    });
  });
}

function shown(page: Page): Promise<string[]> {
  return page.evaluate(() => (globalThis as unknown as { shownNotices: string[] }).shownNotices);
}

/** As if another tab were in front of it. */
async function hide(page: Page): Promise<void> {
  await page.evaluate(() => {
    Object.defineProperty(document, 'visibilityState', {
      value: 'hidden',
      configurable: true,
    });
    document.dispatchEvent(new Event('visibilitychange'));
  });
}
