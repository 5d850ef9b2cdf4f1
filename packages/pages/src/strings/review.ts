import { FAILURES } from '../app-host/failures.js';
const number = (amount: number) => amount.toLocaleString();
const size = (bytes: number) =>
  bytes < 1024
    ? `${number(bytes)} bytes`
    : bytes < 1024 * 1024
      ? `${number(Math.round(bytes / 102.4) / 10)} KiB`
      : `${number(Math.round(bytes / 104_857.6) / 10)} MiB`;

export const review = {
  queue: 'The list of requests',
  backToList: 'Back to the list',
  placeOf: (at: number, of: number) => `${number(at)} of ${number(of)}`,
  previousRequest: 'Previous',
  nextRequest: 'Next',
  nextIs: 'Next:',
  leftIn: (span: string) => `(${span} left)`,
  listDone: 'This was the last open request of the list.',
  keysTitle: 'Keyboard shortcuts',
  keys: [
    ['j k', 'Next or previous request of the list'],
    ['n', 'Next request that is still open'],
    ['u', 'Back to the list'],
    ['d', 'To the decision'],
    ['Ctrl-Enter', 'In the form: freeze the answer'],
    ['?', 'This list'],
  ] as readonly (readonly [string, string])[],

  loadingStatus: 'Loading the request …',
  loadingMaterial: 'Loading and checking the material …',
  purposeReview: 'Review',
  purposeExecution: 'Authorise an execution',
  asks: 'asks',
  onBehalf: 'on behalf of',

  askedBy: 'Asked by',
  requester: 'On behalf of',
  route: 'Route',
  routeRevision: (revision: number) => `revision ${revision}`,
  received: 'Received',
  deadline: 'Decide until',
  deadlineWas: 'Deadline',
  action: 'Action',
  mode: 'Mode',
  modes: {
    live_window: 'live: in the open window',
    durable: 'durable: later, within its time',
    fixed_mock: 'mock: nothing real happens',
  } as Readonly<Record<string, string>>,
  policy: 'Policy',
  validUntil: 'May run until',
  runsFor: 'Runs at most',
  seconds: (amount: number) => `${number(amount)} seconds`,
  artefact: 'Artefact',
  supersedes: 'Replaces',
  requestId: 'Request',
  requestDigest: 'Request digest',
  metadata: 'Metadata',
  technical: 'Identifiers and digests',
  digestRules: (representation: string, rules: string) => `${representation}, by ${rules}`,

  document: 'Document',
  documentText: 'Text of the document',
  documentLead: 'The exact text that the decision is about. Invisible characters are marked.',
  digest: 'Digest',
  digestMatches: 'recomputed here: matches',
  digestDiffers: 'recomputed here: DOES NOT MATCH',
  differsTitle: 'This material does not match the request',
  differs:
    'A digest that this browser computed differs from the one in the request. Do not decide; tell an operator.',
  saveDocument: 'Save exact text',
  searchDocument: 'Search the document',
  payload: 'Payload',
  payloadLead: (bytes: number) =>
    `The data behind it, ${size(bytes)}. Arrow keys move and open; every value is shown as data, never as markup.`,
  savePayload: 'Save as JSON',
  searchPayload: 'Search the payload',
  matches: (at: number, all: number) =>
    all === 0 ? 'No match' : `${number(at)} of ${all >= 10_000 ? 'many' : number(all)}`,
  previous: 'Previous',
  next: 'Next',
  members: (amount: number) => (amount === 1 ? '1 member' : `${number(amount)} members`),
  items: (amount: number) => (amount === 1 ? '1 item' : `${number(amount)} items`),
  group: 'part of the list',
  moreCharacters: (amount: number) => `… ${number(amount)} more characters`,

  app: 'App',
  appLead: (publisher: string) =>
    `Shown by an app of ${publisher}, apart from this page. It can propose an answer but cannot confirm it.`,
  appTitle: (publisher: string) => `App of ${publisher}`,
  appFailures: FAILURES,
  appLoading: 'Loading the app …',
  appFailed: 'You can read and decide everything on this page without it.',
  appAnother: 'Allow the app one more proposal',

  toDecision: 'Go to the decision',
  readOnly: 'You can read this, not decide it',
  reviewersOf: (route: string, people: string) =>
    `The reviewers of the route ${route} decide it: ${people}.`,
  noReviewers: (route: string) =>
    `The route ${route} has no reviewers. Add one to have it decided.`,
  toOperator: 'Open on the operators’ page',
  yourAnswer: 'Your decision',
  steps: ['Answer', 'Read', 'Confirm'] as readonly string[],
  progress: 'Steps',
  decision: 'Decision',
  decisionHints: {
    answer: 'Give the answer below.',
    approve: 'Agree to the request.',
    reject: 'Do not agree.',
    refuse: 'Nothing is executed.',
    authorise: 'The producer may execute exactly this, once.',
  } as Readonly<Record<string, string>>,
  questionsBy: (producer: string) => `Questions written by ${producer}`,
  nothingToFill: 'Only the decision is required.',
  asForm: 'Fill in the form',
  asJson: 'Enter JSON',
  jsonLabel: 'Response as JSON',
  jsonHint: 'The whole response. The service checks it against the schema.',
  responseSchema: 'Response schema',
  propose: 'Freeze this answer',
  proposeHint: 'Freezing is not a decision. Next you read exactly the text to be signed.',
  draftKept: 'Your draft is kept in this browser until you decide or sign out.',
  draftTaken: 'Restored from your earlier draft.',
  chooseFirst: 'Choose a decision first.',
  preparing: 'Freezing …',
  mismatch:
    'The service froze something other than your proposal. It cannot be confirmed here; tell an operator.',
  unansweredProposal:
    'The service did not answer, so it is not known whether the answer was frozen. Your answer is still here; try again.',

  /** The beginning of the sentence that says what is signed. */
  youDo: {
    authorise: 'You authorise',
    refuse: 'You refuse',
    approve: 'You approve',
    reject: 'You reject',
    answer: 'You answer',
  } as Readonly<Record<string, string>>,
  youAskedBy: ', asked by',
  youOnRoute: ', on the route',
  youOnce: '. It may run once, until',
  youNothing: '. Nothing will be executed.',
  panelProof: 'Proof: everything that is signed',
  panelAnswer: 'Your answer',
  faultsTitle: (amount: number) =>
    amount === 1
      ? 'One field needs your attention:'
      : `${number(amount)} fields need your attention:`,
  details: 'Details of the request',
  runs: (seconds_: number) => `runs at most ${number(seconds_)} s`,
  panelTitle: 'Read the exact text to be signed',
  panelLead: 'This answer is frozen. Confirming signs all of it and cannot be undone.',
  panelDecision: 'Decision',
  panelResponse: 'Response',
  panelCanonical: 'Canonical text',
  panelWhole: 'All ten members of the candidate',
  panelCandidateDigest: 'Candidate digest',
  panelResponseDigest: 'Response digest',
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
  happened: 'The service confirms that it was recorded.',

  changedTitle: 'The frozen answer has changed',
  changed:
    'You froze a newer answer meanwhile, perhaps in another tab. Nothing was signed. The newest answer is shown now; read it again.',
  endedTitles: {
    confirmed: 'Decided meanwhile',
    cancelled: 'Withdrawn meanwhile',
    expired: 'The deadline has passed',
    superseded: 'Replaced meanwhile',
  } as Readonly<Record<string, string>>,
  endedConfirmed: (reviewer: string, decision: string) =>
    `${reviewer} has decided: ${decision}. Your answer was not signed.`,
  endedOther: 'It can no longer be decided. Your answer was not signed.',
  draftAnyway: 'Your draft',

  take: 'Take this review',
  taken: 'You have taken this review',
  takenUntil: 'Other reviewers see that you are working on it. They can still decide it.',
  takenByOther: 'Another reviewer is working on it',

  receipt: 'Receipt',
  decidedByOther: 'Decided by another person',
  decidedBy: 'Decided by',
  decidedAt: 'Confirmed',
  signedBy: 'Signed by',
  saveReceipt: 'Save the signed record',
  saveExport: 'Save all evidence',
  print: 'Print',
  notPrinted: 'The document is too long to print here; its digest above identifies it.',
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
  materialGone: 'The private material of this request was deleted by its retention rules.',
  materialGoneLead: 'Digests and the signed records remain.',
} as const;
