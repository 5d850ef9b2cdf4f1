import { CHECKS } from './checks.js';
import type { CheckCode } from './checks.js';
import type { Check, CheckStatus, Verdict } from './verdict.js';

const HEADLINES = {
  holds:
    'HOLDS. No check fails, and every decisive check holds. Points that were not compared or cannot be known are listed.',
  fails: 'FAILS. Do not rely on this file.',
  incomplete: 'INCOMPLETE. No check fails, but a decisive one is open.',
} as const satisfies Record<Verdict['verdict'], string>;

const MARKS = { holds: '+', fails: 'x', 'cannot be known': '?', 'not checked': '-' } as const;

/** The verdict as text, one line a finding, failures first. */
export function verdictText(verdict: Verdict): string {
  const { checks, story, gone, uncovered, checklist } = verdict;
  const kind = verdict.kind === null ? 'no document' : `a document of the kind "${verdict.kind}"`;
  return [
    `${HEADLINES[verdict.verdict]} (${kind})`,
    ...section('Failed', lines(checks, 'fails')),
    ...section('Not checked', lines(checks, 'not checked')),
    ...section('Cannot be known from this file', lines(checks, 'cannot be known')),
    ...section(
      'Deleted',
      gone.map(({ path, says }) => `. ${says}${at(path)}`),
    ),
    ...section(
      'Not covered by a signature',
      uncovered.map(({ path, says }) => `. ${path === '' ? 'spelling' : path}: ${says}`),
    ),
    ...section('Holds', held(checks)),
    ...section(
      'Before an executor acts (protocol §15)',
      checklist.map(
        ({ item, asks, status, says }) => `${MARKS[status]} ${item}. ${asks}: ${status}. ${says}`,
      ),
    ),
    ...section(
      'Timeline',
      story.map((step) => `${step.at}  ${step.says}${step.proven ? '' : ' (NOT PROVEN)'}`),
    ),
  ].join('\n');
}

function section(title: string, found: readonly string[]): string[] {
  return found.length === 0 ? [] : ['', `${title}:`, ...found.map((line) => `  ${line}`)];
}

function lines(checks: readonly Check[], status: CheckStatus): string[] {
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
