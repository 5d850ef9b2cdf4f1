/** The frozen answer, and the way from it to the signature. */
export const signing = {
  /** The beginning of the sentence that says what is signed. */
  youDo: {
    authorise: 'You authorise',
    refuse: 'You refuse',
    approve: 'You approve',
    reject: 'You reject',
    answer: 'You answer',
  } as Readonly<Record<string, string>>,
  quotes: ['“', '”'],
  youAskedBy: ', asked by',
  youOnRoute: ', on the route',
  youOnce: '. It may run once, until',
  youNothing: '. Nothing will be executed.',
  panelProof: 'Proof: everything that is signed',
  panelAnswer: 'Your answer',
  panelTitle: 'Read the exact text to be signed',
  panelLead: 'This answer is frozen. Confirming signs all of it and cannot be undone.',
  panelDecision: 'Decision',
  panelCanonical: 'Canonical text',
  panelWhole: 'Technical details',
  panelSource: 'Source',
  sourceForm: 'the form on this page',
  sourceEarlier: 'an earlier visit of yours, or another tab',
  sourceApp: (publisher: string) => `the app of ${publisher}`,
  panelRead: 'I have read the frozen answer above, and it is my decision.',
  confirm: 'Confirm and sign',
  confirming: 'Signing …',
  dismiss: 'Back to the answer',
  needsActivation: 'Only a person can confirm. Press the button yourself.',
  stepUpTitle: 'This route requires a fresh login',
  stepUp:
    'Sign in again to confirm your identity. The frozen answer stays unchanged, and you return to this page.',
  stepUpAhead: 'To confirm on this route, you will be asked to sign in again.',
  stepUpGo: 'Sign in and come back',
  stepUpStill:
    'The identity provider did not report a login that is fresh or strong enough. Contact its administrators.',
  unsureTitle: 'It is not known yet whether your decision was recorded',
  unsure:
    'The answer to your confirmation was lost. The same call, with the same key, is repeated until the service answers. Repeating it never decides twice.',
  askAgain: 'Retry now',
  unsureOver: (tries: number) => `Tried ${tries} times so far.`,
} as const;
