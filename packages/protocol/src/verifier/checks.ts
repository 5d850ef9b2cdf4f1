/** Every check of the verifier: the source of its rule, and the sentences for success and failure. */
export const CHECKS = {
  document_readable: [
    '§2.1',
    'The file is strict JSON of a kind that can be verified.',
    'The file cannot be read as something that can be verified.',
  ],
  document_shape: [
    '§3',
    'The file has exactly the members that such a document has.',
    'The file does not have the shape of such a document.',
  ],
  verifier_works: ['', 'The verifier finished.', 'The verifier did not finish.'],

  expected_tenant: ['§2.4', 'It is of the expected tenant.', 'It is of another tenant.'],
  expected_audience: [
    '§2.4',
    'It is addressed to the expected audience.',
    'It is addressed to someone else.',
  ],
  expected_identity: [
    '§15.3',
    'It names the expected execution identity.',
    'It names another execution identity.',
  ],
  expected_nonce: ['§15.3', 'It carries the expected nonce.', 'It carries another nonce.'],
  expected_binding: [
    '§15.1',
    'The execution is the expected one.',
    'The execution is another one than expected.',
  ],

  record_signature: [
    '§2.4',
    'Its signature is good under a trusted key that may sign its type, for this issuer, audience, tenant and purpose.',
    'It does not verify.',
  ],
  record_payload: [
    '§2.5',
    'Its payload has the members of its type.',
    'Its payload is not of its type.',
  ],
  record_time: [
    '§15.5',
    'It was issued at the time that it tells.',
    'It tells another time than that of its issue.',
  ],
  record_header: [
    '§2.5',
    'Its header fits its payload.',
    'Its header says something else than its payload.',
  ],
  record_request: [
    '§3.4',
    'It is about this request.',
    'It is about another request, or another content of this one.',
  ],

  request_digest: [
    '§2.2',
    'The request has the digest that stands beside it.',
    'The request does not have the digest that stands beside it.',
  ],
  request_bound: [
    '§3.4',
    'A signed record carries the digest of this request.',
    'The signed records carry the digest of another request.',
  ],
  request_times: [
    '§3.2',
    'Its deadlines follow from its limits.',
    'Its deadlines do not follow from its limits.',
  ],
  request_profiles: [
    '§15.1',
    'Revision, purpose and profiles are supported.',
    'It selects a profile or version that is not supported.',
  ],
  request_execution: [
    '§15.1',
    'The execution keeps to its limits and names a supported provenance.',
    'The execution breaks its limits or names an unsupported provenance.',
  ],
  request_supersedes: ['§3.2', 'It does not replace itself.', 'It claims to replace itself.'],

  material_payload: [
    '§2.2',
    'The payload is what was asked.',
    'The payload is not what was asked.',
  ],
  material_schema: [
    '§2.2',
    'The response schema is the one that was asked with.',
    'The response schema is another one.',
  ],
  material_document: [
    '§2.2',
    'The document is what the reviewer was shown.',
    'The document is not what the reviewer was shown.',
  ],
  material_bundle: [
    '§12.2',
    'The app is the one that the request bound.',
    'The app is not the one that the request bound.',
  ],
  material_kept: [
    '§11.2',
    'The private material is there.',
    'Private material is there although a record says that it was deleted.',
  ],

  candidate_request: [
    '§3.3',
    'The candidate answers this request.',
    'The candidate answers another request.',
  ],
  candidate_response: [
    '§2.2',
    'The response, its text and its digest are one.',
    'The response, its text and its digest contradict each other.',
  ],
  candidate_schema: [
    '§10',
    'The response fits the response schema.',
    'The response does not fit the response schema.',
  ],

  receipt_present: [
    '§3.4',
    'There is one signed decision.',
    'The decision is missing, or there is more than one.',
  ],
  receipt_candidate: [
    '§3.4',
    'The decision is about exactly this candidate.',
    'The decision is about another candidate.',
  ],
  receipt_requester: [
    '§3.4',
    'The decision names the requester and the purpose of the request.',
    'The decision names another requester or purpose.',
  ],
  receipt_times: [
    '§15.5',
    'It was decided after it was asked and before the deadline.',
    'It was not decided between the question and the deadline.',
  ],
  receipt_grant: [
    '§3.4',
    'The grant ends when its limits say.',
    'The grant ends at another time than its limits say.',
  ],

  approval_numbers: [
    '§18.4',
    'Votes and endings are numbered without a gap: none is missing.',
    'A vote or an ending is missing, doubled or out of order.',
  ],
  approval_policy: [
    '§18.3',
    'It rests on the policy of the request.',
    'It rests on another policy than that of the request.',
  ],
  approval_candidate: [
    '§18.6',
    'Every vote that counted is about the answer that was decided.',
    'A vote that counted is about another answer than the one that was decided.',
  ],
  approval_people: [
    '§18.5',
    'Each vote that counted is of another person, and of none whom the request excludes.',
    'A person counted twice, is excluded by the request, or is not the one whom the decision names.',
  ],
  approval_membership: [
    '§18.4',
    'A membership from before the vote gives its giver these groups and this team.',
    'No membership in this file gives the giver of the vote these groups and this team.',
  ],
  approval_seats: [
    '§18.5',
    'The votes that counted fill every seat of the policy, or are enough to refuse.',
    'The votes that counted do not fill every seat of the policy, or are too few to refuse.',
  ],
  approval_order: [
    '§18.5',
    'Each stage was complete before a vote of the next one counted.',
    'A vote counted before the stage before it was complete.',
  ],
  approval_times: [
    '§18.4',
    'It was given between the question and the decision, which is of the time of its last vote.',
    'It was not given between the question and the decision, or the decision tells another time than its last vote.',
  ],
  approval_attention: [
    '§18.12',
    'The giver of the yes read it for as long as the policy asks, and typed what it asks.',
    'The vote does not say the attention that the policy asks of a yes, or says some that it does not ask for.',
  ],
  approval_live: [
    '§18.4',
    'No person had two votes at once, and no vote counted after it had ended.',
    'A person had two votes at once, or a vote ended that was not there or counted after that.',
  ],
  approval_complete: [
    '§18.5',
    'Counted again in their order, the votes decide with the last one and not before.',
    'Counted again in their order, the votes do not decide like that.',
  ],
  approval_ledger: [
    '§18.6',
    'Every vote of the decision is in the ledger before it.',
    'A vote of the decision is not in the ledger before it.',
  ],

  human_present: [
    '§19.5',
    'The request asks for signatures by the keys of people, and the vote has one.',
    'The vote lacks a signature by the key of its giver, or policy and profiles disagree on whether it needs one.',
  ],
  human_statement: [
    '§19.1',
    'The person signed exactly this vote, not more than five minutes before it was given.',
    'The person signed something else than this vote, or at another time.',
  ],
  human_challenge: [
    '§19.2',
    'The browser asked for this signature, on the site of the service.',
    'The browser asked for another signature, or on another site.',
  ],
  human_flags: [
    '§19.2',
    'The authenticator verified its user, for this site and with a key of the kind that was bound.',
    'The authenticator did not verify its user, or it was for another site or with a key of another kind.',
  ],
  human_signature: [
    '§19.2',
    'The signature is good under the key of the person.',
    'The signature is not good under the key of the person.',
  ],
  human_credential: [
    '§19.5',
    'The key was bound to the giver of the vote before it, as the policy asks, and had not ended.',
    'No key in this file was bound to the giver of the vote then, or not as the policy asks, or it had ended.',
  ],
  human_enrolment: [
    '§19.3',
    'The holder of the key agreed to be bound to this person, and somebody vouched for it.',
    'The holder of the key did not agree to be bound to this person, or it has no countersignature.',
  ],
  human_counter: [
    '§19.2',
    'The counters of the key grow.',
    'A counter of the key does not grow: the key may have been copied.',
  ],
  human_pinned: [
    '§19.5',
    'It is a key that you yourself know to be that of this person.',
    'It is none of the keys that you yourself know to be those of this person.',
  ],

  claim_once: [
    '§5.4',
    'There is at most one claim.',
    'There is more than one claim, or one that nothing allows.',
  ],
  claim_receipt: [
    '§15.3',
    'The claim rests on this decision, which authorises.',
    'The claim does not rest on this decision, or that does not authorise.',
  ],
  claim_binding: [
    '§15.3',
    'The claim is for exactly this execution.',
    'The claim is for another execution.',
  ],
  claim_times: [
    '§15.5',
    'It was claimed after the decision was anchored and before the grant ended.',
    'It was not claimed between the anchored decision and the end of the grant.',
  ],
  admission_claim: [
    '§15.3',
    'The admission is for this claim, with its bounds.',
    'The admission is for another claim or has other bounds.',
  ],
  admission_times: [
    '§15.5',
    'It was admitted after the claim, before the outcome and in time.',
    'It was not admitted after the claim, before the outcome and in time.',
  ],
  admission_nonce: ['§7 #18', 'No nonce was used twice.', 'A nonce was used twice.'],
  admission_count: [
    '§9.2',
    'There are at most 64 admissions.',
    'There are more than 64 admissions.',
  ],
  admission_anchor: [
    '§3.4',
    'It carries the anchor proof of the request.',
    'It carries another anchor proof.',
  ],
  outcome_claim: ['§2.5', 'It reports on this claim.', 'It reports on another claim.'],
  outcome_rules: [
    '§7 #19',
    'It was reported by somebody who may, once, after the claim.',
    'It could not have been reported like that.',
  ],

  event_revisions: [
    '§3.5',
    'The revisions of the events follow each other without a gap.',
    'An event is missing, doubled or out of order.',
  ],
  event_states: [
    '§5',
    'Every state follows from the one before.',
    'A state does not follow from the one before.',
  ],
  event_content: [
    '§3.5',
    'Deadline and address fit the request.',
    'Deadline or address do not fit the request.',
  ],

  ledger_entry: [
    '§4.1',
    'The entry follows from its record and the head before it.',
    'The entry does not follow from its record and the head before it.',
  ],
  ledger_order: [
    '§4.1',
    'The entries stand in the order of their numbers and times, and neighbours continue each other.',
    'An entry stands out of order, or does not continue its neighbour.',
  ],
  ledger_records: [
    '§3.6',
    'Records and ledger entries are the same, in the same order.',
    'Records and ledger entries contradict each other.',
  ],
  ledger_place: [
    '§4.1',
    'All entries lie under the checkpoint.',
    'An entry contradicts the way to the checkpoint.',
  ],
  ledger_end: ['§4.1', 'Nothing came later.', 'Something came later.'],

  anchor_proof: [
    '§4.3',
    'An unbroken way leads from the decision to a signed checkpoint.',
    'No unbroken way leads from the decision to a signed checkpoint.',
  ],
  anchor_key: [
    '§4.2',
    'The acceptance names the place of this checkpoint.',
    'The acceptance names the place of another checkpoint.',
  ],
  anchor_store: [
    '§4.3.5',
    'The anchor store holds exactly this checkpoint.',
    'The anchor store does not hold this checkpoint.',
  ],
  anchor_ledger: [
    '§4.3',
    'The checkpoint is of the expected ledger.',
    'The checkpoint is of another ledger.',
  ],
  anchor_generation: [
    '§6.4',
    'The decision was anchored in the namespace that it was made in.',
    'The decision was claimed in another namespace than it was made in.',
  ],

  log_checkpoint: [
    '§3.6',
    'The checkpoint of the tree is signed by the ledger service, for this ledger.',
    'The checkpoint of the tree is not that of this ledger.',
  ],
  log_entries: [
    '§3.6',
    'Every entry of the request lies in the tree.',
    'The entries of the request do not lie in the tree.',
  ],
  log_growth: [
    '§3.6',
    'The tree grew out of the one under which the grant opened.',
    'The tree did not grow out of the one under which the grant opened.',
  ],
  log_witnesses: [
    '§3.6',
    'Enough witnesses have seen the tree grow.',
    'A witness is said to have signed, and has not.',
  ],
  manifest_inside: [
    '§3.6',
    'The manifest in the file is the one that you trust.',
    'The manifest in the file is another one.',
  ],

  delivery_event: [
    '§11.5',
    'The delivery carries the event that it names.',
    'The delivery carries another event than it names.',
  ],
  delivery_fresh: [
    '§11.5',
    'It was fresh when it was received.',
    'It was more than five minutes off when it was received.',
  ],

  range_start: [
    '§4.1',
    'It begins with the first entry.',
    'It does not continue the place where it should begin.',
  ],
  range_entry: ['§4.1', 'The entry holds.', 'The entry does not hold.'],
  range_directory: [
    '§18.9',
    'Membership and key of every vote were those in force.',
    'A vote names a membership or a key that had been replaced or had ended.',
  ],
  range_holds: [
    '§20.5',
    'Every hold only grew, and another custodian lifted it.',
    'A hold lost a request or time, was set after its end, was lifted by the custodian who set it, or kept material that was discarded.',
  ],
  range_occurrences: [
    '§5.4',
    'No action was claimed twice, and no nonce admitted twice.',
    'An action was claimed twice, or a nonce admitted twice.',
  ],
  security_ledger: ['R41', 'It is of the expected ledger.', 'It is of another ledger.'],
  security_entry: [
    'R41',
    'Every entry has its form and continues the one before it.',
    'An entry does not have its form, or does not continue the one before it.',
  ],
  security_checkpoint: [
    'R41',
    'The checkpoint is signed by the ledger service, and lies on this chain.',
    'The checkpoint is not signed by the ledger service, or does not lie on this chain.',
  ],
  security_store: [
    'R41',
    'It passes through the checkpoint that the anchor store holds.',
    'It contradicts a checkpoint that the anchor store holds.',
  ],
  range_store: [
    '§4.3.5',
    'It passes through the checkpoints that the anchor store holds.',
    'It contradicts a checkpoint that the anchor store holds.',
  ],
} as const satisfies Record<string, readonly [rule: string, holds: string, fails: string]>;

export type CheckCode = keyof typeof CHECKS;
