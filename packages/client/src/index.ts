export { countersign } from './client.js';
export type { Client, ClientOptions, FeedEvent } from './client.js';
export type { AttemptNote } from './exchange.js';
export {
  AnswerInvalid,
  ConfigurationInvalid,
  CountersignError,
  ServiceRefusal,
  Unreachable,
  VerificationFailed,
  WaitEnded,
} from './errors.js';
export type { AnswerFault, RefusalFacts } from './errors.js';
export type { ErrorCode, Retry } from './generated/errors.js';
export type { VerificationReason } from './generated/reasons.js';
export * from './generated/operations.js';
export type * from './generated/records.js';
export type { Goal, WaitOptions } from './waiting.js';
export type { CallOf, Operation, OperationTypes } from './operation.js';
export { digestOf, keyOf } from './verification.js';
export type { AnchorCopy, AnchorStore, Approvals, TrustDrift } from './verification.js';
