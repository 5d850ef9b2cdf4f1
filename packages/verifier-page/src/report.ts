import { detailsOf } from '@countersign/protocol/verifier';
import type { ReportSection, Verdict } from '@countersign/protocol/verifier';
import { element, find } from './elements.js';

/** The report of the command, as both pages show it: a heading and a list for each section. */

const headline = find('headline');
const sections = find('sections');
const every = find<HTMLDetailsElement>('every');
const details = find('details');
const json = find('json');
const save = find<HTMLAnchorElement>('save');

/** The first line; `kind` colours it. */
export function say(kind: string, text: string): void {
  headline.dataset['kind'] = kind;
  headline.textContent = text;
}

/** `heading` is the level of its sections. */
export function showReport(
  verdict: Verdict,
  summary: readonly ReportSection[],
  heading: 'h2' | 'h3',
): void {
  clearReport();
  const draw = (section: ReportSection) => drawn(section, heading);
  sections.append(...summary.flatMap(draw));
  details.append(...detailsOf(verdict).flatMap(draw));
  every.hidden = false;
  const text = JSON.stringify(verdict, null, 2);
  json.textContent = text;
  save.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  save.hidden = false;
}

export function clearReport(): void {
  sections.replaceChildren();
  details.replaceChildren();
  every.hidden = true;
  json.textContent = '';
  URL.revokeObjectURL(save.href);
  save.hidden = true;
}

export function drawn({ title, lines }: ReportSection, heading: 'h2' | 'h3'): HTMLElement[] {
  return [
    element(heading, {}, title),
    element('ul', {}, ...lines.map((line) => element('li', {}, line))),
  ];
}
