import type { Static, TSchema } from '@sinclair/typebox';
import * as administration from './administration.js';
import * as agentUi from './agent-ui.js';
import * as audit from './audit.js';
import * as discovery from './discovery.js';
import * as events from './events.js';
import * as evidence from './evidence.js';
import * as execution from './execution.js';
import * as hitl from './hitl.js';
import { Metadata, Profiles, SignedRecord } from './primitives.js';
import * as request from './request.js';
import * as review from './review.js';
import * as status from './status.js';

/** Every record by its name (protocol §3). */
export const RECORDS = {
  Profiles,
  Metadata,
  SignedRecord,
  ...discovery,
  ...request,
  ...review,
  ...status,
  ...execution,
  ...events,
  ...audit,
  ...administration,
  ...hitl,
  ...agentUi,
  Evidence: evidence.Evidence,
  EvidenceLog: evidence.EvidenceLog,
} as const satisfies Record<string, TSchema>;

export type RecordName = keyof typeof RECORDS;
export type RecordOf<Name extends RecordName> = Static<(typeof RECORDS)[Name]>;

export const RECORD_NAMES: readonly RecordName[] = Object.keys(RECORDS) as RecordName[];
