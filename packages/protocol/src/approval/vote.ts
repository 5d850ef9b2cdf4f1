import type { Tally, Vote } from './tally.js';
import type { Digest } from '../json/canonical.js';
import type { ApprovalRecord, Quorum } from '../records/index.js';

const NOES: readonly string[] = ['reject', 'refuse'];

/** Whether a decision refuses; every other one of a candidate is a yes (protocol §18.1). */
export function isNo(decision: string): boolean {
  return NOES.includes(decision);
}

/** A vote as its record says. */
export function voteOf(record: ApprovalRecord, digest: Digest): Vote {
  return {
    id: digest,
    reviewer: record.reviewer,
    person: record.person,
    forPerson: record.acting_for?.person ?? null,
    team: record.team,
    groups: record.groups,
    candidate: record.candidate_digest,
    yes: !isNo(record.decision),
    stage: record.stage,
  };
}

/** The votes that decided, as the receipt names them (protocol §18.6). */
export function countedIn({ counted }: Tally): Quorum['approvals'] {
  return counted.map(({ vote, stage, group }) => ({
    group,
    person: vote.person as Digest,
    record: vote.id as Digest,
    reviewer: vote.reviewer,
    stage,
  }));
}
