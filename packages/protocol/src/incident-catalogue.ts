import type { IncidentCode } from './records/index.js';

export interface IncidentEntry {
  /** The event, in a few plain words. */
  readonly title: string;
  /** Its effect on callers and reviewers. */
  readonly meaning: string;
  /** The operator's next steps. */
  readonly steps: readonly string[];
}

/** Every incident that operators can meet in `ledger.metrics` (protocol §4.2, §11, R18, R33), with its remedy. */
export const INCIDENTS: Readonly<Record<IncidentCode, IncidentEntry>> = {
  anchor_conflict: {
    title: 'The anchor store knows another history',
    meaning:
      'A checkpoint of this tenant is kept there with other content than ours. Either our ledger was rewritten or restored, or somebody wrote to the store. The tenant is fenced: nothing is claimed, admitted or anchored.',
    steps: [
      'Treat it as a security incident: keep the database, the store and the logs as they are.',
      'Compare the stored checkpoint with GET /v2/ledger at the same sequence; the object’s version id is in its acceptance.',
      'When a backup was restored, run the recovery command: it retires the namespace and lifts the fence.',
      'Otherwise find out who can write to the store before anything else.',
    ],
  },
  anchor_version_conflict: {
    title: 'A checkpoint has several versions in the anchor store',
    meaning:
      'The store is create-only, so a second version was written around it. The tenant is fenced until an operator’s recovery.',
    steps: [
      'List the object’s versions with the store’s own tools, and who wrote them.',
      'Check that retention is locked in compliance mode and that only the anchor worker may write.',
      'Run the recovery command when the cause is known.',
    ],
  },
  anchor_deleted_version: {
    title: 'A checkpoint was deleted from the anchor store',
    meaning:
      'What should be kept for at least 90 days is gone or has a delete marker. The tenant is fenced until an operator’s recovery.',
    steps: [
      'Look in the store’s access log for who deleted it.',
      'Check the retention of the bucket: compliance mode, 90 days or more.',
      'Restore the object from the store’s versions if there are any; then run the recovery command.',
    ],
  },
  anchor_history_invalid: {
    title: 'The anchor store’s history cannot be read',
    meaning:
      'Objects under this ledger’s prefix are not checkpoints, or are out of order. The tenant is fenced until an operator’s recovery.',
    steps: [
      'List the objects under the ledger’s prefix and look at the first one that is no checkpoint.',
      'Give the ledger a prefix that nothing else writes to.',
      'Run the recovery command when the history is whole again.',
    ],
  },
  ledger_behind_anchor: {
    title: 'The ledger is behind its anchors',
    meaning:
      'The anchor store knows checkpoints that our ledger has not reached: the database was restored from an older backup. The tenant is fenced, so that nothing consumed is given out again.',
    steps: [
      'Make sure that this is the database that should run, and not a copy.',
      'Restore the newest backup, with its log, if there is a newer one.',
      'Otherwise run the recovery command: it retires the namespace, takes unused authority away and keeps records and ledger.',
    ],
  },
  namespace_retired: {
    title: 'The tenant was recovered',
    meaning:
      'An operator retired the namespace after a restore or a conflict. Pending requests were cancelled, unused grants revoked, and how executions stand is uncertain.',
    steps: [
      'Tell the producers: what they still need has to be asked for again.',
      'Reconcile executions that were under way (POST /v2/requests/{id}/reconcile).',
      'Enable principals again and give out new tokens where the recovery took them.',
    ],
  },
  outcome_without_admission: {
    title: 'An outcome came without an admission',
    meaning:
      'A producer reports an effect of an action that it never asked an admission for. The report is kept as evidence; the action may have been done outside the permitted time.',
    steps: [
      'Read the request’s export: when it was claimed, and what was reported.',
      'Ask the producer’s owner why the executor did not take an admission before it acted.',
      'Reconcile the request if the report is wrong (POST /v2/requests/{id}/reconcile).',
    ],
  },
  credential_cloned: {
    title: 'A key of a person may have been copied',
    meaning:
      'A key signed with a counter that is not higher than the one before: another device may hold the same key. The signature was refused, and the key is suspended.',
    steps: [
      'Ask the person: a key that was restored from a backup can do this, and so can a stranger with a copy.',
      'End the key as compromised if anything is in doubt (POST /v2/credentials/{id}/end); votes by it end too.',
      'Otherwise let another person vouch for it again (POST /v2/admin/credentials/{id}/countersign).',
    ],
  },
  quorum_unreachable: {
    title: 'Too few people are left to decide a request',
    meaning:
      'A change of the directory left fewer people than the request has seats for: they were disabled, left a group or the route, or are not certain to be known. The request stays pending until its deadline; meanwhile it can be refused, and not approved.',
    steps: [
      'See on the request’s board which group is short of people (GET /v2/requests/{id}/approvals).',
      'Put people into that group and among the reviewers of the route: they may vote from then on.',
      'Otherwise cancel the request, and ask again once there are enough people.',
    ],
  },
  reconciliation_due: {
    title: 'An execution’s time has passed without an outcome',
    meaning:
      'An action was claimed, its time is over, and no outcome was reported. The outcome stays unknown, and no authority is granted again.',
    steps: [
      'Ask the producer whether the action was done; it may still report the outcome itself.',
      'When it cannot, find out from the system that was acted on, and reconcile with a reason and evidence (POST /v2/requests/{id}/reconcile).',
    ],
  },
  reconciliation_overdue: {
    title: 'An execution was never reconciled',
    meaning:
      'The time for reconciliation is over as well and there is still no outcome. Private material goes on its date, so evidence gets harder to compare.',
    steps: [
      'Reconcile now: what is known, or `uncertain` with the reason why nothing is.',
      'Look for others of the same producer: its executor may not report at all.',
    ],
  },
  retention_stalled: {
    title: 'A deadline cannot be carried out',
    meaning:
      'Expiry or deletion of one request has failed several times. It is tried again, at most once an hour, and holds up no other. Private material is unreadable from its date on, but its bytes may still be there. An incident without a request is about rows past their age that cannot be cleared.',
    steps: [
      'Find the request’s id in the worker’s log beside "deadline failed", or the rows’ kind beside "a row cannot be cleared", with the cause.',
      'Correct the cause: most often a row that was changed by hand, or a right that was taken from the worker’s role.',
      'The next attempt closes it; the metric countersign_worker_overdue_items goes back.',
    ],
  },
};
