import { CountersignError } from '@countersign/client';
import type { JsonValue, RequestStatus, SignedRecord } from '@countersign/client';

/** A reviewer said no. The function never started, and `again()` may ask anew. */
export class Refused extends CountersignError {
  override readonly name = 'Refused';

  /** @param response the reviewer's answer, undefined once the service has deleted it */
  constructor(
    readonly requestId: string,
    readonly receipt: SignedRecord,
    readonly response: JsonValue | undefined,
  ) {
    super('a reviewer refused the action');
  }
}

/** Why there is no authority to act, or none any more. */
export type LapseReason =
  /** No decision came in time. */
  | 'expired'
  /** The authority was not used in time. */
  | 'grant_expired'
  | 'cancelled'
  | 'revoked'
  | 'superseded'
  | 'namespace_retired'
  /** The claim was used up and nothing was started. */
  | 'cancelled_before_dispatch';

/** The authority ended before the function could start. The function never started. */
export class Lapsed extends CountersignError {
  override readonly name = 'Lapsed';

  /** @param cause what ended it, where the reason does not say it */
  constructor(
    readonly requestId: string,
    readonly why: LapseReason,
    cause?: unknown,
  ) {
    super(`there is no authority to act: ${why}`, { cause });
  }
}

/** The occurrence was used before, and the request of that time is no longer known. Nothing started now. */
export class AlreadyUsed extends CountersignError {
  override readonly name = 'AlreadyUsed';

  constructor(readonly occurrence: string) {
    super('this occurrence was used before: an action of its own needs an occurrence of its own');
  }
}

/** The action of this occurrence was completed before, and its result is not kept here. Nothing started now. */
export class AlreadyDone extends CountersignError {
  override readonly name = 'AlreadyDone';

  /** @param outcome the signed record of its end */
  constructor(
    readonly requestId: string,
    readonly outcome: SignedRecord,
  ) {
    super('the action of this occurrence was completed before, and its result is not kept here');
  }
}

/** The occurrence stands for an action with other arguments. Nothing started now. */
export class ArgumentsChanged extends CountersignError {
  override readonly name = 'ArgumentsChanged';

  constructor(readonly requestId: string | null) {
    super('this occurrence was asked for with other arguments: take another occurrence');
  }
}

/** The function may have acted, and nothing says whether it did. An operator reconciles. */
export class OutcomeUnknown extends CountersignError {
  override readonly name = 'OutcomeUnknown';

  /** @param status `abandoned` once an operator gave up finding it out */
  constructor(
    readonly requestId: string,
    cause?: unknown,
    readonly status: 'uncertain' | 'abandoned' = 'uncertain',
  ) {
    super('the action may have happened: look there before anything else', { cause });
  }
}

/** Another outcome is recorded than the one that this process saw. An operator reconciles. */
export class Conflict extends CountersignError {
  override readonly name = 'Conflict';

  constructor(
    readonly requestId: string,
    readonly recorded: RequestStatus['outcome'],
  ) {
    super('another outcome is recorded than the one that this process saw');
  }
}

/** No further permit: `run.permit()` was refused, and the action has to end. */
export class PermitRefused extends CountersignError {
  override readonly name = 'PermitRefused';

  /** @param code of the service, or `too_many` and `too_soon` of the guard itself */
  constructor(
    readonly code: string,
    cause?: unknown,
  ) {
    super(`no further permit: ${code}`, { cause });
  }
}

/**
 * Thrown by a function that knows that nothing happened; the outcome is `failed`. The reason is part of the signed outcome:
 * leave private things out of it.
 */
export class NotDone extends CountersignError {
  override readonly name = 'NotDone';

  constructor(
    readonly reason: string,
    options?: ErrorOptions,
  ) {
    super(reason, options);
  }
}

/**
 * Thrown by a function that knows that it did a part; the outcome is `failed_partial`. The reason is part of the signed
 * outcome: leave private things out of it.
 */
export class PartlyDone extends CountersignError {
  override readonly name = 'PartlyDone';

  constructor(
    readonly reason: string,
    options?: ErrorOptions,
  ) {
    super(reason, options);
  }
}

/** The journal cannot be relied on, or cannot be used here. */
export class JournalInvalid extends CountersignError {
  override readonly name = 'JournalInvalid';

  /** @param place path, table or key */
  constructor(
    readonly place: string,
    why: string,
    cause?: unknown,
  ) {
    super(`${place} ${why}`, { cause });
  }
}
