import { CHECKS } from './checks.js';
import type { CheckCode } from './checks.js';
import { summaryOf } from './verdict-summary.js';
import type { ReportSection } from './verdict-summary.js';
import type { Check, CheckStatus, Verdict } from './verdict.js';

const MARKS = { holds: '+', fails: 'x', 'cannot be known': '?', 'not checked': '-' } as const;

/** The verdict as text: the summary, and with `details` every check, failures first. */
export function verdictText(verdict: Verdict, { details = false } = {}): string {
  const { headline, sections } = summaryOf(verdict, 'flag');
  return [
    headline,
    ...sections.flatMap(linesOf),
    ...(details ? detailsOf(verdict).flatMap(linesOf) : []),
  ].join('\n');
}

function linesOf({ title, lines }: ReportSection): string[] {
  return ['', `${title}:`, ...lines.map((line) => `  ${line}`)];
}

/** Every check and every step, with their codes and subjects. */
export function detailsOf({ checks, story, gone, uncovered, checklist }: Verdict): ReportSection[] {
  const sections: ReportSection[] = [
    { title: 'Failed', lines: withStatus(checks, 'fails') },
    { title: 'Not checked', lines: withStatus(checks, 'not checked') },
    { title: 'Cannot be known from this file', lines: withStatus(checks, 'cannot be known') },
    { title: 'Deleted', lines: gone.map(({ path, says }) => `. ${says}${at(path)}`) },
    {
      title: 'Not covered by a signature',
      lines: uncovered.map(({ path, says }) => `. ${path === '' ? 'spelling' : path}: ${says}`),
    },
    { title: 'Holds', lines: held(checks) },
    {
      title: 'Before an executor acts (protocol §15)',
      lines: checklist.map(
        ({ item, asks, status, says }) => `${MARKS[status]} ${item}. ${asks}: ${status}. ${says}`,
      ),
    },
    {
      title: 'Timeline',
      lines: story.map((step) => `${step.at}  ${step.says}${step.proven ? '' : ' (NOT PROVEN)'}`),
    },
  ];
  return sections.filter(({ lines }) => lines.length > 0);
}

function withStatus(checks: readonly Check[], status: CheckStatus): string[] {
  const most = 50;
  const found = checks.filter((check) => check.status === status);
  const shown = found
    .slice(0, most)
    .map(
      ({ path, says, code, reason }) => `${MARKS[status]} ${says}${at(path)} [${reason ?? code}]`,
    );
  return found.length > most ? [...shown, `… and ${found.length - most} more`] : shown;
}

/** One line for each code, with the number of checks. */
function held(checks: readonly Check[]): string[] {
  const counts = new Map<CheckCode, number>();
  for (const { code, status } of checks) {
    if (status === 'holds') counts.set(code, (counts.get(code) ?? 0) + 1);
  }
  return [...counts].map(([code, count]) => {
    return `+ ${CHECKS[code][1]}${count > 1 ? ` (${count} times)` : ''} [${code}]`;
  });
}

function at(path: string): string {
  return path === '' ? '' : ` (${path})`;
}
