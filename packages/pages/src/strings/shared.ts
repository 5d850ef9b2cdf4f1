// Texts of all pages. There is one typed file per area; visible text is written only in these files.

import { number } from '../text/locale.js';

export const shared = {
  brand: 'Countersign',
  loading: 'Loading …',
  close: 'Close',
  tryAgain: 'Try again',
  showMore: 'Show more',
  showLocalTime: 'Show in your own time zone',
  keys: 'Keyboard shortcuts',
  navigation: 'Pages',
  inbox: 'Inbox',
  operator: 'Admin',
  securityLog: 'Security log',
  auditor: 'Audit',
  signedInAs: 'Signed in as',
  inTenant: 'in the tenant',
  switchTenant: 'Change tenant',
  notifications: 'Notifications',
  mySessions: 'My sessions',
  myKeys: 'My keys',
  language: 'Language',
  theme: 'Colours',
  themes: { system: 'System', light: 'Light', dark: 'Dark' },
  signOut: 'Sign out',
  switchPerson: 'Sign in as another person',
  signIn: 'Sign in again',
  skip: 'Skip to content',
  sessionOver:
    'Your session has ended. Your draft is kept in this browser; sign in again to continue.',
  sessionOther: (name: string, tenant: string) =>
    `${name} has since signed in with this browser, in the tenant ${tenant}. This page was opened for another person and no longer works.`,
  goOnAs: (name: string) => `Continue as ${name}`,
  offline: 'You are offline. This page may be out of date.',
  unanswered: 'The service did not answer. Check your connection and try again.',
  refusedWith: (code: string, trace: string) => (trace === '' ? code : `${code} · trace ${trace}`),
  retryIn: (seconds: number) => `Try again in ${seconds} seconds.`,
  required: 'required',
  evidence: 'Evidence',
  evidencePage: 'Evidence as a page',
  evidenceJson: 'Evidence as JSON',
  evidenceHint:
    'One file that anyone can open and verify, without a network. It holds the private material, too.',
  evidenceWaits: 'The ledger is writing the last entries. This takes some seconds.',
  more: (amount: number) => `… ${number(amount)} more characters`,
} as const;
