import type { ApprovalRecord, DecisionReceipt } from '@countersign/protocol';
import { buildEvidence } from '../../evidence/build-evidence.js';
import { copyOf } from '../../evidence/forging.js';
import { LEDGER_ID } from '../../evidence/ledger.js';
import type { Scenario } from '../../evidence/scenario.js';
import { askedOfSeveral, personOf } from '../../evidence/voting.js';
import { refused } from '../vector.js';
import type { Vector } from '../vector.js';
import {
  BY_PERSON,
  MEMBERS,
  SEATED,
  THREE,
  TWO_NOES,
  TWO_STAGES,
  all,
  by,
  scenario,
} from './approval-scenarios.js';

type Check = Omit<Vector['check'], 'status'>;

/** The service signs decisions that it must not make: every signature is valid. */
export function wrongfulApprovals(): Vector[] {
  const wrong = (name: string, what: string, check: Check, of: Scenario): Vector => {
    const { document, ledger } = buildEvidence(of);
    const store = document.anchor === null ? null : ledger.store;
    return refused(`approvals-${name}`, what, document, check, { store });
  };
  const changed = (changes: Partial<ApprovalRecord>) => ({
    changed: (usual: ApprovalRecord): ApprovalRecord => ({ ...usual, ...changes }),
  });
  const late = by('fin-2', changed({ stage: 1, groups: ['finance'] }));
  const receipt = (change: (payload: any) => object): Pick<Scenario, 'amend'> => ({
    amend: {
      DecisionReceipt: (usual) => ({ ...usual, ...change(usual) }) as DecisionReceipt,
    },
  });
  const approvals = (change: (approvals: any[]) => void): Pick<Scenario, 'amend'> =>
    receipt(({ quorum }) => {
      const copy = copyOf(quorum);
      change(copy.approvals);
      return { quorum: copy };
    });
  return [
    wrong(
      'votes-for-people',
      'Two votes of one person count.',
      { code: 'approval_people' },
      scenario(all('fin-1', 'plat-1', 'plat-1'), { quorum: BY_PERSON, decided: SEATED }),
    ),
    wrong(
      'two-votes-at-once',
      'A person has two votes at once, one of which counts.',
      { code: 'approval_live' },
      scenario(all('fin-1', 'plat-1', 'plat-1', 'plat-4'), {
        decided: [
          [0, 1, 'finance'],
          [1, 1, 'platform'],
          [3, 1, 'platform'],
        ],
      }),
    ),
    wrong(
      'second-principal',
      'One person votes as two reviewers.',
      { code: 'approval_people' },
      scenario(THREE, {
        members: { ...MEMBERS, 'plat-4': { ...MEMBERS['plat-4']!, person: 'plat-1' } },
        decided: SEATED,
      }),
    ),
    wrong(
      'excluded',
      'A person whom the request excludes counts.',
      { code: 'approval_people' },
      scenario(THREE, { excluded: ['owner-1', 'plat-4'] }),
    ),
    wrong(
      'author',
      'The author of the answer counts where authors may not.',
      { code: 'approval_people' },
      scenario(THREE, {
        quorum: { author_may_approve: false },
        candidate: { reviewer: 'plat-1' },
      }),
    ),
    wrong(
      'one-team',
      'Two people of one team count where teams are distinct.',
      { code: 'approval_seats' },
      scenario(all('fin-1', 'plat-1', 'plat-2'), { decided: SEATED }),
    ),
    wrong(
      'two-seats',
      'One vote fills two seats.',
      { code: 'approval_people' },
      scenario(all('both-1', 'plat-1'), {
        decided: [
          [0, 1, 'finance'],
          [0, 1, 'platform'],
          [1, 1, 'platform'],
        ],
      }),
    ),
    wrong(
      'other-seat',
      'A vote fills a seat of a group that it is not of.',
      { code: 'approval_seats' },
      scenario(all('fin-1', 'fin-2', 'plat-4'), { decided: SEATED }),
    ),
    wrong(
      'no-such-seat',
      'A seat is named that the policy does not have, and one that it has is empty.',
      { code: 'approval_seats' },
      scenario(
        THREE,
        approvals((of) => void (of[2].stage = 2)),
      ),
    ),
    wrong(
      'ended-vote',
      'A vote counts that was taken back.',
      { code: 'approval_live' },
      scenario([...all('fin-1', 'plat-1'), { end: [1] }, by('plat-4')], {
        decided: [
          [0, 1, 'finance'],
          [1, 1, 'platform'],
          [3, 1, 'platform'],
        ],
      }),
    ),
    wrong(
      'ended-twice',
      'A vote ends that has ended already.',
      { code: 'approval_live' },
      scenario([...all('fin-1', 'plat-1'), { end: [1] }, { end: [1] }, ...all('plat-1', 'plat-4')]),
    ),
    wrong(
      'other-answer',
      'A vote for another answer counts.',
      { code: 'approval_candidate' },
      scenario([by('fin-1'), by('plat-1', { other: true }), by('plat-4')], { decided: SEATED }),
    ),
    wrong(
      'other-response',
      'A vote names another response than the decision.',
      { code: 'approval_candidate' },
      scenario([
        by('fin-1', changed({ response_digest: `sha256:${'5'.repeat(64)}` })),
        ...all('plat-1', 'plat-4'),
      ]),
    ),
    wrong(
      'no-as-yes',
      'A no fills a seat.',
      { code: 'approval_candidate' },
      scenario([by('fin-1', changed({ decision: 'refuse' })), ...all('plat-1', 'plat-4')], {
        decided: SEATED,
      }),
    ),
    wrong(
      'yes-as-no',
      'A yes is among those who refuse.',
      { code: 'approval_candidate' },
      scenario([by('fin-1', changed({ decision: 'authorise' })), by('plat-1')], {
        ...{ decision: 'refuse', quorum: TWO_NOES },
        decided: [
          [0, 0, null],
          [1, 0, null],
        ],
      }),
    ),
    wrong(
      'too-few-noes',
      'One person refuses where two have to.',
      { code: 'approval_seats' },
      scenario(all('plat-2'), {
        ...{ decision: 'refuse', quorum: TWO_NOES },
        decided: [[0, 0, null]],
      }),
    ),
    wrong(
      'stages-swapped',
      'The second stage votes before the first is complete.',
      { code: 'approval_order' },
      scenario(
        [by('plat-1', changed({ stage: 2, groups: ['platform'] })), ...all('fin-1', 'plat-4')],
        {
          quorum: TWO_STAGES,
          decided: [
            [0, 2, 'platform'],
            [1, 1, 'finance'],
            [2, 2, 'platform'],
          ],
        },
      ),
    ),
    wrong(
      'later-stage-kept',
      'A vote of the second stage stays although the first was opened again.',
      { code: 'approval_complete' },
      scenario(
        [
          ...all('fin-1', 'plat-1'),
          {
            end: [0],
            keepsLater: true,
          },
          by('fin-2'),
          by('plat-4', changed({ stage: 2, groups: ['platform'] })),
        ],
        {
          quorum: TWO_STAGES,
          decided: [
            [1, 2, 'platform'],
            [3, 1, 'finance'],
            [4, 2, 'platform'],
          ],
        },
      ),
    ),
    wrong(
      'after-the-deadline',
      'The last vote is given at the deadline.',
      { code: 'approval_times' },
      scenario([...all('fin-1', 'plat-1'), by('plat-4', { at: '10:00:00.000' })]),
    ),
    wrong(
      'before-the-answer',
      'A vote is older than the answer that it is about.',
      { code: 'approval_times' },
      scenario(THREE, { candidate: { created_at: '2026-05-01T09:01:05.000Z' } }),
    ),
    wrong(
      'decided-later',
      'The decision tells another time than its last vote.',
      { code: 'approval_times' },
      scenario(THREE, { at: { confirmed: '09:02:00.000' } }),
    ),
    wrong(
      'younger-membership',
      'A person became a member after their vote.',
      { code: 'approval_membership' },
      scenario(THREE, {
        members: {
          ...MEMBERS,
          'plat-1': {
            ...MEMBERS['plat-1']!,
            changed: (usual) => ({ ...usual, configured_at: '2026-05-01T09:01:15.000Z' }),
          },
        },
        neighbours: false,
      }),
    ),
    wrong(
      'group-without-membership',
      'A vote names a group that its giver is not in.',
      { code: 'approval_membership' },
      scenario([
        by('fin-2', changed({ groups: ['finance', 'platform'] })),
        ...all('plat-1', 'plat-4'),
      ]),
    ),
    wrong(
      'team-without-membership',
      'A vote names another team than the membership.',
      { code: 'approval_membership' },
      scenario([...all('fin-1', 'plat-1'), by('plat-2', changed({ team: 'white' }))]),
    ),
    wrong(
      'membership-of-another',
      'A vote names the membership of somebody else.',
      { code: 'approval_membership' },
      scenario([by('fin-1', { membershipOf: 'fin-2' }), ...all('plat-1', 'plat-4')]),
    ),
    wrong(
      'person-without-membership',
      'A vote names another person than the membership of its giver.',
      { code: 'approval_membership' },
      scenario([by('fin-1', changed({ person: personOf('mallory') })), ...all('plat-1', 'plat-4')]),
    ),
    wrong(
      'membership-of-another-principal',
      'A vote names the membership of another principal of the same person.',
      { code: 'approval_membership' },
      scenario([by('fin-1', { membershipOf: 'fin-2' }), ...all('plat-1', 'plat-4')], {
        members: { ...MEMBERS, 'fin-2': { ...MEMBERS['fin-1']!, person: 'fin-1' } },
      }),
    ),
    wrong(
      'other-policy-digest',
      'The policy of the request has another digest.',
      { code: 'approval_policy', path: '/request/approval' },
      {
        ...scenario(THREE),
        request: {
          ...askedOfSeveral(),
          approval: { ...askedOfSeveral().approval!, policy_digest: `sha256:${'5'.repeat(64)}` },
        },
      },
    ),
    wrong(
      'votes-of-another-policy',
      'The votes rest on the policy that the route has now.',
      { code: 'approval_policy' },
      scenario(THREE, { policyDigest: `sha256:${'5'.repeat(64)}` }),
    ),
    wrong(
      'receipt-of-another-policy',
      'The decision rests on the policy that the route has now.',
      { code: 'approval_policy' },
      scenario(
        THREE,
        receipt(({ quorum }) => ({
          quorum: { ...quorum, policy_digest: `sha256:${'5'.repeat(64)}` },
        })),
      ),
    ),
    wrong(
      'too-early',
      'The decision comes one vote too early.',
      { code: 'approval_seats' },
      scenario(all('fin-1', 'plat-1'), { decided: SEATED.slice(0, 2) }),
    ),
    wrong(
      'too-late',
      'The votes had decided before the last one was given.',
      { code: 'approval_complete' },
      scenario([...THREE, late], {
        quorum: BY_PERSON,
        decided: [
          [1, 1, 'platform'],
          [2, 1, 'platform'],
          [3, 1, 'finance'],
        ],
      }),
    ),
    wrong(
      'one-more',
      'A vote follows the one that decides.',
      { code: 'approval_complete' },
      scenario([...THREE, late], { decided: SEATED }),
    ),
    wrong(
      'without-decision',
      'The votes decide, and nothing was decided.',
      { code: 'approval_complete' },
      scenario(THREE, { undecided: true, until: 'asked' }),
    ),
    wrong(
      'number-left-out',
      'A number is left out.',
      { code: 'approval_numbers' },
      scenario([...all('fin-1', 'plat-1'), by('plat-4', changed({ number: 4 }))]),
    ),
    wrong(
      'other-reviewer',
      'The decision names another person than its last vote.',
      { code: 'approval_complete' },
      scenario(
        THREE,
        receipt(() => ({ reviewer: 'fin-1' })),
      ),
    ),
    wrong(
      'other-person',
      'The decision names another person for a vote than its record.',
      { code: 'approval_people' },
      scenario(
        THREE,
        approvals((of) => void (of[0].person = personOf('fin-2'))),
      ),
    ),
    wrong(
      'other-order',
      'The decision names its votes in another order.',
      { code: 'approval_complete' },
      scenario(
        THREE,
        approvals((of) => void of.reverse()),
      ),
    ),
    wrong(
      'of-another-request',
      'A vote is about another request.',
      { code: 'record_request' },
      scenario([by('fin-1', changed({ request_id: LEDGER_ID })), ...all('plat-1', 'plat-4')]),
    ),
    wrong(
      'of-another-content',
      'A vote is about another content of the request.',
      { code: 'request_bound' },
      scenario([
        by('fin-1', changed({ request_digest: `sha256:${'5'.repeat(64)}` })),
        ...all('plat-1', 'plat-4'),
      ]),
    ),
    wrong(
      'vote-after-cancelling-event',
      'The event of a vote says that the request is decided.',
      { code: 'event_states' },
      scenario(THREE, {
        amend: {
          RequestChangedEvent: (usual) =>
            usual.reason === 'approval'
              ? { ...usual, state: { ...usual.state, decision: 'cancelled' } }
              : usual,
        },
      }),
    ),
    wrong(
      'vote-without-event',
      'Two votes have no event.',
      { code: 'ledger_records' },
      scenario(THREE, {
        amend: {
          RequestChangedEvent: (usual) =>
            usual.reason === 'approval' ? { ...usual, reason: 'reminder' } : usual,
        },
      }),
    ),
  ];
}
