import fc from 'fast-check';
import { tallyOf } from './replay.js';
import type { KeptVote } from './replay.js';
import { NO_VOTES, cast, end, openStage } from './tally.js';
import type { Vote } from './tally.js';
import { quorumOf } from './testing/voters.js';

const quorum = quorumOf([{ finance: 1 }, { platform: 2 }], 'person', { rejection: { count: 2 } });

it('counts votes and endings again as they were counted, whatever the order in which they are read', () => {
  const phases = new Set<string>();
  const step = fc.record({ person: fc.nat(5), yes: fc.integer({ min: 0, max: 7 }) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 24 }), (steps) => {
      let [tally, number] = [NO_VOTES, 0];
      const kept = new Map<string, KeptVote>();
      const endAt = (ids: readonly string[]) => {
        number += 1;
        for (const id of ids) kept.set(id, { ...(kept.get(id) as KeptVote), endedNumber: number });
      };
      for (const { person, yes } of steps) {
        if (tally.phase !== 'collecting') break;
        const standing = tally.live.find((vote) => vote.person === `p-${person}`);
        if (standing === undefined) {
          number += 1;
          const vote: Vote = {
            ...{ id: `v-${number}`, reviewer: `r-${person}`, person: `p-${person}` },
            ...{ forPerson: null, team: null, groups: ['finance', 'platform'], candidate: 'a' },
            ...{ yes: yes > 1, stage: yes > 1 ? openStage(tally, 'a') : 0 },
          };
          tally = cast(quorum, tally, vote);
          kept.set(vote.id, { vote, number, endedNumber: null });
          continue;
        }
        const ended = end(quorum, tally, new Set([standing.id]));
        endAt([standing.id]);
        if (ended.reopened.length > 0) endAt(ended.reopened.map(({ id }) => id));
        tally = ended.tally;
      }
      phases.add(tally.phase);
      expect(tallyOf(quorum, [...kept.values()].reverse())).toEqual(tally);
    }),
  );
  expect([...phases].sort()).toEqual(['collecting', 'reached', 'rejected']);
});

it('refuses a vote behind the decision', () => {
  const vote = (person: string): Vote => ({
    ...{ id: person, reviewer: person, person, forPerson: null, team: null },
    ...{ groups: ['finance'], candidate: 'a', yes: false, stage: 0 },
  });
  const kept = ['a', 'b', 'c'].map((person, at) => ({
    ...{ vote: vote(person), number: at + 1, endedNumber: null },
  }));
  expect(() => tallyOf(quorum, kept)).toThrow(RangeError);
});
