import fc from 'fast-check';
import { classOf } from './seats.js';
import { NO_VOTES, cast, end, isReachable, openSeats, openStage } from './tally.js';
import type { Tally, Vote } from './tally.js';
import { quorumOf, vote, voter } from './testing/voters.js';
import type { QuorumPolicy } from '../records/index.js';

const counting = (quorum: QuorumPolicy, votes: readonly Vote[]): Tally =>
  votes.reduce((tally, each) => cast(quorum, tally, each), NO_VOTES);
const seatsOfCounted = ({ counted }: Tally) =>
  counted.map(({ vote: { person }, stage, group }) => [person, stage, group]);

describe('one of finance and two of platform, of different teams', () => {
  const quorum = quorumOf([{ finance: 1, platform: 2 }]);
  const both = vote('both-1', ['finance', 'platform'], { team: 'red' });
  const first = vote('plat-1', ['platform'], { team: 'blue' });
  const second = vote('plat-2', ['platform'], { team: 'blue' });
  const finance = vote('fin-1', ['finance'], { team: 'green' });

  it('is the worked example: the member of both moves, the second of a team is reserve', () => {
    const tally = counting(quorum, [both, first, second]);
    expect(tally.phase).toBe('collecting');
    const decided = cast(quorum, tally, finance);
    expect(decided.phase).toBe('reached');
    expect(seatsOfCounted(decided)).toEqual([
      ['both-1', 1, 'platform'],
      ['plat-1', 1, 'platform'],
      ['fin-1', 1, 'finance'],
    ]);
  });

  it('takes the reserve of the team whose vote ended', () => {
    const { tally } = end(quorum, counting(quorum, [both, first, second]), new Set([first.id]));
    expect(seatsOfCounted(cast(quorum, tally, finance))).toEqual([
      ['both-1', 1, 'platform'],
      ['plat-2', 1, 'platform'],
      ['fin-1', 1, 'finance'],
    ]);
  });

  it('takes no vote after the decision', () => {
    const decided = counting(quorum, [both, first, finance]);
    expect(() => cast(quorum, decided, second)).toThrow(RangeError);
    expect(() => end(quorum, decided, new Set([both.id]))).toThrow(RangeError);
  });

  it('does not add votes for different candidates', () => {
    const other = { ...finance, candidate: 'b' };
    const tally = counting(quorum, [both, first, other]);
    expect(tally.phase).toBe('collecting');
    expect(openSeats(quorum, tally, 'b').map(({ vote: by }) => by?.person ?? null)).toEqual([
      'fin-1',
      null,
      null,
    ]);
  });
});

describe('refusing', () => {
  const quorum = quorumOf([{ finance: 2 }], 'person', { rejection: { count: 2 } });

  it('is by as many people as the policy says, whatever candidates they name', () => {
    const one = vote('fin-1', ['finance'], { yes: false });
    const other = vote('fin-2', ['finance'], { yes: false, candidate: 'b' });
    expect(counting(quorum, [one]).phase).toBe('collecting');
    const decided = counting(quorum, [one, other]);
    expect(decided.phase).toBe('rejected');
    expect(seatsOfCounted(decided)).toEqual([
      ['fin-1', 0, null],
      ['fin-2', 0, null],
    ]);
  });

  it('counts no vote that was taken back', () => {
    const one = vote('fin-1', ['finance'], { yes: false });
    const { tally } = end(quorum, counting(quorum, [one]), new Set([one.id]));
    expect(cast(quorum, tally, vote('fin-2', ['finance'], { yes: false })).phase).toBe(
      'collecting',
    );
  });
});

describe('stages', () => {
  const quorum = quorumOf([{ finance: 1 }, { platform: 1, finance: 1 }]);
  const first = vote('fin-1', ['finance'], { team: 'green' });
  const reserve = vote('fin-0', ['finance'], { team: 'green' });
  const later = vote('plat-1', ['platform'], { team: 'blue', stage: 2 });

  it('open one after another for each candidate', () => {
    const tally = counting(quorum, [first]);
    expect([openStage(tally, 'a'), openStage(tally, 'b')]).toEqual([2, 1]);
  });

  it('use a team up for the stages behind', () => {
    const sameTeam = vote('fin-2', ['finance'], { team: 'green', stage: 2 });
    const tally = counting(quorum, [first, later, sameTeam]);
    expect(tally.phase).toBe('collecting');
    const other = vote('fin-3', ['finance'], { team: 'red', stage: 2 });
    expect(cast(quorum, tally, other).phase).toBe('reached');
  });

  it('are open again when a counted vote ends, and the later votes end with it', () => {
    const tally = counting(quorum, [first, later]);
    const ended = end(quorum, tally, new Set([first.id]));
    expect(ended.reopened).toEqual([later]);
    expect([openStage(ended.tally, 'a'), ended.tally.live]).toEqual([1, []]);
  });

  it('take their reserve first, and still end the later votes', () => {
    const two = quorumOf([{ finance: 1, legal: 1 }, { platform: 2 }]);
    const legal = vote('leg-1', ['legal'], { team: 'grey' });
    const tally = counting(two, [first, reserve, legal, later]);
    const ended = end(two, tally, new Set([first.id]));
    expect(ended.reopened).toEqual([later]);
    expect(openStage(ended.tally, 'a')).toBe(2);
    expect(ended.tally.live).toEqual([reserve, legal]);
  });

  it('keep their frozen seats when an uncounted vote ends', () => {
    const before = counting(quorum, [first]);
    const ended = end(quorum, before, new Set([reserve.id]));
    expect(ended.tally.complete).toEqual(before.complete);
  });
});

describe('a vote on behalf of another person', () => {
  const quorum = quorumOf([{ finance: 1 }, { platform: 1 }], 'person');

  it('uses both people up', () => {
    const delegate = vote('fin-2', ['finance'], { forPerson: 'fin-1' });
    const tally = counting(quorum, [delegate]);
    const absent = vote('fin-1', ['platform'], { stage: 2 });
    expect(cast(quorum, tally, absent).phase).toBe('collecting');
  });
});

describe('whether a quorum can still be reached', () => {
  const quorum = quorumOf([{ finance: 1 }, { platform: 1 }], 'person');
  const people = [voter('fin-1', ['finance']), voter('plat-1', ['platform'])];

  it('asks for the seats that are not frozen', () => {
    expect(isReachable(quorum, NO_VOTES, people)).toBe(true);
    const platform = people.slice(1);
    expect(isReachable(quorum, NO_VOTES, platform)).toBe(false);
    const tally = counting(quorum, [vote('fin-1', ['finance'])]);
    expect(isReachable(quorum, tally, platform)).toBe(true);
  });
});

describe('random votes and endings', () => {
  const people = fc.record({
    person: fc.nat(7),
    yes: fc.integer({ min: 0, max: 9 }).map((n) => n > 1),
    candidate: fc.constantFrom('a', 'a', 'a', 'b'),
    ends: fc.integer({ min: 0, max: 9 }).map((n) => n < 2),
  });
  const directory = fc.array(
    fc.record({
      groups: fc.uniqueArray(fc.constantFrom('finance', 'platform', 'legal'), { minLength: 1 }),
      team: fc.constantFrom(null, 'red', 'blue', 'green'),
    }),
    { minLength: 8, maxLength: 8 },
  );
  const policies = fc
    .array(
      fc.dictionary(
        fc.constantFrom('finance', 'platform', 'legal'),
        fc.integer({ min: 1, max: 2 }),
        {
          minKeys: 1,
          maxKeys: 2,
        },
      ),
      { minLength: 1, maxLength: 3 },
    )
    .chain((stages) =>
      fc
        .tuple(fc.constantFrom('person' as const, 'team' as const), fc.integer({ min: 1, max: 3 }))
        .map(([by, count]) => quorumOf(stages, by, { rejection: { count } })),
    );

  it('decide once, with different people and teams in all seats, and none that ended', () => {
    const phases = new Set<string>();
    fc.assert(
      fc.property(
        policies,
        directory,
        fc.array(people, { maxLength: 30 }),
        (quorum, who, steps) => {
          let tally = NO_VOTES;
          const ended = new Set<string>();
          for (const [at, { person, yes, candidate, ends }] of steps.entries()) {
            if (tally.phase !== 'collecting') break;
            const standing = tally.live.find((each) => each.person === `p-${person}`);
            if (standing !== undefined) {
              if (!ends) continue;
              const after = end(quorum, tally, new Set([standing.id]));
              for (const { id } of [standing, ...after.reopened]) ended.add(id);
              tally = after.tally;
              continue;
            }
            const { groups, team } = who[person]!;
            const stage = yes ? openStage(tally, candidate) : 0;
            const changed = { id: `${at}`, team, yes, candidate, stage };
            tally = cast(quorum, tally, vote(`p-${person}`, groups, changed));
          }
          phases.add(tally.phase);
          const { counted } = tally;
          expect(counted.some(({ vote: { id } }) => ended.has(id))).toBe(false);
          const persons = counted.map(({ vote: { person } }) => person);
          expect(new Set(persons).size).toBe(persons.length);
          if (tally.phase === 'rejected') expect(counted).toHaveLength(quorum.rejection.count);
          if (tally.phase !== 'reached') return;
          const classes = counted.map((each) => classOf(each.vote, quorum.distinct_by));
          expect(new Set(classes).size).toBe(classes.length);
          const filled = counted.map(({ stage, group }) => `${stage} ${group}`).sort();
          const wanted = quorum.stages.flatMap(({ seats }, at) =>
            seats.flatMap(({ group, count }) => Array<string>(count).fill(`${at + 1} ${group}`)),
          );
          expect(filled).toEqual(wanted.sort());
          for (const { vote: by, group } of counted) expect(by.groups).toContain(group);
          expect(new Set(counted.map(({ vote: by }) => by.candidate)).size).toBe(1);
        },
      ),
      { numRuns: Number(process.env['APPROVAL_POLICIES'] ?? 400) },
    );
    expect([...phases].sort()).toEqual(['collecting', 'reached', 'rejected']);
  });
});
