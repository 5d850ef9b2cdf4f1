import { ERRORS, statusesOf } from './error-catalogue.js';
import type { ErrorCode, ErrorStatus } from './error-catalogue.js';

export {
  APPROVAL_CODES,
  HOLD_CODES,
  KEY_CODES,
  ERRORS,
  ERROR_CODES,
  SENT_CODES,
  isErrorCode,
  statusesOf,
} from './error-catalogue.js';
export type { ErrorCode, ErrorEntry, ErrorRetry, ErrorStatus } from './error-catalogue.js';

/** The body of every refusal: RFC 9457, `application/problem+json` (R3). */
export interface Problem {
  /** `{origin}/errors/<code>`: a page with the meaning and the remedy. */
  type: string;
  title: string;
  status: number;
  detail: string;
  /** The only member clients key on. */
  error: ErrorCode;
  /** Trace id of the request. */
  instance: string;
}

export interface RefusalOptions {
  /** One of the code's statuses; the usual one when absent. */
  status?: number | undefined;
  /** Whole seconds for `Retry-After`. */
  retryAfter?: number | undefined;
  /** The fault of this call. Sent to the caller: never values, credentials or private material. */
  detail?: string | undefined;
  /** For the log only. */
  cause?: unknown;
}

/** The one error that may leave an operation; anything else is `service_unavailable` (R4). */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: ErrorCode;
  readonly status: ErrorStatus;
  readonly detail: string | undefined;
  readonly retryAfter: number | undefined;

  constructor(code: ErrorCode, options: RefusalOptions = {}) {
    super(code, options.cause === undefined ? undefined : { cause: options.cause });
    const statuses = statusesOf(code);
    const status = statuses.find((candidate) => candidate === (options.status ?? statuses[0]));
    if (status === undefined) {
      throw new RangeError(`${code} is never sent with status ${options.status}`);
    }
    this.code = code;
    this.status = status;
    this.detail = options.detail;
    this.retryAfter = options.retryAfter;
  }

  /** The R3 body; `origin` without a trailing slash, `instance` is the trace id. */
  toProblem(origin: string, instance: string): Problem {
    const { title, advice } = ERRORS[this.code];
    return {
      type: `${origin}/errors/${this.code}`,
      title,
      status: this.status,
      detail: this.detail ?? advice,
      error: this.code,
      instance,
    };
  }
}

const codesOfRecords: Readonly<Record<string, ErrorCode>> = {
  BundleRegistration: 'invalid_BundleRegistration',
  RequestInput: 'invalid_RequestInput',
  EmptyInput: 'invalid_EmptyInput',
  DecisionProposal: 'invalid_DecisionProposal',
  Confirmation: 'invalid_Confirmation',
  ClaimInput: 'invalid_ClaimInput',
  AdmissionInput: 'invalid_AdmissionInput',
  ExecutionOutcome: 'invalid_ExecutionOutcome',
  PrincipalInput: 'invalid_principal',
  RouteInput: 'invalid_route',
  RouteLimits: 'invalid_route_limits',
  RoutePolicyInput: 'invalid_policy',
  MembershipInput: 'invalid_membership',
  ApprovalInput: 'invalid_ApprovalInput',
  EnrolmentInput: 'invalid_EnrolmentInput',
  OfferInput: 'invalid_OfferInput',
  CountersignInput: 'invalid_CountersignInput',
  EndCredential: 'invalid_EndCredential',
  DecisionRequest: 'material_integrity_mismatch',
  DecisionCandidate: 'material_integrity_mismatch',
};

/**
 * The code for a value that does not fit the record of that name: an input is refused (protocol
 * §6.1 step 7, R29), a stored request or candidate is damaged (INT, §6.4), and any other record is
 * our own fault.
 */
export function invalidRecordCode(recordName: string): ErrorCode {
  return Object.hasOwn(codesOfRecords, recordName)
    ? (codesOfRecords[recordName] as ErrorCode)
    : 'service_unavailable';
}
