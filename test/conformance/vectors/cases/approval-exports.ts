import { valueDigest } from '@countersign/protocol';
import { buildEvidence } from '../../evidence/build-evidence.js';
import type { Evidence } from '../../evidence/build-evidence.js';
import { copyOf, forged } from '../../evidence/forging.js';
import { LEDGER_ID } from '../../evidence/ledger.js';
import type { Scenario } from '../../evidence/scenario.js';
import type { Step } from '../../evidence/voting.js';
import { accepted, refused } from '../vector.js';
import type { Vector } from '../vector.js';
import { wrongfulApprovals } from './approval-exports-wrongful.js';
import {
  EXAMPLE,
  THREE,
  TWO_NOES,
  TWO_STAGES,
  all,
  by,
  scenario,
  stages,
} from './approval-scenarios.js';

type Check = Omit<Vector['check'], 'status'>;

/** Exports of requests that several people decide (protocol §18.9). */
export function approvalExports(): Vector[] {
  return [...good(), ...wrongfulApprovals(), ...altered(), ...ranges()];
}

function good(): Vector[] {
  const holds = (name: string, what: string, of: Scenario, check: Vector['check']): Vector => {
    const { document, ledger } = buildEvidence(of);
    return accepted(`approvals-${name}`, what, document, check, { store: ledger.store });
  };
  const code = (check: Vector['check']['code']): Vector['check'] => ({
    code: check,
    status: 'holds',
  });
  const again: Step[] = [...all('fin-1', 'plat-1'), { end: [1] }, ...all('plat-1', 'plat-4')];
  return [
    holds('executed', 'From the question to its outcome.', scenario(THREE, { until: 'reported' }), {
      ...code('approval_complete'),
    }),
    holds(
      'two-of-three',
      'Two people of one group.',
      scenario(all('plat-1', 'plat-4'), { quorum: { stages: stages({ platform: 2 }) } }),
      code('approval_seats'),
    ),
    holds(
      'worked-example',
      'The member of both groups moves to another seat, and the second vote of a team is reserve.',
      scenario(EXAMPLE),
      code('approval_complete'),
    ),
    holds(
      'two-stages',
      'First finance, then platform.',
      scenario(THREE, { quorum: TWO_STAGES }),
      code('approval_order'),
    ),
    holds(
      'reserve',
      'The reserve takes the seat of a vote that was taken back.',
      scenario([...all('both-1', 'plat-1', 'plat-2'), { end: [1] }, by('fin-1')]),
      code('approval_live'),
    ),
    holds(
      'reopened',
      'A vote of the first stage was taken back, and with it those of the second ended.',
      scenario([...all('fin-1', 'plat-1'), { end: [0] }, ...all('fin-2', 'plat-1', 'plat-4')], {
        quorum: TWO_STAGES,
      }),
      code('approval_complete'),
    ),
    holds(
      'withdrawn-and-given-again',
      'A vote was taken back and given again.',
      scenario(again),
      code('approval_live'),
    ),
    holds(
      'veto',
      'One no is enough.',
      scenario(all('plat-2'), { decision: 'refuse' }),
      code('approval_seats'),
    ),
    holds(
      'two-noes',
      'Two people refuse, each with an answer of their own.',
      scenario([by('plat-2'), by('fin-1', { other: true })], {
        decision: 'refuse',
        quorum: TWO_NOES,
      }),
      code('approval_candidate'),
    ),
    holds(
      'material-deleted',
      'After private deletion.',
      scenario(THREE, { discarded: true, until: 'reported' }),
      code('approval_people'),
    ),
    pending(),
  ];
}

/** Up to the second vote and its event. */
function pending(): Vector {
  const copy = copyOf(buildEvidence(scenario(THREE)).document);
  const end = copy.audit.findIndex(({ record }) => record?.includes('"DecisionReceipt"'));
  copy.audit.splice(end - 1);
  copy.records.splice(2);
  copy.anchor = null;
  if (copy.material !== null) copy.material.candidate = null;
  return accepted(
    'approvals-pending',
    'Two of three have voted: what was asked is covered by their signatures.',
    copy,
    { code: 'request_bound', status: 'holds' },
    {},
    'incomplete',
  );
}

function altered(): Vector[] {
  const evidence = buildEvidence(scenario(THREE));
  const { ledger } = evidence;
  const change = (
    name: string,
    what: string,
    check: Check,
    alter: (copy: any) => void,
    { document }: Evidence = evidence,
  ): Vector => {
    const copy = copyOf(document);
    alter(copy);
    return refused(`approvals-${name}`, what, copy, check, { store: ledger.store });
  };
  const atVote = (copy: any, alter: (record: any) => unknown): void => {
    copy.records[1] = alter(copy.records[1]);
  };
  return [
    change(
      'policy-altered',
      'The policy asks for fewer people.',
      { code: 'approval_policy', path: '/request/approval' },
      (it) => void (it.request.approval.policy.quorum.stages[0].seats[1].count = 1),
    ),
    change(
      'excluded-emptied',
      'No person is excluded any more.',
      { code: 'request_digest' },
      (it) => void (it.request.approval.excluded = []),
    ),
    change('vote-missing', 'A vote is missing.', { code: 'approval_ledger' }, (it) => {
      const digest = valueDigest(it.records[1]);
      it.records.splice(1, 1);
      it.audit = it.audit.filter((entry: any) => entry.record_digest !== digest);
    }),
    change(
      'vote-not-in-the-ledger',
      'A vote of the decision has no entry.',
      { code: 'approval_ledger' },
      (it) => {
        const digest = valueDigest(it.records[1]);
        it.audit = it.audit.filter((entry: any) => entry.record_digest !== digest);
      },
    ),
    change(
      'vote-of-a-stranger',
      'A vote is signed by a key that is not trusted.',
      { code: 'record_signature', path: '/records/1', reason: 'unknown_key' },
      (it) => atVote(it, (vote) => forged(vote, { key: 'k-stranger' })),
    ),
    change(
      'vote-altered',
      'A vote says something else than was signed.',
      { code: 'record_signature', path: '/records/1' },
      (it) => void (it.records[1].payload.groups = ['finance', 'platform']),
    ),
    change(
      'membership-missing',
      'The membership of a person is missing.',
      { code: 'approval_membership' },
      (it) => void it.evidence.records.pop(),
    ),
    change(
      'membership-of-another-tenant',
      'A membership is of another tenant.',
      { code: 'record_signature', path: '/evidence/records/0', reason: 'tenant_mismatch' },
      (it) => {
        const [first] = it.evidence.records;
        it.evidence.records[0] = forged(first, { protected: { tenant: 'other' } });
      },
    ),
    change(
      'other-record-as-membership',
      'Another record stands among the memberships.',
      { code: 'record_signature', path: '/evidence/records/3' },
      (it) => void it.evidence.records.push(it.records[0]),
    ),
    change(
      'without-evidence',
      'The memberships are left out.',
      { code: 'document_shape' },
      (it) => void delete it.evidence,
    ),
    change(
      'without-policy',
      'Its profiles say that several people decide, and it has no policy.',
      { code: 'document_shape' },
      (it) => void delete it.request.approval,
    ),
    change(
      'receipt-without-quorum',
      'The decision names no person.',
      { code: 'record_payload', path: '/records/3/payload' },
      (it) => void delete it.records[3].payload.quorum,
    ),
    change(
      'quorum-without-the-profile',
      'Several people decide a request that does not ask for it.',
      { code: 'record_payload' },
      (it) => {
        const plain = copyOf(buildEvidence({ purpose: 'review' }).document) as any;
        const { quorum } = it.records[3].payload;
        const receipt = forged(plain.records[0], { payload: { quorum } });
        for (const member of Object.keys(it)) delete it[member];
        Object.assign(it, plain, { records: [receipt] });
      },
    ),
    change(
      'evidence-without-the-profile',
      'The export of an ordinary request has memberships.',
      { code: 'document_shape' },
      (it) => {
        const { evidence: kept } = it;
        for (const member of Object.keys(it)) delete it[member];
        Object.assign(it, copyOf(buildEvidence({ until: 'anchored' }).document), {
          evidence: kept,
        });
      },
    ),
  ];
}

/** The ledger shows in which order memberships and votes came. */
function ranges(): Vector[] {
  const { ledger } = buildEvidence(scenario(THREE, { until: 'reported' }));
  const expected = { tenant: 'acme', ledger: LEDGER_ID };
  const stale = buildEvidence(scenario(THREE, { staleMembership: 'plat-4' }));
  return [
    accepted(
      'approvals-ledger',
      'The ledger of a request that several people decided.',
      ledger.entries,
      { code: 'range_directory', status: 'holds' },
      { expected, store: ledger.store },
    ),
    accepted(
      'approvals-ledger-after-memberships',
      'A part of the ledger that begins after the memberships.',
      ledger.entries.slice(-12),
      { code: 'range_directory', status: 'cannot be known' },
      { expected, store: ledger.store },
    ),
    refused(
      'approvals-ledger-replaced-membership',
      'A vote names a membership that another one had replaced.',
      stale.ledger.entries,
      { code: 'range_directory' },
      { expected, store: stale.ledger.store },
    ),
  ];
}
