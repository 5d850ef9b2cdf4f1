import type { CheckCode } from './checks.js';
import { CHECKS } from './checks.js';
import { plainText } from './plain-text.js';
import type { Check, Remark, StoryStep } from './verdict.js';

/** Why a check came out as it did. */
export interface Because {
  readonly reason?: string;
  /** Sentences to add. */
  readonly detail?: string;
}

export interface OpenOptions {
  readonly says: string;
  /** False for what this kind of document never can show. */
  readonly decisive?: boolean;
}

export interface Findings {
  readonly checks: Check[];
  readonly gone: Remark[];
  readonly uncovered: Remark[];
  readonly story: StoryStep[];
  /** Takes down a check that was made; returns how it came out. */
  judge(code: CheckCode, path: string, holds: boolean, because?: Because): boolean;
  /** Takes down what the document cannot show. */
  unknown(code: CheckCode, path: string, options: OpenOptions): void;
  /** Takes down what could have been checked with more at hand. */
  skipped(code: CheckCode, path: string, options: OpenOptions): void;
  tell(step: StoryStep): void;
  /** How all checks of a code came out so far: null when there was none. */
  allHold(code: CheckCode): boolean | null;
}

export function newFindings(): Findings {
  const checks: Check[] = [];
  const story: StoryStep[] = [];
  const open =
    (status: 'cannot be known' | 'not checked') =>
    (code: CheckCode, path: string, { says, decisive = true }: OpenOptions): void => {
      checks.push({ code, status, path, says, reason: null, decisive });
    };
  return {
    checks,
    gone: [],
    uncovered: [],
    story,
    judge(code, path, holds, { reason, detail } = {}) {
      const [, good, bad] = CHECKS[code];
      const says = `${holds ? good : bad}${detail === undefined ? '' : ` ${detail}`}`;
      const status = holds ? 'holds' : 'fails';
      checks.push({ code, status, path, says, reason: reason ?? null, decisive: true });
      return holds;
    },
    unknown: open('cannot be known'),
    skipped: open('not checked'),
    tell: (step) =>
      void story.push({ ...step, says: plainText(step.says), at: plainText(step.at) }),
    allHold(code) {
      const made = checks.filter((check) => check.code === code);
      return made.length === 0 ? null : made.every(({ status }) => status === 'holds');
    },
  };
}
