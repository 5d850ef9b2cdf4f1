import type { QuorumPolicy } from '@countersign/protocol';
import type { Scenario } from '../../evidence/scenario.js';
import { askedOfSeveral } from '../../evidence/voting.js';
import type { Member, Step, Votes } from '../../evidence/voting.js';

type Counted = NonNullable<Votes['decided']>['counted'];

/** One of finance and two of platform, of different teams (protocol §18.5). */
export const MEMBERS: Readonly<Record<string, Member>> = {
  'both-1': { groups: ['finance', 'platform'], team: 'red' },
  'plat-1': { groups: ['oncall', 'platform'], team: 'blue' },
  'plat-2': { groups: ['platform'], team: 'blue' },
  'plat-4': { groups: ['platform'], team: 'black' },
  'fin-1': { groups: ['finance'], team: 'green' },
  'fin-2': { groups: ['finance'] },
};

export const by = (name: string, more: Partial<Extract<Step, { by: string }>> = {}): Step => ({
  by: name,
  ...more,
});
export const all = (...names: readonly string[]): Step[] => names.map((name) => by(name));

/** A request of several people, by default anchored. `decided`: the votes that count, where the service wrongly says. */
export function scenario(
  steps: readonly Step[],
  more: Omit<Scenario, 'votes' | 'request'> & {
    readonly quorum?: Partial<QuorumPolicy>;
    readonly members?: Readonly<Record<string, Member>>;
    readonly excluded?: readonly string[];
    readonly decided?: Counted;
  } & Pick<Votes, 'policyDigest' | 'staleMembership' | 'undecided'> = {},
): Scenario {
  const { quorum, members = MEMBERS, excluded, decided, ...others } = more;
  const { policyDigest, staleMembership, undecided, ...rest } = others;
  const outcome = rest.decision === 'refuse' ? 'rejected' : 'reached';
  return {
    until: 'anchored',
    ...rest,
    request: askedOfSeveral(quorum, excluded),
    votes: {
      ...{ members, steps },
      ...(decided === undefined ? {} : { decided: { outcome, counted: decided } }),
      ...(policyDigest === undefined ? {} : { policyDigest }),
      ...(staleMembership === undefined ? {} : { staleMembership }),
      ...(undecided === undefined ? {} : { undecided }),
    },
  };
}

export const stages = (
  ...of: readonly Readonly<Record<string, number>>[]
): QuorumPolicy['stages'] =>
  of.map((seats, at) => ({
    name: `stage-${at + 1}`,
    seats: Object.entries(seats).map(([group, count]) => ({ group, count })),
  }));
export const TWO_STAGES: Partial<QuorumPolicy> = {
  stages: stages({ finance: 1 }, { platform: 2 }),
};
export const BY_PERSON = { distinct_by: 'person' } as const;
export const TWO_NOES = { rejection: { count: 2 } } as const;
export const EXAMPLE = all('both-1', 'plat-1', 'plat-2', 'fin-1');
export const SEATED: Counted = [
  [0, 1, 'finance'],
  [1, 1, 'platform'],
  [2, 1, 'platform'],
];
export const THREE = all('fin-1', 'plat-1', 'plat-4');
