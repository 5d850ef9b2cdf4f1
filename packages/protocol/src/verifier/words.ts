import { CHECKS } from './checks.js';
import type { CheckCode } from './checks.js';
import type { Check, CheckStatus, Verdict } from './verdict.js';

const HEADLINES = {
  holds:
    'HOLDS. Nothing fails and nothing that matters is open; what nobody compared or can know is listed.',
  fails: 'FAILS. Do not rely on this file.',
  incomplete: 'INCOMPLETE. Nothing failed, but something that matters stays open.',
} as const satisfies Record<Verdict['verdict'], string>;

const MARKS = { holds: '+', fails: 'x', 'cannot be known': '?', 'not checked': '-' } as const;

/** The verdict in plain words, one line a finding; what failed comes first. */
export function verdictText(verdict: Verdict): string {
  const { checks, story, gone, uncovered, checklist } = verdict;
  const kind = verdict.kind === null ? 'no document' : `a document of the kind "${verdict.kind}"`;
  return [
    `${HEADLINES[verdict.verdict]} (${kind})`,
    ...section('What fails', lines(checks, 'fails')),
    ...section('What was not checked', lines(checks, 'not checked')),
    ...section('What cannot be known from this file', lines(checks, 'cannot be known')),
    ...section(
      'What is gone',
      gone.map(({ path, says }) => `. ${says}${at(path)}`),
    ),
    ...section(
      'What nothing covers',
      uncovered.map(({ path, says }) => `. ${path === '' ? 'spelling' : path}: ${says}`),
    ),
    ...section('What holds', held(checks)),
    ...section(
      'Before an executor acts (protocol §15)',
      checklist.map(
        ({ item, asks, status, says }) => `${MARKS[status]} ${item}. ${asks}: ${status}. ${says}`,
      ),
    ),
    ...section(
      'What happened',
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

/** One line a code, with how often. */
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
