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

interface Look {
  readonly place: string;
  readonly viewport: { readonly width: number; readonly height: number };
  readonly colorScheme: 'light' | 'dark';
  /** Null for every rule. */
  readonly rules: readonly string[] | null;
}

const SCREENS = {
  phone: PHONE,
  tablet: { width: 820, height: 1180 },
  'wide screen': { width: 1440, height: 900 },
};

/** Every rule once on each screen; rules about colours in both schemes. */
const LOOKS = looks((place) => (place === 'tablet' ? 'dark' : 'light'));

/** Every rule on each screen in both schemes. */
export const EVERY_LOOK = looks(() => null);

function looks(schemeOfAll: (place: string) => Look['colorScheme'] | null): readonly Look[] {
  return Object.entries(SCREENS).flatMap(([place, viewport]) =>
    (['light', 'dark'] as const).map((colorScheme) => {
      const all = schemeOfAll(place);
      const rules = all === null || all === colorScheme ? null : ['color-contrast'];
      return { place, viewport, colorScheme, rules };
    }),
  );
}

/** A window of 1280 pixels at 400 %: nothing may need to be scrolled sideways (WCAG 1.4.10). */
const ZOOMED = { width: 320, height: 256 };

interface Axe {
  run(options: object): Promise<{ violations: readonly Finding[] }>;
}

/**
 * The findings of axe-core on a page in its current state, on a phone, a tablet and a wide screen, light and dark; one line
 * per finding, none when all is well. Also findings: a page that is wider than the screen, or than a window at 400 %, and text
 * of another size than the six, and text that its own box cuts to nearly nothing.
 */
export function findings(page: Page, seen = LOOKS): Promise<string[]> {
  return answering(allFindings(page, seen));
}

/** By how much the page is wider than its window, and the last element that is; null where it is not. */
function excess(): string | null {
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth <= clientWidth) return null;
  const isCut = (each: Element | null): boolean =>
    each !== null && (getComputedStyle(each).overflowX !== 'visible' || isCut(each.parentElement));
  const wide = [...document.querySelectorAll('body *')].filter(
    (each) =>
      each.getBoundingClientRect().right > clientWidth + 0.5 &&
      each.checkVisibility() &&
      !isCut(each.parentElement),
  );
  const last = wide.at(-1);
  const text = last?.textContent?.trim().slice(0, 40) ?? '';
  return `${scrollWidth - clientWidth} px too wide, at ${last?.tagName}.${last?.className}: ${text}`;
}

/** All sizes of text there are, in pixels (packages/verifier-page/src/base.css). */
const TEXT_SIZES = [12, 14, 16, 18, 22, 28];

/** The sizes of visible text on this page beside those, each with the start of a text. */
function sizesBeside(sizes: readonly number[]): string[] {
  const others = new Map<number, string>();
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { parentElement, textContent } = texts.currentNode;
    const text = textContent?.trim() ?? '';
    if (text === '' || parentElement?.checkVisibility() !== true) continue;
    const size = Number.parseFloat(getComputedStyle(parentElement).fontSize);
    if (size > 0 && !sizes.includes(size)) others.set(size, text.slice(0, 40));
  }
  return [...others].map(([size, text]) => `${size} px: ${text}`);
}

/** A title that ends in "…" after so few pixels cannot be read. */
const LEAST_WIDTH = 72;

/**
 * Titles that are cut to less than `least` pixels, and texts with a line below the edge of their box. The cells of tables that
 * scroll sideways may be cut.
 */
function cutTexts(least: number): string[] {
  const cut = [...document.querySelectorAll<HTMLElement>('#page *')].filter((each) => {
    const { textOverflow, overflowY, webkitLineClamp } = getComputedStyle(each);
    if (!each.checkVisibility() || each.closest('.rows') !== null) return false;
    if ((each.textContent ?? '').trim() === '') return false;
    const { width, height } = each.getBoundingClientRect();
    if (width < 2 || height < 2) return false;
    const isTitle = each.matches('a, button, h1, h2, h3') && textOverflow === 'ellipsis';
    if (isTitle && each.scrollWidth > each.clientWidth + 1 && each.clientWidth < least) return true;
    // A text of so many lines at most ends with an ellipsis.
    if (webkitLineClamp !== 'none') return false;
    return overflowY === 'hidden' && each.scrollHeight > each.clientHeight + 16;
  });
  return cut.map((each) => `${each.className}: ${(each.textContent ?? '').trim().slice(0, 40)}`);
}

async function allFindings(page: Page, seen: readonly Look[]): Promise<string[]> {
  const found = new Set<string>();
  // Playwright evaluates past the page's content policy, so that the page itself needs no exception.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE);
  for (const { place, viewport, colorScheme, rules } of seen) {
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
    const wide = await page.evaluate(excess);
    if (wide !== null) found.add(`${place}: the page is ${wide}`);
    const others = await page.evaluate(sizesBeside, TEXT_SIZES);
    for (const each of others) found.add(`${place}: text of another size, ${each}`);
    const cut = await page.evaluate(cutTexts, LEAST_WIDTH);
    for (const each of cut) found.add(`${place}: text that is cut, ${each}`);
  }
  await page.setViewportSize(ZOOMED);
  const wide = await page.evaluate(excess);
  if (wide !== null) found.add(`at 400 %: the page is ${wide}`);
  await page.setViewportSize(DESKTOP);
  await page.emulateMedia({ colorScheme: null });
  return [...found];
}
