export const sessions = {
  title: 'My sessions',
  lead: (tenant: string) =>
    `Where you are signed in to the tenant ${tenant}. End what you do not recognise, and what you left open elsewhere.`,
  list: 'Sessions',
  since: 'Signed in',
  lastUsed: 'Last used',
  lastUsedHint: 'Last use is written down once a minute.',
  expires: 'Ends at the latest',
  which: 'Which',
  current: 'This one',
  other: 'Another one',
  action: 'End it',
  end: 'End',
  endLabel: (since: string) => `End the session signed in ${since}`,
  endOthers: 'End all others',
  noOthers: 'There is no other session.',
  ended: (count: number) =>
    count === 1 ? 'One session was ended.' : `${count} sessions were ended.`,
  gone: 'That session had ended already.',
} as const;
