/** The end of a request. */
export const outcome = {
  receipt: 'Receipt',
  decidedByOther: 'Decided by another person',
  decidedBySeveral: 'Decided by several people',
  decidedBy: 'Decided by',
  lastVoteBy: 'Last vote by',
  decidedAt: 'Confirmed',
  signedBy: 'Signed by',
  key: 'key',
  saveReceipt: 'Save the signed record',
  print: 'Print',
  next_: 'Next steps',
  afterReview: 'The producer reads the signed answer. You do not need to do anything else.',
  afterAuthorise:
    'When the decision is anchored, the producer may claim the execution once, within its time.',
  afterReviewByOther: 'The producer reads the signed answer.',
  afterRefuse: 'Nothing will be executed. The producer sees that you refused.',
  afterRefuseBy: (reviewer: string) =>
    `Nothing will be executed. The producer sees that ${reviewer} refused.`,
  audit: 'Audit',
  grant: 'Authority',
  execution: 'Execution',
  grantUntil: 'Open until',
  outcome: 'Reported',
  live: 'This updates automatically.',
  stale: 'The state could not be refreshed; trying again.',
} as const;
