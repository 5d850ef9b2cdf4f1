import { number } from '../text/locale.js';

/** Decisions of several people. */
export const approvals = {
  title: 'Several people decide this',
  loading: 'Loading the votes …',
  /** What the seats of a stage ask for, as “1 of finance”. */
  seatsOf: (count: number, group: string) => `${number(count)} of ${group}`,
  and: ' and ',
  needs: (seats: string) => `Needed: ${seats}.`,
  needsInOrder: 'Needed, one stage after the other:',
  teams: 'Each of another team.',
  persons: 'Each seat needs another person.',
  rejection: (count: number) =>
    count === 1
      ? 'A single no refuses the request.'
      : `${number(count)} people who say no refuse the request.`,
  phases: {
    collecting: 'Votes are being collected',
    reached: 'Decided: all seats are filled',
    rejected: 'Decided: enough people said no',
    ended: 'Ended without a decision',
  } as Readonly<Record<string, string>>,
  unreachable: 'The open seats cannot be filled',
  shortOf: (group: string, needed: number, eligible: number, stage: string) =>
    `${stage}: ${number(needed)} of ${group} needed, ${number(eligible)} can vote.`,
  unreachableLead: 'It stays open until its deadline. An operator can change the groups.',

  candidates: 'Answers',
  noCandidates: 'There is no answer yet. These seats are open:',
  answerBy: 'Answer by',
  filled: (filled: number, all: number) => `${number(filled)} of ${number(all)}`,
  noVotes: (votes: number, needed: number) => `${number(votes)} of ${number(needed)} noes`,
  stage: (at: number, name: string) => `Stage ${number(at)}: ${name}`,
  stageOpen: 'open now',
  stageDone: 'complete',
  stageLater: 'later',
  openSeat: 'open',
  readAnswer: 'Read this answer',
  notShown: 'The answer itself is not shown to you now.',

  votes: 'Votes',
  noVotesYet: 'There is no vote yet.',
  voteOn: (author: string) => `on the answer by ${author}`,
  voteStates: {
    live: 'stands',
    counted: 'counts',
    ended: 'ended',
    lapsed: 'lapsed',
  } as Readonly<Record<string, string>>,
  endedReasons: {
    withdrawn: 'taken back',
    candidate_replaced: 'the author changed the answer',
    candidate_gone: 'the answer is gone',
    member_removed: 'the person lost the seat',
    earlier_stage_reopened: 'an earlier stage opened again',
    same_person: 'the same person had voted already',
  } as Readonly<Record<string, string>>,

  approveThis: 'Approve this answer …',
  confirmNo: 'Confirm this no …',
  sayNo: 'Say no …',
  another: 'Prepare another answer …',
  replaces: 'You have prepared an answer. A new one replaces it and ends the votes for it.',
  othersApprove: 'Your answer is ready for the others',
  othersApproveLead: 'Authors do not approve their own answer on this route.',
  prepared: 'Your answer is prepared, and nothing is signed yet.',

  whyNotTitle: 'You cannot vote now',
  whyNotYes: 'You cannot approve now',
  whyNot: {
    reviewer_ineligible: 'None of your groups has a seat in this decision.',
    separation_of_duties:
      'The rules keep you out: you asked for it, own it, prepared the answer yourself, or the route excludes your role.',
    request_not_pending: 'It can no longer be decided.',
    approval_exists: 'You have voted. Take your vote back to give another one.',
    stage_not_open: 'Your seat is not in the stage that is open. You can say no at any time.',
    candidate_changed: 'There is no answer yet that you could approve.',
    identity_uncertain: 'The service is not certain who you are. An operator can clear this up.',
    human_key_required:
      'This decision asks for a key of yours, and you have none that counts here. Add one, or wait until an operator has vouched for it.',
    approval_unavailable: 'There is no vote of yours to take back.',
  } as Readonly<Record<string, string>>,
  toKeys: 'My keys',
  whyNotOther: (code: string) => `The service gives the reason ${code}.`,

  refusedTitle: 'Your vote was not signed',
  refused: 'The votes shown are those of now. What you have typed is kept.',
  overtaken: 'The answer has changed or is gone. Read the newest answer again before you vote.',
  wrongDigest:
    'The answer differs from the digest that the service promised. It cannot be approved here; tell an operator.',

  voted: (decision: string) => `Your vote is recorded: ${decision}.`,
  yourVote: 'Your vote',
  withdraw: 'Take my vote back …',
  withdrawSure: 'Your vote ends. Votes of later stages for the same answer can end with it.',
  withdrawAfter:
    'The unused authority is revoked, and the request stays decided. This cannot be undone.',
  withdrawYes: 'Take it back',
  withdrawNo: 'Keep it',
  withdrawing: 'Taking it back …',
  withdrawn: 'Your vote was taken back.',

  panel: {
    youDo: {
      authorise: 'You vote to authorise',
      refuse: 'You vote to refuse',
      approve: 'You vote to approve',
      reject: 'You vote to reject',
      answer: 'You vote for this answer to',
    } as Readonly<Record<string, string>>,
    panelTitle: 'Read the exact text to be signed',
    panelLead:
      'All people sign this same answer. You can take your vote back until the request is decided.',
    panelAnswer: 'The answer',
    panelRead: 'I have read the frozen answer above, and I vote for it.',
    panelUnread: 'Scroll to the end of the answer first.',
    confirm: 'Vote and sign',
    confirming: 'Signing …',
    dismiss: 'Back to the votes',
    unsure:
      'The answer to your vote was lost. The same call, with the same key, is repeated until the service answers. Repeating it never votes twice.',
  },
  /** In place of the above, where the decision asks for keys of people. */
  withKey: {
    confirm: 'Sign with your key',
    askingKey: 'Waiting for your key …',
    stop: 'Stop waiting',
  },
  digestMatches: 'recomputed here: matches the promised one',

  decidedBy: 'Decided by these people',
  endedTitle: 'Votes of this request',
  refusedBy: 'Refused by these people',
  forSeat: (group: string, stage: string) => `for ${group}, ${stage}`,
  forNo: 'said no',
  saveVotes: 'Save the signed votes',
} as const;
