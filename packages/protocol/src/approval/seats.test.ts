import fc from 'fast-check';
import { assign, classOf, shortages } from './seats.js';
import type { Candidature } from './seats.js';
import { quorumOf, voter } from './testing/voters.js';

/** Random policies to compare; `APPROVAL_POLICIES=100000` is the long form. */
const POLICIES = Number(process.env['APPROVAL_POLICIES'] ?? 400);

/** The most seats that different classes can fill, found by trying every way. */
function mostSeats(seats: readonly string[], votes: readonly Candidature[], by: 'person' | 'team') {
  const groups = new Map<string, Set<string>>();
  for (const vote of votes) {
    const name = classOf(vote, by);
    groups.set(name, new Set([...(groups.get(name) ?? []), ...vote.groups]));
  }
  const fill = (at: number, free: readonly string[]): number => {
    const group = seats[at];
    if (group === undefined) return 0;
    const tried = free
      .filter((name) => groups.get(name)?.has(group))
      .map(
        (name) =>
          1 +
          fill(
            at + 1,
            free.filter((other) => other !== name),
          ),
      );
    return Math.max(fill(at + 1, free), ...tried);
  };
  return fill(0, [...groups.keys()]);
}

const group = fc.constantFrom('finance', 'platform', 'legal');
const votes = fc
  .array(
    fc.record({
      groups: fc.uniqueArray(group, { minLength: 1, maxLength: 3 }),
      team: fc.constantFrom(null, 'red', 'blue', 'green', 'grey'),
    }),
    { maxLength: 8 },
  )
  .map((all) => all.map(({ groups, team }, at) => voter(`p-${at}`, groups, team)));

describe('filling seats', () => {
  it('fills as many as any way could, after every vote, with different classes that hold the group', () => {
    fc.assert(
      fc.property(
        fc.array(group, { minLength: 1, maxLength: 6 }),
        votes,
        fc.constantFrom('person' as const, 'team' as const),
        (seats, all, by) => {
          for (let many = 0; many <= all.length; many++) {
            const given = all.slice(0, many);
            const filled = assign(seats, given, by);
            const named = filled.filter((vote) => vote !== null);
            expect(named).toHaveLength(mostSeats(seats, given, by));
            expect(new Set(named.map((vote) => classOf(vote, by))).size).toBe(named.length);
            for (const [at, vote] of filled.entries()) {
              if (vote !== null) expect(vote.groups).toContain(seats[at]);
            }
          }
        },
      ),
      { numRuns: POLICIES },
    );
  });

  it('keeps a seat for every class that had one', () => {
    fc.assert(
      fc.property(fc.array(group, { minLength: 1, maxLength: 6 }), votes, (seats, all) => {
        const holders = (many: number) =>
          assign(seats, all.slice(0, many), 'team').flatMap((vote) =>
            vote === null ? [] : [classOf(vote, 'team')],
          );
        for (let many = 1; many <= all.length; many++) {
          expect(holders(many)).toEqual(expect.arrayContaining(holders(many - 1)));
        }
      }),
      { numRuns: POLICIES / 10 },
    );
  });

  it('moves a member of two groups to make room', () => {
    const both = voter('both', ['finance', 'platform']);
    const finance = voter('fin', ['finance']);
    expect(assign(['finance', 'platform'], [both, finance], 'person')).toEqual([finance, both]);
  });

  it('makes room for a team that had no seat when another team gets a second group', () => {
    const red = voter('red-1', ['finance'], 'red');
    const blue = voter('blue-1', ['finance'], 'blue');
    const redPlatform = voter('red-2', ['platform'], 'red');
    expect(assign(['finance', 'platform'], [red, blue, redPlatform], 'team')).toEqual([
      blue,
      redPlatform,
    ]);
  });
});

describe('filling seats wrongly', () => {
  /** The first free seat, for good. */
  function greedy(seats: readonly string[], all: readonly Candidature[]) {
    const filled: (Candidature | null)[] = seats.map(() => null);
    for (const vote of all) {
      if (filled.some((each) => each !== null && classOf(each, 'team') === classOf(vote, 'team'))) {
        continue;
      }
      const at = seats.findIndex(
        (name, seat) => filled[seat] === null && vote.groups.includes(name),
      );
      if (at >= 0) filled[at] = vote;
    }
    return filled;
  }
  const byPerson = (seats: readonly string[], all: readonly Candidature[]) =>
    assign(seats, all, 'person');

  it.each([
    ['without moving a class to another seat', greedy],
    ['with two people of one team', byPerson],
  ])('is found out: %s', (_, fill) => {
    const compared = fc.property(
      fc.array(group, { minLength: 1, maxLength: 6 }),
      votes,
      (seats, all) =>
        fill(seats, all).filter((vote) => vote !== null).length === mostSeats(seats, all, 'team'),
    );
    expect(fc.check(compared, { numRuns: 2000, seed: 1 }).failed).toBe(true);
  });
});

describe('people who could fill all seats', () => {
  const quorum = quorumOf([{ finance: 1, platform: 2 }]);

  it('are enough where every seat has somebody', () => {
    const people = [
      voter('fin-1', ['finance'], 'green'),
      voter('plat-1', ['platform'], 'blue'),
      voter('plat-2', ['platform'], 'red'),
    ];
    expect(shortages(quorum, people)).toEqual([]);
  });

  it('are too few where two of a group are of one team', () => {
    const people = [
      voter('fin-1', ['finance'], 'green'),
      voter('plat-1', ['platform'], 'blue'),
      voter('plat-2', ['platform'], 'blue'),
    ];
    expect(shortages(quorum, people)).toEqual([
      { stage: 1, group: 'platform', needed: 2, eligible: 1 },
    ]);
  });

  it('are too few where one person would have to sit in two stages', () => {
    const stages = quorumOf([{ finance: 1 }, { platform: 1 }], 'person');
    const people = [voter('both', ['finance', 'platform'])];
    expect(shortages(stages, people)).toEqual([
      { stage: 2, group: 'platform', needed: 1, eligible: 1 },
    ]);
  });
});
