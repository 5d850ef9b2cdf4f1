import { findings } from './support/accessibility.js';
import type { Setting } from './support/setting.js';
import { setUp } from './support/setting.js';

let setting: Setting;

beforeAll(async () => {
  setting = await setUp();
});
afterAll(() => setting?.stop());

test('the reference of the API is readable on a phone: its table scrolls, and no path is broken', async () => {
  const { page, faults, close } = await setting.ruth('/docs');
  await page.setViewportSize({ width: 320, height: 700 });
  const widths = await page.evaluate(() => {
    const table = document.querySelector('.scroll');
    const { scrollWidth, clientWidth } = document.documentElement;
    return [scrollWidth - clientWidth, Number(table && table.scrollWidth > table.clientWidth)];
  });
  expect(widths).toEqual([0, 1]);
  const lines = await page
    .locator('.calls td code')
    .evaluateAll((paths) => paths.map((path) => path.getClientRects().length));
  expect(new Set(lines)).toEqual(new Set([1]));
  expect(await findings(page)).toEqual([]);
  expect(faults).toEqual([]);
  await close();
});

test('a page that is refused speaks to people, and leads back', async () => {
  const { page, faults, close } = await setting.ruth('/operator');
  await page.getByRole('heading', { name: 'This page is for operators' }).waitFor();
  expect(await findings(page)).toEqual([]);
  await page.goto(setting.address('/nowhere'));
  await page.getByRole('heading', { name: 'This page was not found' }).waitFor();
  expect(await findings(page)).toEqual([]);
  await page.getByRole('link', { name: 'Back to the inbox' }).click();
  await page.waitForURL(setting.address('/inbox'));
  await page.goto(setting.address('/errors/not_found'));
  expect(await findings(page)).toEqual([]);
  expect(faults).toEqual([]);
  await close();
});
