export {
  AlreadyDone,
  AlreadyUsed,
  ArgumentsChanged,
  Conflict,
  JournalInvalid,
  Lapsed,
  NotDone,
  OutcomeUnknown,
  PartlyDone,
  PermitRefused,
  Refused,
} from './errors.js';
export type { LapseReason } from './errors.js';
export type { Guarded } from './guard.js';
export type {
  Change,
  Closed,
  End,
  Entry,
  EntryState,
  Hold,
  Journal,
  Launch,
  Seal,
} from './journal.js';
export type { Action, Asked, CallOptions, GuardOptions, ProbeAnswer, Run } from './options.js';
export type { Plan } from './plan.js';
export { postgresJournal } from './journals/postgres.js';
export type { PostgresClient, PostgresPool } from './journals/postgres.js';
export { redisJournal } from './journals/redis.js';
export type { RedisClient } from './journals/redis.js';
export { resumeAll } from './resume.js';
export type { Resumed } from './resume.js';
