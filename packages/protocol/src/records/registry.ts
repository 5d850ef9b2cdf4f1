import type { Static, TSchema } from '@sinclair/typebox';
import * as administration from './administration.js';
import * as agentUi from './agent-ui.js';
import * as approval from './approval.js';
import * as forms from './approval-forms.js';
import { RoutePolicy } from './approval-policy.js';
import * as audit from './audit.js';
import * as credential from './credential.js';
import * as offer from './approval-offer.js';
import * as discovery from './discovery.js';
import * as enrolment from './enrolment.js';
import * as events from './events.js';
import * as evidence from './evidence.js';
import * as execution from './execution.js';
import * as hitl from './hitl.js';
import * as legalHold from './legal-hold.js';
import { Metadata, Profiles, SignedRecord } from './primitives.js';
import * as request from './request.js';
import * as review from './review.js';
import * as status from './status.js';

/** The records of approvals (protocol §18); the API description of the revision does not have them. */
export const APPROVAL_RECORDS = {
  RoutePolicy,
  RoutePolicyInput: approval.RoutePolicyInput,
  RoutePolicyResult: approval.RoutePolicyResult,
  RoutePolicyConfigured: approval.RoutePolicyConfigured,
  MembershipInput: approval.MembershipInput,
  MembershipResult: approval.MembershipResult,
  MembershipConfigured: approval.MembershipConfigured,
  OfferInput: offer.OfferInput,
  ApprovalOffer: offer.ApprovalOffer,
  ApprovalInput: approval.ApprovalInput,
  ApprovalResult: approval.ApprovalResult,
  ApprovalBoard: approval.ApprovalBoard,
  ApprovalTodo: approval.ApprovalTodo,
  ApprovalRecord: approval.ApprovalRecord,
  ApprovalEnded: approval.ApprovalEnded,
  ExtendedDecisionRequest: forms.ExtendedDecisionRequest,
  ExtendedDecisionReceipt: forms.ExtendedDecisionReceipt,
  ExtendedAuditExport: forms.ExtendedAuditExport,
  ExtendedEvidence: forms.ExtendedEvidence,
} as const;

/** The records of people's keys (protocol §19): only the description of a deployment with their operations has them. */
export const KEY_RECORDS = {
  CredentialBound: credential.CredentialBound,
  CredentialEnded: credential.CredentialEnded,
  EnrolmentOffer: enrolment.EnrolmentOffer,
  EnrolmentInput: enrolment.EnrolmentInput,
  CredentialStatus: enrolment.CredentialStatus,
  CredentialList: enrolment.CredentialList,
  CountersignInput: enrolment.CountersignInput,
  EndCredential: enrolment.EndCredential,
  CredentialEnding: enrolment.CredentialEnding,
} as const;

/** The records of legal holds (protocol §20): only the description of a deployment with their operations has them. */
export const HOLD_RECORDS = { ...legalHold } as const;

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
  ...APPROVAL_RECORDS,
  ...KEY_RECORDS,
  ...HOLD_RECORDS,
} as const satisfies Record<string, TSchema>;

export type RecordName = keyof typeof RECORDS;
export type RecordOf<Name extends RecordName> = Static<(typeof RECORDS)[Name]>;

/** See {@link KEY_RECORDS}. */
export const KEY_RECORD_NAMES: readonly string[] = Object.keys(KEY_RECORDS);

/** See {@link HOLD_RECORDS}. */
export const HOLD_RECORD_NAMES: readonly string[] = Object.keys(HOLD_RECORDS);

/** See {@link RECORDS}. */
export const APPROVAL_RECORD_NAMES: readonly string[] = Object.keys(APPROVAL_RECORDS);

export const RECORD_NAMES: readonly RecordName[] = Object.keys(RECORDS) as RecordName[];
