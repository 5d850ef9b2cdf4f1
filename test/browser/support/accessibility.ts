import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { answering } from './answering.js';
import { DESKTOP, PHONE } from './browser.js';

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

interface Finding {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly {
    readonly target: readonly unknown[];
    readonly failureSummary: string;
  }[];
}

/** Every rule once on each screen; rules about colours in both schemes. */
const LOOKS = [
  { place: 'phone', viewport: PHONE, colorScheme: 'light', rules: null },
  { place: 'phone', viewport: PHONE, colorScheme: 'dark', rules: ['color-contrast'] },
  { place: 'desktop', viewport: DESKTOP, colorScheme: 'dark', rules: null },
  { place: 'desktop', viewport: DESKTOP, colorScheme: 'light', rules: ['color-contrast'] },
] as const;

interface Axe {
  run(options: object): Promise<{ violations: readonly Finding[] }>;
}

/**
 * The findings of axe-core on a page in its current state, on a phone and a desktop, light and dark; one line per finding,
 * none when all is well. Also a finding: a page that is wider than the phone.
 */
export function findings(page: Page): Promise<string[]> {
  return answering(allFindings(page));
}

async function allFindings(page: Page): Promise<string[]> {
  const found = new Set<string>();
  // Playwright evaluates past the page's content policy, so that the page itself needs no exception.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE);
  for (const { place, viewport, colorScheme, rules } of LOOKS) {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    const violations = await page.evaluate(async (only) => {
      const { axe } = globalThis as unknown as { axe: Axe };
      // Nothing is loaded beforehand: that is for rules about media, which the content policy of the pages forbids.
      const options = {
        resultTypes: ['violations'],
        preload: false,
        ...(only === null ? {} : { runOnly: only }),
      };
      return (await axe.run(options)).violations;
    }, rules);
    for (const { id, help, nodes } of violations) {
      for (const { target, failureSummary } of nodes) {
        found.add(
          `${place} ${colorScheme}: ${id} (${help}) at ${target.join(' ')}: ${failureSummary}`,
        );
      }
    }
    const excess = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    if (excess > 0) found.add(`${place}: the page is ${excess} px too wide`);
  }
  await page.setViewportSize(DESKTOP);
  await page.emulateMedia({ colorScheme: null });
  return [...found];
}
