import type { Voter } from './standing.js';
import { allStand, candidaturesOf, endingsOf } from './standing.js';
import { vote } from './testing/voters.js';

const voterOf = (
  reviewer: string,
  groups: readonly string[],
  {
    person = reviewer,
    team = null as string | null,
    ...changed
  }: Partial<Voter> & {
    person?: string;
    team?: string | null;
  } = {},
): [string, Voter] => [
  reviewer,
  {
    ...{ reviewer, isReviewer: true, isCertain: true, member: { person, team, groups } },
    ...changed,
  },
];

const NONE: ReadonlySet<string> = new Set();
const reasonsOf = (
  votes: Parameters<typeof endingsOf>[0],
  voters: readonly [string, Voter][],
  gone = NONE,
) =>
  endingsOf(votes, new Map(voters), gone).map(({ reason, votes: ended }) => [
    reason,
    ended.map(({ reviewer }) => reviewer),
  ]);

describe('a live vote', () => {
  const yes = vote('anna', ['finance', 'platform']);
  const no = vote('anna', ['finance', 'platform'], { yes: false });

  it('stands while its giver is a reviewer of its team and groups, and may have joined others', () => {
    const anna = voterOf('anna', ['finance', 'legal', 'platform']);
    expect(reasonsOf([yes], [anna])).toEqual([]);
    expect(reasonsOf([no], [anna])).toEqual([]);
  });

  it.each<[string, readonly [string, Voter][]]>([
    ['who is disabled or out of the route', [voterOf('anna', yes.groups, { isReviewer: false })]],
    ['of whom there is no entry', []],
    ['of another team', [voterOf('anna', yes.groups, { team: 'red' })]],
    ['who is another person, and alone', [voterOf('anna', yes.groups, { person: 'berta' })]],
    ['without a group', [voterOf('anna', [])]],
  ])('of a giver %s ends', (_, voters) => {
    expect(reasonsOf([yes], voters)).toEqual([['member_removed', ['anna']]]);
    expect(reasonsOf([no], voters)).toEqual([['member_removed', ['anna']]]);
  });

  it('ends as a yes with one of its groups, and as a no with the last', () => {
    const anna = voterOf('anna', ['platform']);
    expect(reasonsOf([yes], [anna])).toEqual([['member_removed', ['anna']]]);
    expect(reasonsOf([no], [anna])).toEqual([]);
  });

  it('stays while its giver is not certain to be known', () => {
    expect(reasonsOf([yes], [voterOf('anna', yes.groups, { isCertain: false })])).toEqual([]);
    expect(reasonsOf([yes], [voterOf('anna', [], { member: null })])).toEqual([]);
    const disabled = voterOf('anna', [], { member: null, isReviewer: false });
    expect(reasonsOf([yes], [disabled])).toEqual([['member_removed', ['anna']]]);
  });

  it('ends with its candidate, unless its giver is gone as well', () => {
    const other = vote('berta', ['finance']);
    const voters = [voterOf('anna', [], { isReviewer: false }), voterOf('berta', ['finance'])];
    expect(reasonsOf([yes, other], voters, new Set(['a']))).toEqual([
      ['member_removed', ['anna']],
      ['candidate_gone', ['berta']],
    ]);
    expect(reasonsOf([other], voters, new Set(['b']))).toEqual([]);
  });
});

describe('two votes that are one person’s now', () => {
  const [first, second] = [vote('anna', ['finance']), vote('berta', ['finance'])];

  it('are one: the later ends', () => {
    const voters = [
      voterOf('anna', ['finance']),
      voterOf('berta', ['finance'], { person: 'anna' }),
    ];
    expect(reasonsOf([first, second], voters)).toEqual([['same_person', ['berta']]]);
  });

  it('are none where the earlier one names a person that its giver no longer is', () => {
    const voters = [
      voterOf('anna', ['finance'], { person: 'berta' }),
      voterOf('berta', ['finance']),
    ];
    expect(reasonsOf([first, second], voters)).toEqual([
      ['member_removed', ['anna']],
      ['same_person', ['berta']],
    ]);
  });

  it('are not two where one of them has ended anyway', () => {
    const voters = [
      voterOf('anna', ['finance'], { isReviewer: false }),
      voterOf('berta', ['finance'], { person: 'berta' }),
    ];
    expect(reasonsOf([first, second], voters)).toEqual([['member_removed', ['anna']]]);
  });
});

describe('the votes that were counted', () => {
  const counted = [
    { vote: vote('anna', ['finance', 'platform']), stage: 1, group: 'platform' },
    { vote: vote('berta', ['finance']), stage: 1, group: 'finance' },
  ];
  const berta = voterOf('berta', ['finance']);

  it('stand while each giver may fill the seat', () => {
    expect(allStand(counted, new Map([voterOf('anna', ['platform']), berta]))).toBe(true);
    const uncertain = voterOf('anna', [], { member: null });
    expect(allStand(counted, new Map([uncertain, berta]))).toBe(true);
  });

  it.each<[string, Voter]>([
    ['out of the seat’s group', voterOf('anna', ['finance'])[1]],
    ['of another team', voterOf('anna', ['platform'], { team: 'red' })[1]],
    ['disabled', voterOf('anna', ['platform'], { isReviewer: false })[1]],
    ['another person', voterOf('anna', ['platform'], { person: 'berta' })[1]],
  ])('do not where one is %s', (_, anna) => {
    expect(allStand(counted, new Map([['anna', anna], berta]))).toBe(false);
  });

  it('stand as noes while a giver is in one of the groups', () => {
    const noes = [{ vote: vote('berta', ['finance'], { yes: false }), stage: 0, group: null }];
    expect(allStand(noes, new Map([berta]))).toBe(true);
    expect(allStand(noes, new Map([voterOf('berta', [])]))).toBe(false);
  });
});

it('people fill seats who review, are certain to be known and not excluded', () => {
  const voters = new Map([
    voterOf('anna', ['finance']),
    voterOf('berta', ['finance'], { isCertain: false }),
    voterOf('carla', ['finance'], { isReviewer: false }),
    voterOf('dora', ['finance']),
    voterOf('eva', [], { member: null }),
  ]);
  expect(candidaturesOf({ excluded: ['dora'] }, voters).map(({ person }) => person)).toEqual([
    'anna',
  ]);
});
