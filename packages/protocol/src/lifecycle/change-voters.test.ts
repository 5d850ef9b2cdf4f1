import { NO_VOTES, cast } from '../approval/index.js';
import type { Voter } from '../approval/index.js';
import { quorumOf } from '../approval/testing/voters.js';
import { textDigest } from '../json/index.js';
import { faultOf } from '../records/index.js';
import { changeVoters, losesVoter } from './index.js';
import type { Lifecycle, Voted, VotersNow } from './index.js';
import { PENDING, factsOf, memberOf } from './testing/approvals.js';

const NOW = PENDING.reviewDeadline - 1000;
const BY = { kind: 'operator', subject: 'op-1' } as const;
const quorum = quorumOf([{ finance: 1 }, { platform: 2 }], 'person');
const about = factsOf({ quorum });
const PEOPLE = ['fin-1', 'fin-2', 'plat-1', 'plat-2', 'plat-3'];

function votingOf(...votes: [name: string, stage: number][]) {
  const tally = votes.reduce((before, [name, stage]) => {
    const { person, groups, team } = memberOf(name);
    const given = { id: textDigest(name), reviewer: name, forPerson: null, candidate: 'a' };
    return cast(quorum, before, { ...given, person, groups, team, yes: true, stage });
  }, NO_VOTES);
  return { tally, number: votes.length };
}

/** All people but these, who are reviewers no more. */
function without(names: readonly string[], changes: Partial<VotersNow> = {}): VotersNow {
  const voters = PEOPLE.map((name): [string, Voter] => [
    name,
    {
      ...{ reviewer: name, isReviewer: !names.includes(name), isCertain: true },
      member: memberOf(name),
    },
  ]);
  return { voters: new Map(voters), gone: new Set(), wasUnreachable: false, ...changes };
}

const changed = (
  voting: ReturnType<typeof votingOf>,
  directory: VotersNow,
  state: Lifecycle = PENDING,
) => changeVoters(state, about, voting, directory, BY, NOW);

/** Types of the records, with number, reason and how many votes an ending has. */
const toldBy = ({ transition }: Voted) =>
  transition.records.map((draft) => {
    if (draft.type === 'RequestChangedEvent') return `+${draft.payload.reason}`;
    if (draft.type !== 'ApprovalEnded') return draft.type;
    expect(faultOf('ApprovalEnded', draft.payload)).toBeNull();
    const { number, reason, approvals } = draft.payload;
    return `${reason}#${number}(${approvals.length})`;
  });

describe('votes of a pending request', () => {
  it('end with their giver, and those for later stages with them', () => {
    const voting = votingOf(['fin-1', 1], ['plat-1', 2]);
    const ended = changed(voting, without(['fin-1']));
    expect(toldBy(ended)).toEqual([
      'member_removed#3(1)',
      'earlier_stage_reopened#4(1)',
      '+approval_ended',
    ]);
    expect(ended.tally.live).toEqual([]);
    expect(ended.transition.next).toEqual({ ...PENDING, revision: PENDING.revision + 1 });
  });

  it('end once for each reason, with numbers that follow each other', () => {
    const voting = votingOf(['fin-1', 1], ['fin-2', 1], ['plat-1', 2]);
    const ended = changed(voting, without(['fin-2'], { gone: new Set(['a']) }));
    expect(toldBy(ended)).toEqual([
      'member_removed#4(1)',
      '+approval_ended',
      'candidate_gone#5(2)',
      '+approval_ended',
    ]);
  });

  it('that ended with an earlier stage do not end twice', () => {
    const voting = votingOf(['fin-1', 1], ['plat-1', 2]);
    const ended = changed(voting, without(['fin-1'], { gone: new Set(['a']) }));
    expect(toldBy(ended)).toEqual([
      'member_removed#3(1)',
      'earlier_stage_reopened#4(1)',
      '+approval_ended',
    ]);
  });

  it('end with the key that they were signed by, and those for later stages with them', () => {
    const voting = votingOf(['fin-1', 1], ['fin-2', 1], ['plat-1', 2]);
    const keyless = new Set([textDigest('fin-1')]);
    expect(toldBy(changed(voting, without([], { keyless })))).toEqual([
      'credential_ended#4(1)',
      'earlier_stage_reopened#5(1)',
      '+approval_ended',
    ]);
    const other = new Set([textDigest('somebody')]);
    expect(toldBy(changed(voting, without([], { keyless: other })))).toEqual([]);
  });

  it('stay where their givers do, and without a record', () => {
    const ended = changed(votingOf(['fin-1', 1]), without(['fin-2', 'plat-3']));
    expect([toldBy(ended), ended.transition.next]).toEqual([[], PENDING]);
  });

  it.each<[string, Partial<Lifecycle>]>([
    ['past its deadline', { reviewDeadline: NOW }],
    ['without material', { materialDeleted: true }],
    ['that is cancelled', { decision: 'cancelled', invalidated: 'cancelled' }],
    ['that has ended', { decision: 'expired' }],
  ])('stay where the request is one %s', (_, state) => {
    const ended = changed(votingOf(['fin-1', 1]), without(PEOPLE), { ...PENDING, ...state });
    expect(toldBy(ended)).toEqual([]);
  });
});

describe('a quorum that is out of reach', () => {
  const few = without(['plat-2', 'plat-3']);

  it('has one event and one incident, and ends nothing', () => {
    const told = changed(votingOf(), few);
    expect(toldBy(told)).toEqual(['+quorum_unreachable']);
    expect(told.transition.incidents).toEqual(['quorum_unreachable']);
    expect(told.transition.next.decision).toBe('pending');
    expect(toldBy(changed(votingOf(), { ...few, wasUnreachable: true }))).toEqual([]);
  });

  it('has its event behind those of the votes that end', () => {
    const told = changed(votingOf(['fin-1', 1], ['plat-2', 2]), few);
    expect(toldBy(told)).toEqual(['member_removed#3(1)', '+approval_ended', '+quorum_unreachable']);
  });

  it('is one without people who are certain to be known', () => {
    const { voters } = without([]);
    const doubted = new Map(
      [...voters].map(([name, each]) => [name, { ...each, isCertain: name.startsWith('fin') }]),
    );
    const ended = changed(votingOf(['fin-1', 1], ['plat-1', 2]), { ...few, voters: doubted });
    expect(toldBy(ended)).toEqual(['+quorum_unreachable']);
  });
});

describe('votes that were counted', () => {
  const voting = votingOf(['fin-1', 1], ['plat-1', 2], ['plat-2', 2]);
  const decided: Lifecycle = {
    ...PENDING,
    ...{ decision: 'confirmed', audit: 'anchored', grant: 'available', grantDeadline: NOW + 1 },
  };

  it('take an unused grant away when one of them stands no longer', () => {
    expect(losesVoter(decided, voting, without(['plat-1']), NOW)).toBe(true);
    expect(losesVoter(decided, voting, without(['plat-3']), NOW)).toBe(false);
  });

  it('take it away when the key of one of them was lost', () => {
    const lost = (name: string) => without([], { keyless: new Set([textDigest(name)]) });
    expect(losesVoter(decided, voting, lost('fin-1'), NOW)).toBe(true);
    expect(losesVoter(decided, voting, lost('plat-3'), NOW)).toBe(false);
  });

  it.each<[string, Partial<Lifecycle>]>([
    ['consumed', { grant: 'consumed', execution: 'claimed', claimed: true }],
    ['over', { grantDeadline: NOW }],
    ['revoked', { grant: 'revoked', invalidated: 'revoked' }],
  ])('take nothing away where it is %s', (_, state) => {
    expect(losesVoter({ ...decided, ...state }, voting, without(PEOPLE), NOW)).toBe(false);
  });

  it('end in no case', () => {
    expect(toldBy(changed(voting, without(PEOPLE), decided))).toEqual([]);
  });
});
