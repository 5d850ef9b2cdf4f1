import { FAILURES } from '../app-host/failures.js';
const number = (amount: number) => amount.toLocaleString();
const size = (bytes: number) =>
  bytes < 1024
    ? `${number(bytes)} bytes`
    : bytes < 1024 * 1024
      ? `${number(Math.round(bytes / 102.4) / 10)} KiB`
      : `${number(Math.round(bytes / 104_857.6) / 10)} MiB`;

export const review = {
  loadingStatus: 'Loading the request …',
  loadingMaterial: 'Loading and checking the material …',
  purposeReview: 'Review',
  purposeExecution: 'Authorise an execution',
  asks: 'asks',
  onBehalf: 'on behalf of',

  about: 'The request',
  askedBy: 'Asked by',
  requester: 'On behalf of',
  route: 'Route',
  routeRevision: (revision: number) => `revision ${revision}`,
  received: 'Received',
  deadline: 'Decide until',
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
  documentLead:
    'The exact text that the decision is about. Characters that cannot be seen are marked.',
  digest: 'Digest',
  digestMatches: 'recomputed here: matches',
  digestDiffers: 'recomputed here: DOES NOT MATCH',
  differsTitle: 'This material is not what was bound',
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
    `Shown by an app of ${publisher}, apart from this page. It can propose an answer and can confirm nothing.`,
  appTitle: (publisher: string) => `App of ${publisher}`,
  appFailures: FAILURES,
  appLoading: 'Loading the app …',
  appFailed: 'Everything can be read and done on this page without it.',
  appAnother: 'Allow the app one more proposal',

  toDecision: 'Go to the decision',
  yourAnswer: 'Your decision',
  steps: ['Answer', 'Read', 'Confirm'] as readonly string[],
  progress: 'Steps',
  decision: 'Decision',
  decisionHints: {
    answer: 'Give the answer below.',
    approve: 'Agree with what is asked.',
    reject: 'Do not agree.',
    refuse: 'Nothing is executed.',
    authorise: 'The producer may execute exactly this, once.',
  } as Readonly<Record<string, string>>,
  questionsBy: (producer: string) => `Questions written by ${producer}`,
  nothingToFill: 'Beyond the decision, nothing has to be filled in.',
  asForm: 'Fill in the form',
  asJson: 'Write it as JSON',
  jsonLabel: 'Response as JSON',
  jsonHint: 'The whole response. The service checks it against the schema.',
  responseSchema: 'Response schema',
  propose: 'Freeze this answer',
  proposeHint: 'Freezing decides nothing yet. Next you read exactly what would be signed.',
  draftKept: 'What you write is kept in this browser until you decide or sign out.',
  draftTaken: 'Taken up from what you wrote before.',
  chooseFirst: 'Choose a decision first.',
  faultsFirst: 'Some fields are not complete yet.',
  preparing: 'Freezing …',
  mismatch:
    'The service froze something else than what was proposed. It cannot be confirmed here; tell an operator.',
  unansweredProposal:
    'The service did not answer, so nothing is shown to be frozen. Your answer is still here; try again.',

  panelTitle: 'Read exactly what will be signed',
  panelLead: 'This is frozen. Confirming signs it, all of it, and cannot be undone.',
  panelDecision: 'Decision',
  panelResponse: 'Response',
  panelCanonical: 'Canonical text',
  panelWhole: 'All ten members of the candidate',
  panelCandidateDigest: 'Candidate digest',
  panelResponseDigest: 'Response digest',
  panelSource: 'Came from',
  sourceForm: 'the form on this page',
  sourceEarlier: 'an earlier visit of yours, or another tab',
  sourceApp: (publisher: string) => `the app of ${publisher}`,
  panelRead: 'I have read the frozen answer above, and it is what I decide.',
  confirm: 'Confirm and sign',
  confirming: 'Signing …',
  dismiss: 'Back to the answer',
  needsActivation: 'Only a person’s own action confirms. Press the button yourself.',
  stepUpTitle: 'This route wants a fresh login',
  stepUp:
    'Sign in once more to show that it is you. The frozen answer stays as it is, and you come back to this place.',
  stepUpAhead: 'To confirm on this route, you will be asked to sign in once more.',
  stepUpGo: 'Sign in and come back',
  stepUpStill:
    'The identity provider has not told of a login that is fresh or strong enough. Ask those who run it.',

  unsureTitle: 'We do not know yet whether it was recorded',
  unsure:
    'The answer to your confirmation was lost on its way. The same question, with the same key, is asked again until the service says what happened: asking twice never decides twice.',
  askAgain: 'Ask again now',
  unsureOver: (tries: number) => `Asked ${tries} times so far.`,
  happened: 'The service says that it was recorded.',

  changedTitle: 'The frozen answer has changed',
  changed:
    'A newer answer of yours was frozen meanwhile, perhaps in another tab. Nothing was signed. The newest one is shown now; read it again.',
  endedTitles: {
    confirmed: 'Decided meanwhile',
    cancelled: 'Withdrawn meanwhile',
    expired: 'The deadline has passed',
    superseded: 'Replaced meanwhile',
  } as Readonly<Record<string, string>>,
  endedConfirmed: (reviewer: string, decision: string) =>
    `${reviewer} has decided: ${decision}. Nothing of yours was signed.`,
  endedOther: 'It can no longer be decided. Nothing of yours was signed.',
  draftAnyway: 'What you had written',

  take: 'Take this review',
  taken: 'You have taken this review',
  takenUntil: 'The others see that you are at it. Taking gives no authority and keeps nobody out.',
  takenByOther: 'Another reviewer is at it',

  receipt: 'Receipt',
  decidedBy: 'Decided by',
  decidedAt: 'Confirmed',
  signedBy: 'Signed by',
  saveReceipt: 'Save the signed record',
  saveExport: 'Save the whole evidence',
  print: 'Print',
  notPrinted: 'The document is too long to be printed here; its digest above stands for it.',
  next_: 'What happens now',
  afterReview: 'The producer reads the signed answer. You need to do nothing more.',
  afterAuthorise:
    'When the decision is anchored, the producer may claim the execution once, within its time.',
  afterRefuse: 'Nothing will be executed. The producer sees that you refused.',
  audit: 'Audit',
  grant: 'Authority',
  execution: 'Execution',
  grantUntil: 'Open until',
  outcome: 'Reported',
  live: 'This updates by itself.',
  stale: 'The newest state could not be read; trying again.',
  materialGone: 'The private material of this request has been deleted, as its retention says.',
  materialGoneLead: 'Digests and the signed records remain.',
} as const;
