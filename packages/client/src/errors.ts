import type { ErrorCode, Retry } from './generated/errors.js';
import type { VerificationReason } from './generated/reasons.js';

/** Every error that this package throws for an outcome; faults of a program's own arguments are TypeErrors. */
export class CountersignError extends Error {
  override readonly name: string = 'CountersignError';
}

/** The members of a problem document (protocol §6.2) that a program acts on. */
export interface RefusalFacts {
  readonly status: number;
  readonly code: ErrorCode;
  /** One sentence about this call. */
  readonly detail: string;
  /** The trace id of the call, which the operator of the service can look for. */
  readonly instance: string;
  /** Whole seconds of `Retry-After`; null without one. */
  readonly retryAfter: number | null;
  readonly retry: Retry;
  /** An earlier attempt of the same call had no answer: what is refused now may have happened then. */
  readonly afterUnanswered: boolean;
}

/** The service refused the call: nothing happened, except as `afterUnanswered` says. */
export class ServiceRefusal extends CountersignError implements RefusalFacts {
  override readonly name = 'ServiceRefusal';
  readonly status: number;
  readonly code: ErrorCode;
  readonly detail: string;
  readonly instance: string;
  readonly retryAfter: number | null;
  readonly retry: Retry;
  readonly afterUnanswered: boolean;

  constructor(facts: RefusalFacts) {
    super(facts.code);
    this.status = facts.status;
    this.code = facts.code;
    this.detail = facts.detail;
    this.instance = facts.instance;
    this.retryAfter = facts.retryAfter;
    this.retry = facts.retry;
    this.afterUnanswered = facts.afterUnanswered;
  }
}

/** No attempt had an answer. */
export class Unreachable extends CountersignError {
  override readonly name = 'Unreachable';

  /**
   * @param effect `unknown` when the call changes something and an attempt was sent whose answer was lost; `none` otherwise
   */
  constructor(
    readonly attempts: number,
    readonly effect: 'none' | 'unknown',
    cause: unknown,
  ) {
    super(`no answer in ${attempts} attempts`, { cause });
  }
}

export type AnswerFault =
  | 'not_json'
  | 'wrong_record'
  | 'undeclared_status'
  | 'redirect'
  | 'too_large';

/** The answer is none that the service gives. */
export class AnswerInvalid extends CountersignError {
  override readonly name = 'AnswerInvalid';

  /** @param pointer JSON Pointer of the wrong member, where one is */
  constructor(
    readonly why: AnswerFault,
    readonly pointer: string | null = null,
  ) {
    super(pointer === null ? why : `${why} at ${pointer === '' ? 'the root' : pointer}`);
  }
}

/** The answer is one of the service's form, and is not to be relied on: a signature, a digest or a link does not hold. */
export class VerificationFailed extends CountersignError {
  override readonly name = 'VerificationFailed';

  /**
   * @param record the record that the call answers with
   * @param pointer JSON Pointer of what did not hold, within the answer
   */
  constructor(
    readonly record: string,
    readonly reason: VerificationReason,
    readonly pointer: string,
  ) {
    super(`${record} does not verify: ${reason} at ${pointer === '' ? 'the root' : pointer}`);
  }
}

/** A wait ended before its goal, which says nothing about the request. */
export class WaitEnded extends CountersignError {
  override readonly name = 'WaitEnded';

  constructor(readonly why: 'timeout' | 'aborted') {
    super(`the wait ended: ${why}`);
  }
}

/** An option of the client cannot be used. */
export class ConfigurationInvalid extends CountersignError {
  override readonly name = 'ConfigurationInvalid';

  constructor(
    readonly field: string,
    why: string,
  ) {
    super(`${field} ${why}`);
  }
}
