/*
 * The effect of every command in every situation. A cell reads from left to right: `d:` decision, `a:` audit, `g:` grant
 * and `x:` execution become what is said (`g:none>revoked`: if it was `none`), `m:` marks the request as invalidated
 * unless it already is, `+reason` is an event with the states and the deadline of that moment, `@` is the command's own
 * mark, reason or status. `!code` is a refusal, `=` nothing changes, `stays` the states alone do not change, `none` there is
 * nothing to do. The first row that fits a situation counts; ` / ` separates situations, `*` ends an open name, `if` asks
 * for a fact. The results of a command beside states and events are in `consequences.ts`.
 */

/** `review.confirm` and `notifier.remind`: protocol §5.5 "confirm", "remind". Other situations: `NP`. */
const REVIEW = `
                                            | answer, approve, reject             | authorise                                            | refuse                              | confirm, another candidate  | remind
review: pending                             | d:confirmed a:pending +decision     | !purpose_decision_mismatch                           | !purpose_decision_mismatch          | !candidate_changed         | +reminder
review: pending, reminded today             | d:confirmed a:pending +decision     | !purpose_decision_mismatch                           | !purpose_decision_mismatch          | !candidate_changed         | !reminder_limit
pending                                     | !purpose_decision_mismatch          | d:confirmed a:pending g:pending_anchor +decision     | d:confirmed a:pending +decision     | !candidate_changed         | +reminder
pending, reminded today                     | !purpose_decision_mismatch          | d:confirmed a:pending g:pending_anchor +decision     | d:confirmed a:pending +decision     | !candidate_changed         | !reminder_limit
*                                           | !request_not_pending                | !request_not_pending                                 | !request_not_pending                | !request_not_pending       | !request_not_pending
`;

/**
 * `request.cancel`, `request.revoke`, `request.supersede`, `request.configure-principal`, `request.configure-route`:
 * protocol §5.5 "cancel, revoke", "supersede"; §7 request.configure-principal and request.configure-route; R6 and R10.
 */
const WITHDRAWAL = `
                                            | cancel, revoke, invalidate          | supersede
review: pending, over                       | d:expired +expiry m:@ +@            | d:expired +expiry m:superseded +supersession
review: pending*                            | d:cancelled m:@ +@                  | d:superseded m:superseded +supersession
review: *                                   | m:@ +@                              | m:superseded +supersession
pending / pending, reminded today           | d:cancelled m:@ +@                  | d:superseded m:superseded +supersession
pending, over                               | d:expired +expiry m:@ +@            | d:expired +expiry m:superseded +supersession
pending, retention due                      | d:expired +expiry m:retention +@    | d:expired +expiry m:retention +supersession
cancelled / expired / expired, invalidated  | m:@ +@                              | m:superseded +supersession
superseded                                  | m:@ +@                              | !occurrence_unavailable
refused* / run out* / invalidated*          | m:@ +@                              | m:superseded +supersession
waiting for its anchor / available          | m:@ g:revoked +@                    | m:superseded g:revoked +supersession
waiting, over / available, over             | g:expired +expiry m:@ +@            | g:expired +expiry m:superseded +supersession
waiting, retention due                      | g:expired +expiry m:retention +@    | g:expired +expiry m:retention +supersession
available, retention due                    | g:expired +expiry m:retention +@    | g:expired +expiry m:retention +supersession
unused, retention due* / expired, retention due | m:retention +@                  | m:retention +supersession
claimed, retention due / reported, retention due | m:retention +@                 | !occurrence_consumed
claimed* / reported* / recovered*           | m:@ +@                              | !occurrence_consumed
`;

/** `request.discard` and the deletion worker: protocol §5.5 "discard", §11.1 and §11.2. Material is deleted once. */
const DELETION = `
                                            | deleteMaterial
* if gone                                   | =
review: pending*                            | d:expired +material_deleted
review: *                                   | +material_deleted
pending*                                    | d:expired m:retention +material_deleted
waiting for its anchor / available          | m:retention g:revoked +material_deleted
waiting, * / available, *                   | g:expired +expiry m:retention +material_deleted
*                                           | m:retention +material_deleted
`;

/**
 * `execution-authority.claim`, `execution-authority.admit`, `execution-authority.report-outcome`,
 * `execution-authority.reconcile`: protocol §5.6, and §5.5 "claims" for requests that are not confirmed or of purpose
 * review.
 */
const EXECUTION = `
                                            | claim                        | admit                        | admit, claim of another      | report              | report abandoned                   | reconcile
review: *                                   | !execution_purpose_required  | !execution_purpose_required  | !execution_purpose_required  | !claim_unavailable  | !claim_unavailable                 | !claim_unavailable
claimed, invalidated                        | !authority_revoked           | !authority_revoked           | !authority_revoked           | x:@ +outcome        | !operator_reconciliation_required  | x:@ +outcome
claimed, retention due                      | !authority_revoked           | !authority_revoked           | !authority_revoked           | m:retention x:@ +outcome | !operator_reconciliation_required | m:retention x:@ +outcome
reported, invalidated                       | !authority_revoked           | !authority_revoked           | !authority_revoked           | !outcome_conflict   | !outcome_conflict                  | x:@ +outcome
reported, retention due                     | !authority_revoked           | !authority_revoked           | !authority_revoked           | !outcome_conflict   | !outcome_conflict                  | m:retention x:@ +outcome
waiting for its anchor / waiting, over / run out | !pending_anchor         | !pending_anchor              | !pending_anchor              | !claim_unavailable  | !claim_unavailable                 | !claim_unavailable
available, over / run out, anchored         | !grant_expired               | !grant_expired               | !grant_expired               | !claim_unavailable  | !claim_unavailable                 | !claim_unavailable
claimed, over                               | !grant_expired               | !grant_expired               | !grant_expired               | x:@ +outcome        | !operator_reconciliation_required  | x:@ +outcome
reported, over                              | !grant_expired               | !grant_expired               | !grant_expired               | !outcome_conflict   | !outcome_conflict                  | x:@ +outcome
available                                   | g:consumed x:claimed +claimed | !grant_unavailable          | !grant_unavailable           | !claim_unavailable  | !claim_unavailable                 | !claim_unavailable
claimed                                     | !grant_unavailable           | x:admitted                   | !claim_unavailable           | x:@ +outcome        | !operator_reconciliation_required  | x:@ +outcome
claimed, 64 admissions                      | !grant_unavailable           | !admission_check_limit       | !claim_unavailable           | x:@ +outcome        | !operator_reconciliation_required  | x:@ +outcome
reported                                    | !grant_unavailable           | !claim_unavailable           | !claim_unavailable           | !outcome_conflict   | !outcome_conflict                  | x:@ +outcome
*                                           | !authority_revoked           | !authority_revoked           | !authority_revoked           | !claim_unavailable  | !claim_unavailable                 | !claim_unavailable
`;

/**
 * The same, while the tenant is fenced or after its recovery (§6.4: both come after the purpose), and for the claim of
 * another; and input that is refused in every state.
 */
const STRANGERS = `
                                            | claim, fenced                | admit, fenced                | report, reconcile, claim of another  | claim, admit, retired        | reconcile, without evidence        | supersede, of another purpose
review: *                                   | !execution_purpose_required  | !execution_purpose_required  | !claim_unavailable                | !execution_purpose_required  | !reconciliation_evidence_required  | !purpose_immutable
*                                           | !admission_fenced            | !admission_fenced            | !claim_unavailable                | !namespace_retired           | !reconciliation_evidence_required  | !purpose_immutable
`;

/** The clock, the anchor store and recovery: protocol §4.2, §11.1, §11.2, §11.9, R6, R18. */
const BACKGROUND = `
                                            | applyDue                          | anchor                                   | retireNamespace
review: pending, over                       | d:expired +expiry                 | none                                     | d:expired +expiry m:namespace_retired
review: pending*                            | =                                 | none                                     | d:cancelled m:namespace_retired
review: decided                             | =                                 | a:anchored +anchor_accepted              | m:namespace_retired
review: *                                   | =                                 | none                                     | m:namespace_retired
pending / pending, reminded today           | =                                 | none                                     | d:cancelled g:revoked x:uncertain m:namespace_retired
pending, over                               | d:expired +expiry                 | none                                     | d:expired +expiry g:revoked x:uncertain m:namespace_retired
pending, retention due                      | d:expired +expiry m:retention     | none                                     | d:expired +expiry g:revoked x:uncertain m:retention
expired, retention due                      | m:retention                       | none                                     | g:revoked x:uncertain m:retention
cancelled / superseded / expired*           | =                                 | none                                     | g:revoked x:uncertain m:namespace_retired
refused                                     | =                                 | a:anchored +anchor_accepted              | g:revoked x:uncertain m:namespace_retired
refused, anchored                           | =                                 | none                                     | g:revoked x:uncertain m:namespace_retired
waiting for its anchor                      | =                                 | a:anchored g:available +anchor_accepted  | g:revoked x:uncertain m:namespace_retired
waiting, over                               | g:expired +expiry                 | a:anchored g:expired +anchor_accepted    | g:expired +expiry x:uncertain m:namespace_retired
waiting, retention due                      | g:expired +expiry m:retention     | a:anchored g:expired +anchor_accepted    | g:expired +expiry x:uncertain m:retention
available                                   | =                                 | none                                     | g:revoked x:uncertain m:namespace_retired
available, over                             | g:expired +expiry                 | none                                     | g:expired +expiry x:uncertain m:namespace_retired
available, retention due                    | g:expired +expiry m:retention     | none                                     | g:expired +expiry x:uncertain m:retention
run out                                     | =                                 | a:anchored +anchor_accepted              | x:uncertain m:namespace_retired
run out, anchored                           | =                                 | none                                     | x:uncertain m:namespace_retired
unused, retention due                       | m:retention                       | a:anchored +anchor_accepted              | g:none>revoked x:uncertain m:retention
unused, retention due, anchored             | m:retention                       | none                                     | g:none>revoked x:uncertain m:retention
invalidated                                 | =                                 | a:anchored +anchor_accepted              | g:none>revoked x:uncertain
invalidated, anchored                       | =                                 | none                                     | g:none>revoked x:uncertain
claimed, retention due / reported, retention due | m:retention                  | none                                     | x:uncertain m:retention
claimed* / reported*                        | =                                 | none                                     | x:uncertain m:namespace_retired
recovered, not anchored                     | =                                 | a:anchored +anchor_accepted              | =
recovered                                   | =                                 | none                                     | =
`;

/** R23: no outcome although the execution's own time has passed, and at the deadline of its reconciliation. */
const RECONCILIATION = `
                                            | reconciliationDue     | reconciliationOver
claimed* if execution-over                  | +reconciliation_due   | stays
claimed*                                    | none                  | stays
*                                           | none                  | none
`;

export const TRANSITIONS: readonly string[] = [
  REVIEW,
  WITHDRAWAL,
  DELETION,
  EXECUTION,
  STRANGERS,
  BACKGROUND,
  RECONCILIATION,
];
