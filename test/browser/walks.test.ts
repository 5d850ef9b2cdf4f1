import type { Browser, Page } from 'playwright-core';
import type { Day } from './support/day.js';
import { startDay } from './support/day.js';
import { logIn, openContext, startBrowser } from './support/browser.js';

// Every page by the tabulator key alone, on a wide screen and in a window of 1280 pixels at 400 %: each control is reached, the
// focus is never lost, and what has it can be seen. The stops are printed.

const WINDOWS = {
  '1440x900': { width: 1440, height: 900 },
  '400 %': { width: 320, height: 256 },
} as const;
const MOST_STOPS = 250;

let day: Day;
let browser: Browser;

beforeAll(async () => {
  [day, browser] = await Promise.all([startDay(), startBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await day?.instance.stop();
});

const demo = () => day.instance.demo;

/** Pages by the person who looks at them; null for nobody. */
const PAGES: readonly (readonly [person: string | null, paths: () => readonly string[]])[] = [
  [
    'Ruth Reviewer',
    () => [
      '/inbox',
      '/inbox#tab=decided',
      `/review/${day.waiting[2]}`,
      `/review/${day.executed}`,
      '/sessions',
      '/operator',
    ],
  ],
  [
    'Otto Operator',
    () => [
      '/operator',
      '/operator/requests',
      `/operator/requests/${day.executed}`,
      '/operator/routes',
      `/operator/routes/${demo().routes.review}`,
      '/operator/principals',
      `/operator/principals/${demo().producer.id}`,
      '/operator/incidents',
      '/operator/deliveries',
      '/operator/ledger',
      '/security-log',
    ],
  ],
  [
    null,
    () => ['/auditor', '/verify', '/docs', '/docs/incidents', '/errors/not_found', '/nowhere'],
  ],
];

test.each(PAGES)('everything is reached by keyboard (%s)', async (person, paths) => {
  const { page, close } = await openContext(browser);
  if (person !== null) await logIn(page, demo(), person);
  const faults: string[] = [];
  for (const path of paths()) {
    const stops: string[] = [];
    for (const [name, viewport] of Object.entries(WINDOWS)) {
      await page.setViewportSize(viewport);
      await page.goto(demo().origin + path);
      await settled(page);
      const found = await walk(page);
      faults.push(...found.faults.map((fault) => `${path} at ${name}: ${fault}`));
      stops.push(`${found.stops} at ${name}`);
    }
    process.stdout.write(`keyboard walk of ${path}: ${stops.join(', ')} stops\n`);
  }
  expect(faults).toEqual([]);
  await close();
});

/** Nothing of the page is still being loaded. */
async function settled(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle');
  await page.locator('.waiting').first().waitFor({ state: 'detached' });
}

/** From the beginning of the page until the focus leaves it. */
async function walk(page: Page): Promise<{ stops: number; faults: string[] }> {
  await page.evaluate(() => {
    Object.assign(globalThis, { reached: new Set<Element>() });
  });
  const faults: string[] = [];
  let stops = 0;
  for (; stops < MOST_STOPS; stops += 1) {
    await page.keyboard.press('Tab');
    const step = await page.evaluate(stand);
    if (step === 'left') break;
    if (step !== null) faults.push(step);
  }
  if (stops === MOST_STOPS) faults.push('the focus never leaves the page');
  return { stops, faults: [...new Set([...faults, ...(await page.evaluate(missed))])] };
}

/** Notes what has the focus; says what is wrong with it. */
function stand(): string | null {
  const { reached } = globalThis as unknown as { reached: Set<Element> };
  const on = document.activeElement;
  // A field for a date has several stops in it.
  if (on instanceof HTMLInputElement && [...reached].at(-1) === on) return null;
  if (on === null || on === document.body || reached.has(on)) return 'left';
  reached.add(on);
  // The look of a choice of files is its label.
  const isUnseen = on instanceof HTMLInputElement && on.matches('.unseen');
  const seen = (isUnseen && on.labels?.[0]) || on;
  const { top, left, bottom, right } = seen.getBoundingClientRect();
  const [fromX, toX] = [Math.max(left, 0), Math.min(right, innerWidth)];
  const [fromY, toY] = [Math.max(top, 0), Math.min(bottom, innerHeight)];
  const name = `${on.tagName}.${on.className} ${on.textContent?.trim().slice(0, 40)}`;
  if (fromX >= toX || fromY >= toY) return `out of view: ${name}`;
  // Some part of it is on top; a control without a look of its own may have one in its label.
  for (const x of [0.1, 0.5, 0.9]) {
    for (const y of [0.1, 0.5, 0.9]) {
      const hit = document.elementFromPoint(fromX + x * (toX - fromX), fromY + y * (toY - fromY));
      const isOwn = hit !== null && (seen.contains(hit) || hit.contains(seen));
      if (isOwn || hit?.closest('label')?.control === on) return null;
    }
  }
  return `covered: ${name}`;
}

/** Controls that were not reached. */
function missed(): string[] {
  const { reached } = globalThis as unknown as { reached: Set<Element> };
  const groups = new Set(
    [...reached].map((each) =>
      each instanceof HTMLInputElement && each.type === 'radio' ? each.name : '',
    ),
  );
  return [
    ...document.querySelectorAll<HTMLElement>(
      'a[href], button, input, select, textarea, summary, [tabindex]',
    ),
  ]
    .filter((each) => {
      if (reached.has(each) || each.tabIndex < 0 || each.matches(':disabled')) return false;
      if (!each.checkVisibility({ visibilityProperty: true })) return false;
      // Of a group of choices one is reached by this key, the others by arrows.
      return !(each instanceof HTMLInputElement && each.type === 'radio' && groups.has(each.name));
    })
    .map(
      (each) =>
        `not reached: ${each.tagName}.${each.className} ${each.textContent?.trim().slice(0, 40)}`,
    );
}
