import type { CheckCode, Findings } from '@countersign/protocol/verifier/parts';

import { VerificationFailed } from './errors.js';
import type { VerificationReason } from './generated/reasons.js';

/** Findings of the verifier that end with the first check that fails. */
export function failing(record: string): Findings {
  const nothing = () => {};
  return {
    checks: [],
    gone: [],
    uncovered: [],
    timeline: [],
    check(code: CheckCode, path: string, holds: boolean, because = {}) {
      if (holds) return true;
      const reason = (because.reason ?? code) as VerificationReason;
      throw new VerificationFailed(record, reason, path);
    },
    // What an answer cannot show is compared with its call, or is no part of it.
    unknown: nothing,
    skipped: nothing,
    add: nothing,
    allHold: () => null,
  };
}
