// Words that every page needs. One typed file per area; nothing that a reader sees is written anywhere else.

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
  operator: 'Operation',
  auditor: 'Audit',
  signedInAs: 'Signed in as',
  inTenant: 'in the tenant',
  switchTenant: 'Change tenant',
  mySessions: 'My sessions',
  signOut: 'Sign out',
  switchPerson: 'Sign in as somebody else',
  signIn: 'Sign in again',
  skip: 'Skip to content',
  sessionOver:
    'Your session has ended. What you wrote is kept in this browser; sign in again to go on with it.',
  sessionOther: (name: string, tenant: string) =>
    `${name} has signed in by this browser meanwhile, in the tenant ${tenant}. This page was opened for somebody else and does nothing any more.`,
  goOnAs: (name: string) => `Go on as ${name}`,
  offline: 'You are offline. What is shown may be out of date.',
  unanswered: 'The service did not answer. Check your connection and try again.',
  refusedWith: (code: string, trace: string) => (trace === '' ? code : `${code} · trace ${trace}`),
  retryIn: (seconds: number) => `Try again in ${seconds} seconds.`,
  required: 'required',
  more: (amount: number) => `… ${amount.toLocaleString()} more characters`,
} as const;
