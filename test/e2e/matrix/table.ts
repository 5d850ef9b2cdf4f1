/**
 * The answer of every call on a request, in every state and for every caller. Written from the protocol, and meant to be
 * read with §5.5 and §5.6 of it alongside; nothing here comes from the product.
 *
 * How to read a cell:
 *
 *   200                       a success; states as they were
 *   200 decision→cancelled    a success and the states that moved; all others are as they were
 *   200 unused grant→revoked  the grant moves if it is `pending_anchor` or `available`
 *   200 execution→@           becomes what was reported
 *   409 nonce_reused          a refusal with its code; nothing moves, nothing is written
 *   200; gone: 410 …          when private material is gone, or (`claimed:`) when there is a claim, the latter
 *   §5.6                      see AUTHORITY, at the line that the situation names
 *
 * NP 409 request_not_pending AR 409 authority_revoked CU 409 claim_unavailable PA 409 pending_anchor GE 409 grant_expired
 * GU 409 grant_unavailable
 */
export const ABBREVIATIONS: Readonly<Record<string, string>> = {
  NP: '409 request_not_pending',
  AR: '409 authority_revoked',
  CU: '409 claim_unavailable',
  PA: '409 pending_anchor',
  GE: '409 grant_expired',
  GU: '409 grant_unavailable',
};

/** Protocol §5.5, requests of purpose `review`: operation × decision_state. */
export const REVIEW = `
operation             | pending                              | confirmed           | cancelled           | expired             | superseded

status                | 200                                  | 200                 | 200                 | 200                 | 200
list                  | 200                                  | 200                 | 200                 | 200                 | 200
material, app         | 200                                  | 200; gone: 410 material_deleted | 200; gone: 410 material_deleted | 200; gone: 410 material_deleted | 200; gone: 410 material_deleted
export                | 200                                  | 200                 | 200                 | 200                 | 200
hitl                  | 202                                  | 200                 | 200                 | 200                 | 200
hitl poll             | 200                                  | 200                 | 200                 | 200                 | 200
assignment            | 200                                  | NP                  | NP                  | NP                  | NP
candidates            | 201                                  | NP                  | NP                  | NP                  | NP
confirm               | 200 decision→confirmed audit→pending | NP                  | NP                  | NP                  | NP
remind                | 200                                  | NP                  | NP                  | NP                  | NP
cancel, revoke        | 200 decision→cancelled               | 200                 | 200                 | 200                 | 200
discard               | 200 decision→expired                 | 200                 | 200                 | 200                 | 200
supersede             | 201 decision→superseded              | 201                 | 201                 | 201                 | 201
claims, admission     | 409 execution_purpose_required       | 409 execution_purpose_required | 409 execution_purpose_required | 409 execution_purpose_required | 409 execution_purpose_required
outcomes, outcomes abandoned, reconcile | CU                 | CU                  | CU                  | CU                  | CU
`;

/**
 * Protocol §5.5, requests of purpose `authorise_execution`. `request.hitl` and `request.hitl-poll` are for reviews only
 * (§13).
 */
export const EXECUTION = `
operation             | pending                              | confirmed                   | cancelled           | expired             | superseded

status                | 200                                  | 200                         | 200                 | 200                 | 200
list                  | 200                                  | 200                         | 200                 | 200                 | 200
material, app         | 200                                  | 200; gone: 410 material_deleted | 200; gone: 410 material_deleted | 200; gone: 410 material_deleted | 200; gone: 410 material_deleted
export                | 200                                  | 200                         | 200                 | 200                 | 200
hitl, hitl poll       | 409 hitl_review_only                 | 409 hitl_review_only        | 409 hitl_review_only | 409 hitl_review_only | 409 hitl_review_only
assignment            | 200                                  | NP                          | NP                  | NP                  | NP
candidates            | 201                                  | NP                          | NP                  | NP                  | NP
confirm               | 200 decision→confirmed audit→pending grant→pending_anchor | NP     | NP                  | NP                  | NP
remind                | 200                                  | NP                          | NP                  | NP                  | NP
cancel, revoke        | 200 decision→cancelled               | 200 unused grant→revoked    | 200                 | 200                 | 200
discard               | 200 decision→expired                 | 200 unused grant→revoked    | 200                 | 200                 | 200
supersede             | 201 decision→superseded              | 201 unused grant→revoked; claimed: 409 occurrence_consumed | 201    | 201                 | 409 occurrence_unavailable
claims, admission     | AR                                   | §5.6                        | AR                  | AR                  | AR
outcomes, outcomes abandoned, reconcile | CU                 | §5.6                        | CU                  | CU                  | CU
`;

/**
 * Protocol §5.6, confirmed executions. The first line from the top wins for claims and admission (§6.4 AUTHORITY); outcomes
 * and reconciliation look at claim and outcome alone (§7 execution-authority.report-outcome,
 * execution-authority.reconcile), so that a line of the protocol stands here once for each of their cases. `outcomes`
 * reports a new outcome, `outcomes again` the one that is on record already.
 */
export const AUTHORITY = `
line                        | claims                                 | admission              | outcomes         | outcomes again | outcomes abandoned                   | reconcile

refused or invalidated      | AR                                     | AR                     | CU               | -              | CU                                   | CU
 - claimed                  | AR                                     | AR                     | 200 execution→@  | -              | 403 operator_reconciliation_required | 200 execution→@
 - outcome recorded         | AR                                     | AR                     | 409 outcome_conflict | 200        | 409 outcome_conflict                 | 200 execution→@
audit not anchored          | PA                                     | PA                     | CU               | -              | CU                                   | CU
now ≥ grant_deadline        | GE                                     | GE                     | CU               | -              | CU                                   | CU
 - claimed in time          | GE                                     | GE                     | 200 execution→@  | -              | 403 operator_reconciliation_required | 200 execution→@
 - outcome recorded in time | GE                                     | GE                     | 409 outcome_conflict | 200        | 409 outcome_conflict                 | 200 execution→@
available                   | 201 grant→consumed execution→claimed   | GU                     | CU               | -              | CU                                   | CU
consumed, no outcome        | GU                                     | 200 execution→admitted | 200 execution→@  | -              | 403 operator_reconciliation_required | 200 execution→@
consumed, outcome recorded  | GU                                     | CU                     | 409 outcome_conflict | 200        | 409 outcome_conflict                 | 200 execution→@
consumed, reconciled        | GU                                     | CU                     | 409 outcome_conflict | -          | 409 outcome_conflict                 | 200 execution→@
`;

/**
 * Where requests stand: the states as `request.status` shows them, whether private material is gone, the line of §5.6, and
 * the calls that lead there. Everything but a plain `pending` request is assigned to one reviewer, by the call after
 * creation.
 *
 * `-` not_applicable. Steps: `answer` = both reviewers freeze a candidate; `approve`, `authorise`, `refuse` = freeze and
 * confirm; `anchored` = wait until it is; `… over` = wait until the time of the review, of the grant (dispatch_before),
 * of the execution (dispatch_before + execution_seconds, R23) or of private retention (private_delete_at) has passed by
 * itself, with deadlines that the request or its route set short. Where `anchored` does not stand after a decision, the
 * anchor store was out of reach. No state is made by hand: no row of the database is written by this test.
 */
export const SITUATIONS = `
situation                            | decision   | audit      | grant          | execution | material | §5.6                        | reached by

review: pending                      | pending    | unanchored | -              | -         | kept     |                             |
review: pending, answered            | pending    | unanchored | -              | -         | kept     |                             | answer
review: pending, reminded            | pending    | unanchored | -              | -         | kept     |                             | remind
review: confirmed                    | confirmed  | pending    | -              | -         | kept     |                             | approve
review: confirmed, anchored          | confirmed  | anchored   | -              | -         | kept     |                             | approve, anchored
review: confirmed, cancelled         | confirmed  | anchored   | -              | -         | kept     |                             | approve, anchored, cancel
review: confirmed, discarded         | confirmed  | anchored   | -              | -         | gone     |                             | approve, anchored, discard
review: confirmed, superseded        | confirmed  | anchored   | -              | -         | kept     |                             | approve, anchored, supersede
review: confirmed, retention over    | confirmed  | anchored   | -              | -         | gone     |                             | approve, anchored, retention over
review: cancelled                    | cancelled  | unanchored | -              | -         | kept     |                             | answer, cancel
review: revoked                      | cancelled  | unanchored | -              | -         | kept     |                             | revoke
review: cancelled, discarded         | cancelled  | unanchored | -              | -         | gone     |                             | answer, cancel, discard
review: expired                      | expired    | unanchored | -              | -         | kept     |                             | answer, review over
review: expired by discarding        | expired    | unanchored | -              | -         | gone     |                             | answer, discard
review: expired, retention over      | expired    | unanchored | -              | -         | gone     |                             | answer, retention over
review: superseded                   | superseded | unanchored | -              | -         | kept     |                             | answer, supersede

pending                              | pending    | unanchored | none           | unclaimed | kept     |                             |
pending, answered                    | pending    | unanchored | none           | unclaimed | kept     |                             | answer
pending, reminded                    | pending    | unanchored | none           | unclaimed | kept     |                             | remind
cancelled                            | cancelled  | unanchored | none           | unclaimed | kept     |                             | answer, cancel
revoked                              | cancelled  | unanchored | none           | unclaimed | kept     |                             | revoke
expired                              | expired    | unanchored | none           | unclaimed | kept     |                             | answer, review over
expired by discarding                | expired    | unanchored | none           | unclaimed | gone     |                             | answer, discard
expired, retention over              | expired    | unanchored | none           | unclaimed | gone     |                             | answer, retention over
superseded                           | superseded | unanchored | none           | unclaimed | kept     |                             | answer, supersede

refused                              | confirmed  | pending    | none           | unclaimed | kept     | refused or invalidated      | refuse
refused, anchored                    | confirmed  | anchored   | none           | unclaimed | kept     | refused or invalidated      | refuse, anchored
waiting                              | confirmed  | pending    | pending_anchor | unclaimed | kept     | audit not anchored          | authorise
waiting, over                        | confirmed  | pending    | expired        | unclaimed | kept     | audit not anchored          | authorise, grant over
waiting, cancelled                   | confirmed  | pending    | revoked        | unclaimed | kept     | refused or invalidated      | authorise, cancel
available                            | confirmed  | anchored   | available      | unclaimed | kept     | available                   | authorise, anchored
available, over                      | confirmed  | anchored   | expired        | unclaimed | kept     | now ≥ grant_deadline        | authorise, anchored, grant over
available, cancelled                 | confirmed  | anchored   | revoked        | unclaimed | kept     | refused or invalidated      | authorise, anchored, cancel
available, revoked                   | confirmed  | anchored   | revoked        | unclaimed | kept     | refused or invalidated      | authorise, anchored, revoke
available, discarded                 | confirmed  | anchored   | revoked        | unclaimed | gone     | refused or invalidated      | authorise, anchored, discard
available, superseded                | confirmed  | anchored   | revoked        | unclaimed | kept     | refused or invalidated      | authorise, anchored, supersede
available, retention over            | confirmed  | anchored   | expired        | unclaimed | gone     | refused or invalidated      | authorise, anchored, retention over

claimed                              | confirmed  | anchored   | consumed       | claimed   | kept     | consumed, no outcome        | authorise, anchored, claim
claimed, over                        | confirmed  | anchored   | consumed       | claimed   | kept     |  - claimed in time          | authorise, anchored, claim, grant over
claimed, reconciliation due          | confirmed  | anchored   | consumed       | claimed   | kept     |  - claimed in time          | authorise, anchored, claim, execution over
claimed, cancelled                   | confirmed  | anchored   | consumed       | claimed   | kept     |  - claimed                  | authorise, anchored, claim, cancel
claimed, discarded                   | confirmed  | anchored   | consumed       | claimed   | gone     |  - claimed                  | authorise, anchored, claim, discard
claimed, retention over              | confirmed  | anchored   | consumed       | claimed   | gone     |  - claimed                  | authorise, anchored, claim, retention over
admitted                             | confirmed  | anchored   | consumed       | admitted  | kept     | consumed, no outcome        | authorise, anchored, claim, admit
admitted, over                       | confirmed  | anchored   | consumed       | admitted  | kept     |  - claimed in time          | authorise, anchored, claim, admit, grant over
admitted, revoked                    | confirmed  | anchored   | consumed       | admitted  | kept     |  - claimed                  | authorise, anchored, claim, admit, revoke
completed                            | confirmed  | anchored   | consumed       | completed | kept     | consumed, outcome recorded  | authorise, anchored, claim, admit, report completed
uncertain                            | confirmed  | anchored   | consumed       | uncertain | kept     | consumed, outcome recorded  | authorise, anchored, claim, report uncertain
completed, over                      | confirmed  | anchored   | consumed       | completed | kept     |  - outcome recorded in time | authorise, anchored, claim, admit, report completed, grant over
completed, cancelled                 | confirmed  | anchored   | consumed       | completed | kept     |  - outcome recorded         | authorise, anchored, claim, report completed, cancel
completed, retention over            | confirmed  | anchored   | consumed       | completed | gone     |  - outcome recorded         | authorise, anchored, claim, report completed, retention over
reconciled                           | confirmed  | anchored   | consumed       | abandoned | kept     | consumed, reconciled        | authorise, anchored, claim, reconcile abandoned
`;

/** Where a situation says more than its states do. */
export const EXCEPTIONS = `
situation                  | operation  | caller                        | answer                     | because

review: pending            | confirm    | *                             | 409 candidate_changed      | §7 review.confirm: the caller froze nothing
review: pending, reminded  | confirm    | *                             | 409 candidate_changed      | §7 review.confirm
pending                    | confirm    | *                             | 409 candidate_changed      | §7 review.confirm
pending, reminded          | confirm    | *                             | 409 candidate_changed      | §7 review.confirm
review: pending, reminded  | remind     | *                             | 429 reminder_limit         | §7 notifier.remind: once in 86400 s
pending, reminded          | remind     | *                             | 429 reminder_limit         | §7 notifier.remind
review: pending, answered  | assignment | reviewer, not assigned        | 409 review_assigned        | §7 review.assign: another reviewer holds it
review: pending, reminded  | assignment | reviewer, not assigned        | 409 review_assigned        | §7 review.assign
pending, answered          | assignment | reviewer, not assigned        | 409 review_assigned        | §7 review.assign
pending, reminded          | assignment | reviewer, not assigned        | 409 review_assigned        | §7 review.assign
available, superseded      | supersede  | *                             | 409 occurrence_unavailable | §7 request.supersede: the occurrence is the new request's
`;

/**
 * Every call with a key that led to a situation, once more with its key (R5, §6.3): the stored answer, byte for byte, in
 * any later state; with another body, a conflict.
 */
export const REPLAYS = `
call         | material kept            | material gone                | with another body

candidates   | stored                   | 410 idempotent_result_expired | 409 idempotency_conflict
confirm      | stored                   | stored                       | 409 idempotency_conflict
create       | stored                   | stored                       | 409 idempotency_conflict
supersede    | stored                   | stored                       | 409 idempotency_conflict
claims       | stored                   | stored                       | 409 idempotency_conflict
outcomes     | stored                   | stored                       | 409 idempotency_conflict
reconcile    | stored                   | stored                       | 409 idempotency_conflict
assignment, cancel, revoke, discard, remind | stored | stored          | 400 invalid_EmptyInput
`;

/**
 * Who may call (§1, §7, R1, R2, R22, R26): `yes` = the tables above decide; anything else is the answer in every state,
 * because caller kind, visibility, ownership and eligibility come before the state (R26, §6.4). `unlisted` = the list is
 * there and the request is not in it. Reads: status, material, export, hitl, hitl poll. Review: assignment, candidates,
 * confirm. Withdraw: cancel, revoke, discard, remind. Execute: claims, admission, all outcomes.
 *
 * The callers of other tenants are the likes of those here, on a route of the same id; the producer and the reviewer
 * among them even have the ids of the owner and of the assigned reviewer.
 */
export const CALLERS = `
caller                          | list                | reads               | app                 | review                     | withdraw            | supersede               | execute             | reconcile

owner, a producer               | yes                 | yes                 | 403 human_required  | 403 human_required         | yes                 | yes                     | yes                 | 403 operator_required
owner, a human                  | yes                 | yes                 | yes                 | 403 separation_of_duties   | yes                 | yes                     | yes                 | 403 operator_required
operator                        | yes                 | yes                 | 403 human_required  | 403 human_required         | yes                 | 403 producer_required   | 403 forbidden       | yes
operator, a human               | yes                 | yes                 | yes                 | 409 reviewer_ineligible    | yes                 | 403 forbidden           | 403 forbidden       | yes
reviewer, assigned              | yes                 | yes                 | yes                 | yes                        | 403 forbidden       | 403 forbidden           | 403 forbidden       | 403 operator_required
reviewer, not assigned          | yes                 | yes                 | yes                 | yes                        | 403 forbidden       | 403 forbidden           | 403 forbidden       | 403 operator_required
reviewer, and the requester     | yes                 | yes                 | yes                 | 403 separation_of_duties   | 403 forbidden       | 403 forbidden           | 403 forbidden       | 403 operator_required
reviewer, without CSRF proof    | yes                 | yes                 | yes                 | 403 csrf                   | 403 csrf            | 403 csrf                | 403 csrf            | 403 csrf
reviewer of another route       | unlisted            | 404 not_found       | 404 not_found       | 404 not_found              | 404 not_found       | 404 not_found           | 404 not_found       | 403 operator_required
other producer                  | unlisted            | 404 not_found       | 403 human_required  | 403 human_required         | 404 not_found       | 404 not_found           | 404 not_found       | 403 operator_required
disabled producer               | 401 unauthenticated | 401 unauthenticated | 401 unauthenticated | 401 unauthenticated        | 401 unauthenticated | 401 unauthenticated     | 401 unauthenticated | 401 unauthenticated
publisher                       | 403 forbidden       | 404 not_found       | 403 human_required  | 403 human_required         | 403 forbidden       | 403 producer_required   | 403 forbidden       | 403 operator_required
anonymous                       | 401 unauthenticated | 401 unauthenticated | 401 unauthenticated | 401 unauthenticated        | 401 unauthenticated | 401 unauthenticated     | 401 unauthenticated | 401 unauthenticated
elsewhere: producer             | unlisted            | 404 not_found       | 403 human_required  | 403 human_required         | 404 not_found       | 404 not_found           | 404 not_found       | 403 operator_required
elsewhere: publisher            | 403 forbidden       | 404 not_found       | 403 human_required  | 403 human_required         | 403 forbidden       | 403 producer_required   | 403 forbidden       | 403 operator_required
elsewhere: operator             | unlisted            | 404 not_found       | 403 human_required  | 403 human_required         | 404 not_found       | 403 producer_required   | 403 forbidden       | 404 not_found
elsewhere: operator, a human    | unlisted            | 404 not_found       | 404 not_found       | 404 not_found              | 404 not_found       | 404 not_found           | 404 not_found       | 404 not_found
elsewhere: reviewer             | unlisted            | 404 not_found       | 404 not_found       | 404 not_found              | 404 not_found       | 404 not_found           | 404 not_found       | 403 operator_required
`;

/**
 * The operations that are about no one request (§7, R1, R2, R26). Bodies are in order and name the route of the requests
 * above; the callers of the other tenant have a route of that id.
 */
export const COLLECTIONS = `
caller                          | bundles                | create                   | events                | principals, routes    | ledger, metrics       | metrics text

owner, a producer               | 403 publisher_required | 201                      | 200                   | 403 operator_required | 403 operator_required | 403 operator_required
owner, a human                  | 201                    | 201                      | 200                   | 403 operator_required | 403 operator_required | 403 operator_required
operator                        | 403 publisher_required | 403 producer_required    | 403 producer_required | 200                   | 200                   | 200
operator, a human               | 403 publisher_required | 403 route_not_authorised | 200                   | 200                   | 200                   | 403 operator_required
reviewer, assigned              | 403 publisher_required | 403 route_not_authorised | 200                   | 403 operator_required | 403 operator_required | 403 operator_required
reviewer, without CSRF proof    | 403 csrf               | 403 csrf                 | 200                   | 403 csrf              | 403 operator_required | 403 operator_required
reviewer of another route       | 403 publisher_required | 403 route_not_authorised | 200                   | 403 operator_required | 403 operator_required | 403 operator_required
other producer                  | 403 publisher_required | 201                      | 200                   | 403 operator_required | 403 operator_required | 403 operator_required
disabled producer               | 401 unauthenticated    | 401 unauthenticated      | 401 unauthenticated   | 401 unauthenticated   | 401 unauthenticated   | 401 unauthenticated
publisher                       | 201                    | 403 producer_required    | 403 producer_required | 403 operator_required | 403 operator_required | 403 operator_required
anonymous                       | 401 unauthenticated    | 401 unauthenticated      | 401 unauthenticated   | 401 unauthenticated   | 401 unauthenticated   | 401 unauthenticated
elsewhere: producer             | 403 publisher_required | 201                      | 200                   | 403 operator_required | 403 operator_required | 403 operator_required
elsewhere: publisher            | 201                    | 403 producer_required    | 403 producer_required | 403 operator_required | 403 operator_required | 403 operator_required
elsewhere: operator             | 403 publisher_required | 403 producer_required    | 403 producer_required | 200                   | 200                   | 200
elsewhere: operator, a human    | 403 publisher_required | 403 route_not_authorised | 200                   | 200                   | 200                   | 403 operator_required
elsewhere: reviewer             | 403 publisher_required | 403 route_not_authorised | 200                   | 403 operator_required | 403 operator_required | 403 operator_required
`;

/**
 * In a tenant whose anchor store contradicts its ledger (§4.2, §5.2, §6.4): every request shows the audit state `conflict`,
 * and executions get no authority, in any state; everything else is as above.
 */
export const FENCED = `
operation             | answer

claims, admission     | 503 admission_fenced
`;

/**
 * The records that a success writes about the request (§4.1, §3.5), and reasons of events, in order. Deadlines that passed
 * before may be told first (R6). Deleted material is not deleted again.
 */
export const RECORDS = `
operation             | records

assignment            |
candidates            |
confirm               | DecisionReceipt, decision
remind                | reminder
cancel                | cancelled
revoke                | revoked
discard               | MaterialDiscarded, material_deleted
supersede             | supersession
claims                | ExecutionClaim, claimed
admission             | AdmissionStatus
outcomes              | ExecutionOutcome, outcome
outcomes again        |
reconcile             | ExecutionReconciliation, outcome
`;

/** Which operations a column of CALLERS is about. */
export const OPERATION_GROUPS: Readonly<Record<string, readonly string[]>> = {
  list: ['list'],
  reads: ['status', 'material', 'export', 'hitl', 'hitl poll'],
  app: ['app'],
  review: ['assignment', 'candidates', 'confirm'],
  withdraw: ['cancel', 'revoke', 'discard', 'remind'],
  supersede: ['supersede'],
  execute: ['claims', 'admission', 'outcomes', 'outcomes again', 'outcomes abandoned'],
  reconcile: ['reconcile'],
};
