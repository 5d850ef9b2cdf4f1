import fc from 'fast-check';
import { NO_VOTES, classOf, seatsOf, tallyOf } from '../approval/index.js';
import type { KeptVote, Voter } from '../approval/index.js';
import { quorumOf } from '../approval/testing/voters.js';
import { Refusal } from '../errors.js';
import { textDigest } from '../json/index.js';
import type { Digest } from '../json/canonical.js';
import { EXAMPLES } from '../records/examples.js';
import type {
  ApprovalRecord,
  ExtendedDecisionReceipt,
  QuorumPolicy,
  Quorum,
} from '../records/index.js';
import { ballot, changeVoters, count, replaceCandidate, withdrawVote } from './index.js';
import type { Draft, Lifecycle, Voted, Voting } from './index.js';
import { PENDING, factsOf } from './testing/approvals.js';

// Random histories of the commands on the votes of one request (protocol §18.4 to §18.7), with changes of the directory between
// them, against what must be so after each of them.

/** Random histories to play, of up to 40 commands each. */
const HISTORIES = Number(process.env['APPROVAL_HISTORIES'] ?? 2000);

const PEOPLE = Array.from({ length: 7 }, (_, at) => `p-${at}`);
const GROUPS = ['finance', 'platform', 'legal'] as const;
const DIGESTS = new Map(PEOPLE.map((name) => [name, textDigest(name)]));
const START = PENDING.reviewDeadline - 1000;

interface Person {
  readonly groups: readonly string[];
  readonly team: string | null;
  readonly isReviewer: boolean;
}

interface Candidate {
  readonly digest: Digest;
  readonly author: string;
  readonly yes: boolean;
}

type Command =
  | { readonly do: 'vote'; readonly who: string; readonly candidate: number }
  | { readonly do: 'withdraw'; readonly who: string }
  | { readonly do: 'refreeze'; readonly candidate: number }
  | { readonly do: 'join' | 'leave'; readonly who: string; readonly group: string }
  | { readonly do: 'remove' | 'restore'; readonly who: string }
  | { readonly do: 'deadline' };

const anyPerson = fc.constantFrom(...PEOPLE);
const commands: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 20,
    arbitrary: fc.record({
      do: fc.constant('vote' as const),
      who: anyPerson,
      candidate: fc.constantFrom(0, 0, 0, 1, 2),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('withdraw' as const), who: anyPerson }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('refreeze' as const), candidate: fc.nat(2) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom('join' as const, 'leave' as const),
      who: anyPerson,
      group: fc.constantFrom(...GROUPS),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom('remove' as const, 'restore' as const),
      who: anyPerson,
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('deadline' as const) }) },
);
const directories = fc.array(
  fc.record({
    groups: fc.subarray([...GROUPS], { minLength: 1 }),
    team: fc.constantFrom(null, 'red', 'blue', 'green', 'grey'),
    isReviewer: fc.constant(true),
  }),
  { minLength: PEOPLE.length, maxLength: PEOPLE.length },
);
const policies = fc
  .record({
    stages: fc.array(
      fc.dictionary(fc.constantFrom(...GROUPS), fc.integer({ min: 1, max: 2 }), {
        minKeys: 1,
        maxKeys: 2,
      }),
      { minLength: 1, maxLength: 2 },
    ),
    distinctBy: fc.constantFrom('person' as const, 'team' as const),
    noes: fc.integer({ min: 1, max: 3 }),
    authors: fc.boolean(),
  })
  .map(({ stages, distinctBy, noes, authors }) =>
    quorumOf(stages, distinctBy, { rejection: { count: noes }, author_may_approve: authors }),
  );

/** One request with its votes and its directory. */
class World {
  readonly about: ReturnType<typeof factsOf>;
  readonly directory: Map<string, Person>;
  readonly candidates: Candidate[] = [0, 1, 2].map((at) => ({
    ...{ digest: textDigest(`candidate ${at}`), author: PEOPLE[at] as string, yes: at < 2 },
  }));
  readonly votes = new Map<string, KeptVote & { readonly record: ApprovalRecord }>();
  readonly receipts: ExtendedDecisionReceipt[] = [];
  readonly numbers: number[] = [];
  unreachable = 0;
  #state: Lifecycle = PENDING;
  #voting: Voting = { tally: NO_VOTES, number: 0 };
  #now = START;

  constructor(
    readonly quorum: QuorumPolicy,
    people: readonly Person[],
  ) {
    this.about = factsOf({ quorum });
    this.directory = new Map(PEOPLE.map((name, at) => [name, people[at] as Person]));
  }

  get tally() {
    return this.#voting.tally;
  }

  get isOver(): boolean {
    return this.#now >= PENDING.reviewDeadline;
  }

  play(command: Command): void {
    this.#now += 1;
    try {
      this.#carryOut(command);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
    }
  }

  #carryOut(command: Command): void {
    switch (command.do) {
      case 'vote':
        this.#vote(command.who, this.candidates[command.candidate] as Candidate);
        break;
      case 'withdraw':
        this.#take(
          withdrawVote(this.#state, this.about, this.#voting, this.#member(command.who), this.#now),
        );
        break;
      case 'refreeze': {
        const old = this.candidates[command.candidate] as Candidate;
        this.#take(
          replaceCandidate(
            this.#state,
            this.about,
            this.#voting,
            this.#member(old.author),
            old.digest,
            this.#now,
          ),
        );
        const digest = textDigest(`${old.digest} ${this.#now}`);
        this.candidates[command.candidate] = { ...old, digest };
        break;
      }
      case 'join':
      case 'leave': {
        const { groups } = this.directory.get(command.who) as Person;
        const others = groups.filter((group) => group !== command.group);
        this.#change(command.who, {
          groups: command.do === 'join' ? [...others, command.group] : others,
        });
        break;
      }
      case 'remove':
      case 'restore':
        this.#change(command.who, { isReviewer: command.do === 'restore' });
        break;
      case 'deadline':
        this.#now = PENDING.reviewDeadline;
    }
  }

  #member(name: string) {
    const { groups, team } = this.directory.get(name) as Person;
    const person = DIGESTS.get(name) as Digest;
    return { reviewer: name, person, groups, team, membership: DIGESTS.get(name) as Digest };
  }

  #vote(who: string, { digest, author, yes }: Candidate): void {
    // The service lets no others come so far.
    if (!(this.directory.get(who) as Person).isReviewer) return;
    const candidate = {
      ...EXAMPLES.DecisionCandidate,
      decision: yes ? ('authorise' as const) : ('refuse' as const),
    };
    const found = {
      candidate,
      candidateDigest: digest,
      authorPerson: DIGESTS.get(author) as Digest,
    };
    const input = { candidate_id: candidate.id, candidate_digest: digest };
    const given = { id: EXAMPLES.ApprovalRecord.id, input, found };
    const made = ballot(this.#state, this.about, this.#voting, this.#member(who), given, this.#now);
    const record = textDigest(`vote ${made.record.number}`);
    const voted = count(made, record, this.about, this.#voting, this.#now);
    const vote = voted.tally.live.find(({ id }) => id === record);
    if (vote === undefined) throw new Error('a vote is not among the live ones');
    const { number } = made.record;
    this.votes.set(record, { vote, number, endedNumber: null, record: made.record });
    this.numbers.push(number);
    this.#take(voted);
  }

  #change(who: string, changes: Partial<Person>): void {
    this.directory.set(who, { ...(this.directory.get(who) as Person), ...changes });
    const voters = new Map(
      [...this.directory].map(([name, { isReviewer, groups, team }]): [string, Voter] => [
        name,
        {
          ...{ reviewer: name, isReviewer, isCertain: true },
          member: { person: DIGESTS.get(name) as Digest, groups, team },
        },
      ]),
    );
    const isGone = ({ author }: Candidate) => !(this.directory.get(author) as Person).isReviewer;
    const gone = new Set(this.candidates.filter(isGone).map(({ digest }) => digest));
    const now = { voters, gone, wasUnreachable: this.unreachable > 0 };
    const by = { kind: 'operator', subject: 'op-1' } as const;
    this.#take(changeVoters(this.#state, this.about, this.#voting, now, by, this.#now));
  }

  #take({ transition, tally }: Voted): void {
    for (const draft of transition.records) this.#note(draft);
    this.#state = transition.next;
    this.#voting = { tally, number: Math.max(0, ...this.numbers) };
  }

  #note(draft: Draft): void {
    if (draft.type === 'DecisionReceipt') {
      this.receipts.push(draft.payload as ExtendedDecisionReceipt);
    } else if (draft.type === 'RequestChangedEvent') {
      if (draft.payload.reason === 'quorum_unreachable') this.unreachable += 1;
    } else if (draft.type === 'ApprovalEnded') {
      const { approvals, number } = draft.payload;
      this.numbers.push(number);
      for (const digest of approvals) {
        const kept = this.votes.get(digest);
        if (kept?.endedNumber !== null) throw new Error('a vote ended that was not live');
        this.votes.set(digest, { ...kept, endedNumber: number });
      }
    }
  }
}

/** What is wrong with a world, as sentences. */
function faultsOf(world: World): string[] {
  const { quorum, votes, receipts, numbers, tally, directory } = world;
  const faults: string[] = [];
  const must = (holds: boolean, fault: string) => {
    if (!holds) faults.push(fault);
  };
  must(
    numbers.every((number, at) => number === at + 1),
    `numbers are ${numbers.join(' ')}`,
  );
  must(receipts.length <= 1, 'there are two receipts');
  must(world.unreachable <= 1, 'the quorum was called unreachable twice');
  const again = tallyOf(quorum, [...votes.values()]);
  must(
    again.phase === tally.phase && again.live.length === tally.live.length,
    `counted again: ${again.phase} with ${again.live.length} votes`,
  );
  const live = [...votes.values()].filter(({ endedNumber }) => endedNumber === null);
  const givers = live.map(({ vote }) => vote.person);
  must(new Set(givers).size === givers.length, 'a person has two votes');
  const [receipt] = receipts;
  must((receipt === undefined) === (tally.phase === 'collecting'), 'the receipt does not fit');
  if (receipt === undefined) {
    const stands = ({ vote }: KeptVote) => {
      const { isReviewer, groups } = directory.get(vote.reviewer) as Person;
      const holds = (group: string) => groups.includes(group);
      return isReviewer && (vote.yes ? vote.groups.every(holds) : vote.groups.some(holds));
    };
    // After the deadline votes lapse without a record.
    must(world.isOver || live.every(stands), 'a vote stands whose giver has no seat any more');
    return faults;
  }
  return [...faults, ...faultsOfDecision(world, receipt.quorum)];
}

function faultsOfDecision(
  { quorum, votes, numbers }: World,
  { outcome, approvals }: Quorum,
): string[] {
  const counted = approvals.map(({ record }) => votes.get(record));
  if (counted.some((each) => each?.endedNumber !== null)) return ['a vote counts that had ended'];
  const given = counted.flatMap((each) => (each === undefined ? [] : [each]));
  const last = given.at(-1)?.number === numbers.length;
  const persons = new Set(approvals.map(({ person }) => person)).size === approvals.length;
  const shared = [last ? '' : 'a vote behind the decision', persons ? '' : 'a person counts twice'];
  const own = outcome === 'rejected' ? faultsOfNoes() : faultsOfSeats();
  return [...shared, ...own].filter((fault) => fault !== '');

  function faultsOfNoes(): string[] {
    const enough = approvals.length === quorum.rejection.count;
    return [
      enough ? '' : 'another number of noes',
      given.some(({ vote }) => vote.yes) ? 'a yes is a no' : '',
    ];
  }

  function faultsOfSeats(): string[] {
    const classes = given.map(({ vote }) => classOf(vote, quorum.distinct_by));
    const filled = approvals.map(({ stage, group }) => `${stage} ${group}`).sort();
    const wanted = quorum.stages.flatMap((stage, at) =>
      seatsOf(stage).map((group) => `${at + 1} ${group}`),
    );
    const holds = approvals.every(({ record, group }) =>
      votes.get(record)?.vote.groups.includes(group ?? ''),
    );
    const candidates = new Set(given.map(({ vote }) => vote.candidate));
    return [
      new Set(classes).size === classes.length ? '' : 'a team counts twice',
      filled.join() === wanted.sort().join() ? '' : `seats are filled as ${filled.join()}`,
      holds ? '' : 'a seat is filled by a person of another group',
      candidates.size === 1 && given.every(({ vote }) => vote.yes)
        ? ''
        : 'votes for several candidates',
    ];
  }
}

it('decides at most once, by different people who have the seats, and by no vote that had ended', () => {
  const ends = new Map<string, number>();
  fc.assert(
    fc.property(
      policies,
      directories,
      fc.array(commands, { maxLength: 40 }),
      (quorum, people, history) => {
        const world = new World(quorum, people);
        for (const command of history) {
          world.play(command);
          expect(faultsOf(world)).toEqual([]);
        }
        const { phase } = world.tally;
        ends.set(phase, (ends.get(phase) ?? 0) + 1);
        if (world.unreachable > 0) ends.set('unreachable', (ends.get('unreachable') ?? 0) + 1);
      },
    ),
    { numRuns: HISTORIES },
  );
  expect([...ends.keys()].sort()).toEqual(['collecting', 'reached', 'rejected', 'unreachable']);
});
