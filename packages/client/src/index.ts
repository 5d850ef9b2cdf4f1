export { countersign } from './client.js';
export type { Client, ClientOptions } from './client.js';
export type { AttemptNote } from './exchange.js';
export {
  AnswerInvalid,
  ConfigurationInvalid,
  CountersignError,
  ServiceRefusal,
  Unreachable,
  WaitEnded,
} from './errors.js';
export type { AnswerFault, RefusalFacts } from './errors.js';
export type { ErrorCode, Retry } from './generated/errors.js';
export * from './generated/operations.js';
export type * from './generated/records.js';
export type { Goal, WaitOptions } from './waiting.js';
export type { CallOf, Operation, OperationTypes } from './operation.js';
