// Texts of the audit page.

import type { Verdict } from '@countersign/protocol';

import { number } from '../text/locale.js';

export const auditor = {
  title: 'Audit',
  lead: 'Drop a file: evidence or an export of a request, a signed record, an anchor proof, a range of the ledger or a webhook body. It is verified in this browser and is not sent anywhere.',
  drop: 'Drop a file here',
  choose: 'or choose one',
  another: 'Verify another file',
  tooLarge: (most: string) => `This file is larger than ${most}, the limit for evidence.`,
  ofRequest: (id: string) => `Evidence of the request ${id}`,
  verifying: 'Verifying …',
  knowMore: 'Your own expectations',
  knowMoreHint:
    'The file must match the values that you enter. Empty fields are not compared, and the verdict says so.',
  tenant: 'Tenant',
  audience: 'Addressed to',
  audienceHint: 'For example, the id of the producer.',
  ledgerId: 'Id of the ledger',
  bindingDigest: 'Digest of your execution',
  executionIdentity: 'Your execution identity',
  nonce: 'Nonce of your admission',
  verifyAgain: 'Verify again',
  broken: 'This could not be verified',
  /** The first question: is the file genuine? */
  genuine: {
    yes: {
      title: 'Genuine: yes',
      says: 'Every signature and every decisive check holds, and someone outside the service vouches for its ledger.',
    },
    alone: {
      title: 'Genuine: nothing fails',
      says: 'Every signature holds. Only the service vouches for its ledger. A witness policy under “Your own expectations” can change that for evidence, a copy of the anchor store, given to the command, for every file.',
    },
    open: {
      title: 'Genuine: not fully provable',
      says: 'Nothing fails, but a decisive check is open. Read the open points before you rely on the file.',
    },
    no: {
      title: 'Genuine: NO',
      says: 'Part of this file is not what it claims to be. Do not rely on it.',
    },
  },
  /** The second question: is it about what the reader means? */
  meant: {
    yes: { title: 'The one you mean: yes', says: 'It has every value that you entered.' },
    unasked: {
      title: 'The one you mean: you have not said',
      says: 'Any genuine file of this service gets the answer above. Enter what you know, such as tenant, producer or execution, under “Your own expectations”.',
    },
    no: {
      title: 'The one you mean: NO',
      says: 'It differs from a value that you entered. The failed checks name it.',
    },
  },
  kinds: {
    evidence: 'Evidence of a request',
    export: 'Export of a request',
    record: 'Signed record',
    'anchor proof': 'Anchor proof',
    'ledger range': 'Range of the ledger',
    'security log': 'Security log',
    webhook: 'Webhook body',
  } satisfies Readonly<Record<NonNullable<Verdict['kind']>, string>>,
  unreadable: 'No document',
  kind: 'Kind',
  file: 'File',
  trusted: 'Trusted',
  verifiedAt: 'Verified as of',
  fails: 'Failed',
  open: 'Not checked',
  unknown: 'Cannot be known from this file',
  gone: 'Deleted',
  uncovered: 'Not covered by a signature',
  uncoveredLead: 'Anyone who had the file could have changed these.',
  held: (checks: number) => `Holds: ${number(checks)} ${checks === 1 ? 'check' : 'checks'}`,
  times: (amount: number) => `${number(amount)} times`,
  checklist: 'Before an executor acts',
  statuses: {
    holds: 'Holds',
    fails: 'Fails',
    'cannot be known': 'Cannot be known',
    'not checked': 'Not checked',
  } as Readonly<Record<string, string>>,
  timeline: 'Timeline',
  proven: 'Proven',
  unproven: 'NOT proven',
  record: 'The record',
  noTimeline: 'The file records no events.',
  more: (amount: number) => `… and ${number(amount)} more`,
  shown: 'Material shown',
  document: 'Document',
  payload: 'Payload',
  schema: 'Form of the answer',
  answer: 'Answer',
  nothingShown: 'The private material was deleted; its digests are still signed.',
  cut: (most: number) => `Only the first ${number(most)} characters are shown.`,
  offline: 'Offline',
  offlineHint:
    'Once open, this page works without a network: choose your own trust manifest first.',
  offlinePage: 'Save the verifier as one file',
  offlinePageHint: 'It gives the same verdicts in any current browser.',
  print: 'Print',
} as const;
