export const sessions = {
  title: 'My sessions',
  lead: (tenant: string) =>
    `Where you are signed in to the tenant ${tenant}. End sessions that you do not recognise or no longer need.`,
  list: 'Sessions',
  since: 'Signed in',
  lastUsed: 'Last used',
  lastUsedHint: 'The time of last use is updated once a minute.',
  expires: 'Expires',
  which: 'Session',
  current: 'This session',
  other: 'Another session',
  action: 'End it',
  end: 'End',
  endLabel: (since: string) => `End the session signed in ${since}`,
  endOthers: 'End all others',
  noOthers: 'There is no other session.',
  ended: (count: number) =>
    count === 1 ? 'One session was ended.' : `${count} sessions were ended.`,
  gone: 'That session had already ended.',
} as const;
