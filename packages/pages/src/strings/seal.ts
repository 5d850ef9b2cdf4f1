// Texts of the seal: the result of the verification in the reader's browser.

import type { Member } from '../seal/comparison.js';
import { number } from '../text/locale.js';

export interface SealWords {
  /** On the seal itself. */
  readonly word: string;
  /** Beside it. */
  readonly says: string;
}

const members: Readonly<Record<Member, string>> = {
  request: 'request',
  request_digest: 'digest of the request',
  receipt: 'receipt',
  claim: 'claim of the execution',
  outcome: 'outcome of the execution',
  decision_state: 'state of the decision',
  audit_state: 'state of the audit',
  grant_state: 'state of the authority',
  execution_state: 'state of the execution',
};

const manifest = (ownFingerprint: boolean): string =>
  ownFingerprint
    ? 'the trust manifest whose fingerprint you keep here'
    : 'the trust manifest that this service publishes';

export const sealWords = {
  unchecked: { word: 'Not checked yet', says: 'This browser verifies the evidence in a moment.' },
  checking: { word: 'Checking …', says: 'This browser verifies the evidence.' },
  large: {
    word: 'Not checked: large',
    says: 'The evidence has more than 2 MB, so this browser verifies it only when you ask: press, then “Check now”.',
  },
  incomplete: {
    word: 'Not yet provable',
    says: 'The ledger has not recorded the last step yet. This page asks again by itself.',
  },
  unanchored: {
    word: 'Not yet provable',
    says: 'The decision is not anchored yet. This page asks again by itself.',
  },
  behind: {
    word: 'Not yet provable',
    says: 'The evidence ends before the state on this page. This page asks again by itself.',
  },
  verified: (ownFingerprint: boolean): SealWords => ({
    word: 'Verified',
    says: `Verified in this browser against ${manifest(ownFingerprint)}. Enough of your witnesses have seen the ledger grow.`,
  }),
  alone: (ownFingerprint: boolean, hasPolicy: boolean): SealWords => ({
    word: 'Nothing fails',
    says: `Checked in this browser against ${manifest(ownFingerprint)}. Only the service vouches for its ledger: ${
      hasPolicy ? 'too few of your witnesses have signed' : 'no witness outside it was asked for'
    }.`,
  }),
  open: (says: string): SealWords => ({ word: 'Not fully provable', says }),
  unproven: (member: Member): SealWords => ({
    word: 'Not fully provable',
    says: `The ${members[member]} on this page is in no record: a recovery of the service and an audit conflict make none.`,
  }),
  remains: {
    word: 'Deleted',
    says: 'The request was deleted at the end of its audit period. Only the digests of its records are still proven.',
  },
  failed: (says: string, path: string): SealWords => ({
    word: 'Does NOT hold',
    says: path === '' ? says : `The evidence fails at ${path}: ${says}`,
  }),
  differs: (member: Member, path: string): SealWords => ({
    word: 'Does NOT hold',
    says: `The ${members[member]} on this page differs from the evidence${path === '' ? '' : ` at ${path}`}.`,
  }),
  'another request': {
    word: 'Does NOT hold',
    says: 'The service answered with the evidence of another request.',
  },
  'no evidence': {
    word: 'Does NOT hold',
    says: 'The service answered with something that is no evidence of a request.',
  },
  unavailable: (says: string): SealWords => ({ word: 'Could not be checked', says }),
} as const;

export const sealTexts = {
  deleted: 'Private material was deleted; its digests are still signed.',
  internal: 'The verification ended unexpectedly.',
  title: 'The check of this page',
  verdict: 'Verdict',
  same: 'The request, the signed records and the states on this page are those in the evidence.',
  covers:
    'The seal covers the request, its digest, the receipt with decision and candidate digest, claim, outcome and the four states. It does not cover names of people, deliveries and the history.',
  /** The verifier's own sections. */
  sections: {
    Failed: 'Failed checks',
    'What happened': 'What happened',
    'What vouches for it': 'What vouches for it',
    Open: 'Open points',
  } as Readonly<Record<string, string>>,
  gone: 'Deleted',
  keys: 'Trusted keys',
  fingerprint: 'Fingerprint of the manifest',
  checks: (amount: number) => `${number(amount)} checks were made.`,
  again: 'Check again',
  now: 'Check now',
  more: 'For a stronger check',
  selfMade:
    'This page comes from the service that it verifies, so it cannot prove that the service is honest. Save the evidence as a page, open it from your disk, and type the fingerprint that you received another way. A verifier from another source takes the same file.',
  own: 'What you know from elsewhere',
  ownHint: 'It stays in this browser, for you alone.',
  typed: 'Fingerprint of the trust manifest',
  typedHint: 'Words or hex, received another way than from this service.',
  keep: 'Keep and check again',
} as const;
