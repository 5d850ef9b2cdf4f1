import type { CheckCode } from './checks.js';
import { CHECKS } from './checks.js';
import { plainText } from './plain-text.js';
import type { Check, Remark, TimelineStep } from './verdict.js';

/** The reason for a check's result. */
export interface Because {
  readonly reason?: string;
  /** Sentences to add. */
  readonly detail?: string;
}

export interface OpenOptions {
  readonly says: string;
  /** False for a point that this kind of document can never show. */
  readonly decisive?: boolean;
}

export interface Findings {
  readonly checks: Check[];
  readonly gone: Remark[];
  readonly uncovered: Remark[];
  readonly timeline: TimelineStep[];
  /** Records a check and returns its result. */
  check(code: CheckCode, path: string, holds: boolean, because?: Because): boolean;
  /** Records a point that the document cannot show. */
  unknown(code: CheckCode, path: string, options: OpenOptions): void;
  /** Records a check that needs information which the caller did not give. */
  skipped(code: CheckCode, path: string, options: OpenOptions): void;
  /** Adds a step to the timeline. */
  add(step: TimelineStep): void;
  /** Whether all checks of a code hold so far; null when there was none. */
  allHold(code: CheckCode): boolean | null;
}

export function newFindings(): Findings {
  const checks: Check[] = [];
  const timeline: TimelineStep[] = [];
  const open =
    (status: 'cannot be known' | 'not checked') =>
    (code: CheckCode, path: string, { says, decisive = true }: OpenOptions): void => {
      checks.push({ code, status, path, says, reason: null, decisive });
    };
  return {
    checks,
    gone: [],
    uncovered: [],
    timeline,
    check(code, path, holds, { reason, detail } = {}) {
      const [, good, bad] = CHECKS[code];
      const says = `${holds ? good : bad}${detail === undefined ? '' : ` ${detail}`}`;
      const status = holds ? 'holds' : 'fails';
      checks.push({ code, status, path, says, reason: reason ?? null, decisive: true });
      return holds;
    },
    unknown: open('cannot be known'),
    skipped: open('not checked'),
    add: (step) =>
      void timeline.push({ ...step, says: plainText(step.says), at: plainText(step.at) }),
    allHold(code) {
      const made = checks.filter((check) => check.code === code);
      return made.length === 0 ? null : made.every(({ status }) => status === 'holds');
    },
  };
}
