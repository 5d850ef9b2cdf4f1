/** A plausible mistake in the verifier: a passage of a source file of packages/protocol, and its replacement. */
export interface PlantedBug {
  readonly bug: string;
  readonly file: string;
  readonly passage: string;
  readonly becomes: string;
}

/** Bugs in one file, as [bug, passage, becomes]. */
const inFile = (file: string, bugs: readonly [string, string, string][]): PlantedBug[] =>
  bugs.map(([bug, passage, becomes]) => ({ bug, file, passage, becomes }));

/** A vector has to notice each of them: other implementations are measured by the same. */
export const PLANTED_BUGS: readonly PlantedBug[] = [
  ...inFile('signing/verify-record.ts', [
    ['a record of any issuer', 'header.issuer !== trust.issuer', 'false'],
    [
      'a record for another audience',
      'expected.audience !== null && header.audience !== expected.audience',
      'false',
    ],
    [
      'a record of another type than its place wants',
      '!isRecordType(header.type) || !types.includes(header.type)',
      '!isRecordType(header.type)',
    ],
    ['a record of another revision', 'header.protocol_revision !== PROTOCOL_REVISION', 'false'],
    [
      'a record of another tenant',
      'expected.tenant !== undefined && header.tenant !== expected.tenant',
      'false',
    ],
    ['a purpose that the type never has', '!fitsPurpose(header.type, header.purpose)', 'false'],
    [
      'any key that fits, whatever the record names',
      'trust.keys.get(header.key_id);',
      `[...trust.keys.values()].find(({ publicKey }) => verify(null, preimageOf(record), publicKey,
        Buffer.from(record.signature, 'base64url')));`,
    ],
    [
      'any type under the key of any service',
      '!keyMaySign(header.key_id, header.type as RecordType)',
      'false',
    ],
    ['a key before its time', 'issuedAt < key.notBefore', 'false'],
    ['a key after its time', 'issuedAt >= key.notAfter', 'false'],
    ['a key at the very moment it ends', 'issuedAt >= key.notAfter', 'issuedAt > key.notAfter'],
    ['a revoked key', 'key.revokedAt !== null && issuedAt >= key.revokedAt', 'false'],
    [
      'a key at the very moment of its revocation',
      'issuedAt >= key.revokedAt',
      'issuedAt > key.revokedAt',
    ],
    [
      'nothing of a key that was revoked later',
      'key.revokedAt !== null && issuedAt >= key.revokedAt',
      'key.revokedAt !== null',
    ],
    [
      'a record from the future',
      'issuedAt > expected.now + SECONDS.clockTolerance * 1000',
      'false',
    ],
    [
      'no tolerance for clocks',
      'issuedAt > expected.now + SECONDS.clockTolerance * 1000',
      'issuedAt > expected.now',
    ],
    [
      'a signature in any spelling',
      'if (text.length !== 86) return null;',
      "return Buffer.from(text, 'base64');",
    ],
    [
      'a signature with other spare bits',
      "bytes.length === 64 && bytes.toString('base64url') === text",
      'bytes.length === 64',
    ],
    ['any signature', 'verify(null, preimage, key.publicKey, signature)', 'true'],
    ['unknown members', 'Object.keys(object).length === members.length &&', ''],
  ]),
  ...inFile('signing/anchor-proof.ts', [
    ['a proof of another record', 'first.record_digest !== recordDigest', 'false'],
    [
      'a proof that leaves entries out',
      `if (node.sequence !== last.sequence + 1) return 'node_sequence_gap';
      if (node.previous_head !== last.head) return 'node_chain_broken';`,
      '',
    ],
    ['nodes whose heads are not theirs', 'node.head !== head', 'false'],
    [
      'a proof that ends before its checkpoint',
      'last.head === checkpoint.head && last.sequence === checkpoint.sequence',
      'true',
    ],
    ['an acceptance of another checkpoint', 'acceptance.digest !== textDigest(text)', 'false'],
    [
      'a retention that ends too soon',
      'retainedUntil < verified.issuedAt + SECONDS.anchorRetention * 1000',
      'false',
    ],
  ]),
  ...inFile('signing/ledger-range.ts', [
    ['entries with other numbers', 'entry.sequence !== String(sequence)', 'false'],
    ['entries that continue something else', 'entry.previous_head !== before.head', 'false'],
    ['heads that are not recomputed', 'head === entry.head ? null', 'true ? null'],
    ['entries of another tenant', 'entry.tenant !== tenant', 'false'],
    [
      'another record than was chained',
      'textDigest(entry.record) !== entry.record_digest',
      'false',
    ],
    ['a record that is not canonical', 'canonicalText(value) === text ? value', 'true ? value'],
    [
      'an unsigned record',
      'if (!verified.ok) return verified.reason;',
      'if (!verified.ok) return null;',
    ],
    [
      'an entry under another request',
      'requestOf(header.purpose, payload) !== entry.request_id',
      'false',
    ],
  ]),
  ...inFile('signing/chain.ts', [
    ['a head that leaves out its number', ',"sequence":${sequence}}', '}'],
  ]),
  ...inFile('signing/trust-manifest.ts', [
    ['keys that are never revoked', 'entry.revoked_at === undefined ? null', 'true ? null'],
  ]),
  ...inFile('verifier/record.ts', [
    [
      'a receipt that was signed for another purpose than it says',
      'record.payload.purpose === header.purpose',
      'true',
    ],
    [
      'a checkpoint of one ledger signed for another',
      'record.payload.ledger_id === header.tenant &&',
      'true ||',
    ],
    [
      'a record of another time than it tells',
      'if (member === undefined) return null;',
      'return null;',
    ],
  ]),
  ...inFile('verifier/proof.ts', [
    ['a checkpoint of another ledger', 'ledgerId === expected.ledgerId', 'true'],
    ['an acceptance under another key', '.endsWith(place)', '.endsWith(place) || true'],
    [
      'another copy in the anchor store',
      'const same = copy !== null && isText(copy.bytes, canonicalText(proof.checkpoint));',
      'const same = copy !== null;',
    ],
    [
      'a checkpoint that the store does not have',
      'same && keyKnown, {',
      'copy === null || (same && keyKnown), {',
    ],
  ]),
  ...inFile('verifier/range.ts', [
    [
      'a chain that its checkpoints contradict',
      'checkpoint?.sequence === sequence && checkpoint.head === entry?.head',
      'true',
    ],
    ['an occurrence that was claimed twice', 'once(claims) && once(nonces)', 'true'],
    ['a record that was chained twice', 'new Set(digests).size === digests.length', 'true'],
  ]),
  ...inFile('verifier/evidence-log.ts', [
    [
      'a checkpoint of another service',
      'head.origin !== treeOrigin(trust.issuer, ledgerId, generation)',
      'false',
    ],
    ['a checkpoint that the log has not signed', 'signedBy.length === 0', 'false'],
    ['a root that the hashes do not lead to', 'roots.root.equals(head.root)', 'true'],
    [
      'a tree that is no beginning of the other',
      'opening === null || (roots.earlierRoot?.equals(opening.root) ?? false)',
      'true',
    ],
    ['a log that was rolled back', 'opening.size > head.size', 'false'],
    ['two heads of one size', 'opening.size === head.size', 'false'],
    ['too few witnesses', '!witnesses.isMet(signed)', 'false'],
    [
      'a signature that a witness never made',
      'cosignaturesOf(note.body, [signature], [witness]).length === 0',
      'false',
    ],
    ['the checkpoint of another ledger', 'anchored.ledger_id !== head.ledgerId', 'false'],
    ['a tree that ends before an entry', 'index >= head.size', 'false'],
    ['two records at one place', 'known !== undefined && !known.equals(digest)', 'false'],
    ['a log that the policy does not name', 'known.length > 0 &&', 'false &&'],
  ]),
  ...inFile('verifier/export-approvals.ts', [
    [
      'votes of several people that are not looked at',
      'const quorum = receipt === null ? null : quorumOf(receipt);',
      'const quorum = receipt === null ? null : null;',
    ],
    ['numbers that are left out', 'payload.number === at + 1', 'payload.number > at'],
    [
      'another policy than the digest names',
      'valueDigest(policy) === digest',
      'digest !== undefined',
    ],
    ['votes of another policy', 'payload.policy_digest === digest', 'digest !== undefined'],
    ['a decision of another policy', 'quorum.policy_digest === approval.policy_digest', 'true'],
    [
      'a membership that is not there',
      'if (membership === undefined) return false;',
      'if (membership === undefined) return true;',
    ],
    ['a membership that is younger than the vote', 'membership.issuedAt <= issuedAt', 'true'],
    ['the membership of another reviewer', 'principal === payload.reviewer', 'true'],
    ['the membership of another person', 'person === payload.person &&', ''],
    ['a team that the membership lacks', 'team === payload.team &&', ''],
    [
      'groups that the membership lacks',
      'held.size === payload.groups.length &&\n    payload.groups.every((group) => held.has(group))',
      'held.size >= 0',
    ],
    ['a vote before its answer', 'time(after) <= issuedAt', 'true'],
    ['a vote after the deadline', 'issuedAt < time(request.review_deadline)', 'true'],
    [
      'a no that counts as a yes',
      'votes.every((vote) => isNo(vote.payload.decision) === refused)',
      'true',
    ],
    [
      'votes for different answers',
      `vote.payload.candidate_id === payload.candidate_id &&
          vote.payload.candidate_digest === payload.candidate_digest &&`,
      '',
    ],
    [
      'votes for different responses',
      'vote.payload.response_digest === payload.response_digest',
      'true',
    ],
    ['a decision after its last vote', 'last?.issuedAt === issuedAt', 'true'],
    [
      'a threshold of noes that is off by one',
      'counted.length >= approval',
      'counted.length + 1 >= approval',
    ],
    ['a vote in the seat of another group', 'payload.groups.includes(group)', 'true'],
    ['two votes of one team', 'new Set(classes).size === classes.length', 'true'],
    ['a stage that came too early', 'number < vote.payload.number', 'true'],
    ['votes that are counted, not people', 'new Set(persons).size === persons.length &&', ''],
    [
      'people whom the request excludes',
      '!persons.some((person) => approval.excluded.includes(person))',
      'true',
    ],
    [
      'an author where authors do not count',
      '!votes.some(({ reviewer }) => reviewer === author)',
      'true',
    ],
    ['another person than the record names', 'vote.payload.person === said.person', 'true'],
    [
      'a vote that the ledger does not have',
      '(places.get(record) ?? decided) < decided',
      '(places.get(record) ?? 0) < decided',
    ],
  ]),
  ...inFile('verifier/export-votes.ts', [
    [
      'a vote that counts after it ended',
      'quorum?.approvals.every(({ record }) => live?.has(record)) ?? true',
      'true',
    ],
    [
      'two votes of a person at once',
      'if (persons.some((each) => voting.has(each))) return null;',
      '',
    ],
    [
      'the ending of a vote that has ended',
      'if (persons === undefined) return null;',
      'if (persons === undefined) continue;',
    ],
    [
      'votes after the decision',
      "if (tally.phase !== 'collecting') return null;",
      "if (tally.phase !== 'collecting') return tally;",
    ],
    [
      'a later stage that stays when an earlier one opens',
      'reopened = ended.reopened.map(({ id }) => id);',
      '',
    ],
    [
      'votes that decide and no decision',
      "if (receipt === null) return tally.phase === 'collecting';",
      'if (receipt === null) return true;',
    ],
    ['another reviewer than the last one', 'last.payload.reviewer === payload.reviewer &&', ''],
    [
      'other votes than the tally counts',
      'canonicalText(countedIn(tally)) === canonicalText(approvals)',
      'true',
    ],
  ]),
  ...inFile('verifier/export-attention.ts', [
    [
      'attention that is not looked at',
      'if (!asked && attention === null) continue;',
      'if (attention === null) continue;',
    ],
    [
      'attention that nothing asks for',
      'const holds = asked && attention !== null &&',
      'const holds = policy === null ? true : attention !== null &&',
    ],
    ['attention of a no', 'policy !== null && !isNo(decision)', 'policy !== null'],
    [
      'the floor of another policy than that of the request',
      'attention.read_ms >= leastReading(policy, characters)',
      'attention.read_ms >= 0',
    ],
    ['another tier', 'attention.tier === policy.tier', 'true'],
    ['values that were not typed', 'canonicalText(attention.typed) ===', 'true ||'],
    ['a reading before the request', 'time(request.accepted_at) <= materialAt', 'true'],
    ['a reading before the answer', 'time(frozen) <= candidateAt', 'true'],
    [
      'an answer that has not cooled down',
      'candidateAt + policy.cool_down_seconds * 1000 <= offeredAt',
      'candidateAt <= offeredAt',
    ],
    ['attention after the vote', 'offeredAt <= issuedAt', 'true'],
    ['attention of another offer', 'time(stated) === offeredAt', 'true'],
    [
      'a length that nobody can know',
      '!holds || knowsLength',
      '!holds || attention === null || !knowsLength',
    ],
  ]),
  ...inFile('approval/attention.ts', [
    ['a length that does not count', 'Math.min(byLength, MOST_OF_RATE_MS)', '0'],
  ]),
  ...inFile('human-key/statement.ts', [
    [
      'attention that its giver did not sign',
      'vote.attention === null ? null : valueDigest(vote.attention)',
      'null',
    ],
  ]),
  ...inFile('approval/seats.ts', [
    [
      'seats that are filled without moving anybody',
      'if (owner === null || place(owner, visited)) {',
      'if (owner === null) {',
    ],
  ]),
  ...inFile('verifier/export-people.ts', [
    ['votes without a signature', 'human !== null);', 'true);'],
    ['a profile without its policy', 'asked && hasPart', 'asked'],
    ['one signature for two votes', 'isNew && statesVote', 'statesVote'],
    [
      'a statement that is not compared',
      'canonicalText(statement) === canonicalText(expected) &&',
      '',
    ],
    ['a statement after its vote', 'stated <= issuedAt &&', ''],
    ['a statement of long before', 'issuedAt <= stated + STATEMENT_MS', 'true'],
    ['another key than was bound', '&& bound.payload.credential === human.credential', ''],
    ['the key of another principal', 'principal === payload.reviewer &&', ''],
    ['the key of another person', 'person === payload.person &&\n    bound', 'bound'],
    ['a key that was bound after the vote', 'bound.issuedAt <= issuedAt &&', ''],
    ['a key that had ended', '!hasEnded(keyring, bound, issuedAt) &&', ''],
    ['a challenge that is not compared', 'judged.challenge === null && ownOrigin', 'ownOrigin'],
    ['flags that are not looked at', 'judged.flags === null,', 'true,'],
    ['a signature that is not verified', 'judged.signature === null,', 'true,'],
    ['a person who is not pinned', 'pinned !== undefined &&', 'pinned === undefined ||'],
    [
      'another key than the pinned one',
      'pinned.keys.has(thumbprintOf(bound.payload.public_key)) &&',
      '',
    ],
    [
      'a pin of another person',
      '(pinned.person === null || pinned.person === payload.person)',
      'true',
    ],
  ]),
  ...inFile('human-key/fitting.ts', [
    ['a key that can be copied', "(policy.device === 'any' || device_bound) &&", ''],
    ['a model that the policy does not list', ' && policy.aaguids.includes(aaguid)', ''],
    ['a model that was not verified', 'attestation.verified && ', ''],
    [
      'a key without a countersignature',
      "policy.enrolment === 'self' || countersigned_by !== null",
      'true',
    ],
  ]),
  ...inFile('verifier/export-credentials.ts', [
    ['the end of a key', 'issuedAt <= at ||', ''],
    [
      'the time since when a key was in other hands',
      'since !== null && time(since) <= at',
      'false',
    ],
    [
      'an enrolment of another person',
      'canonicalText(statement) === canonicalText(expected) &&\n    time',
      'time',
    ],
    ['a key of another site', 'mayUse(rp_id, origin) &&', ''],
    [
      'an enrolment without a signature',
      'faultOfSigned(statement, enrolment, payload) === null',
      'true',
    ],
    [
      'a countersigner who is missing',
      'if (vouching.length === 0) return null;',
      'if (vouching.length === 0) return true;',
    ],
    ['another countersigner than named', 'subject === operator &&', ''],
    [
      'a person who vouches for themselves',
      "(kind === 'own_credential' ? isSame : kind === 'human' && !isSame) &&\n",
      '',
    ],
    ['a countersigner whose key had ended', '!hasEnded(keyring, key, issuedAt) &&', ''],
    [
      'a countersignature for another enrolment',
      'canonicalText(signature.statement) === canonicalText(expected) &&',
      '',
    ],
  ]),
  ...inFile('human-key/client-data.ts', [
    ['a challenge that is not the statement', "value['challenge'] !== expected.challenge", 'false'],
    ['another origin', "value['origin'] !== expected.origin", 'false'],
    ['the making of a key', "value['type'] !== expected.type", 'false'],
    ['a frame of another site', 'crossOrigin !== undefined && crossOrigin !== false', 'false'],
    ['a page below another site', " || 'topOrigin' in value", ''],
    ['a bound connection', "'tokenBinding' in value ? 'token_binding' : null", 'null'],
    [
      'a member twice',
      'return parseStrictJson(bytes);',
      'return JSON.parse(Buffer.from(bytes).toString()) as JsonValue;',
    ],
  ]),
  ...inFile('human-key/assertion.ts', [
    ['another relying party', '!rpIdHash.equals(data.rpIdHash)', 'false'],
    ['an untouched authenticator', '!data.userPresent', 'false'],
    ['a user who was not verified', '!data.userVerified', 'false'],
    ['another kind of key', 'data.backupEligible === deviceBound', 'false'],
    [
      'the authenticator data alone',
      'Buffer.concat([authenticatorData, clientDataHash])',
      'Buffer.concat([authenticatorData])',
    ],
    ['a key of another algorithm', 'algorithmOf(jwk) === algorithm', 'true'],
  ]),
  ...inFile('human-key/authenticator-data.ts', [
    ['bytes behind the authenticator data', 'if (at !== bytes.length) return null;', ''],
  ]),
  ...inFile('human-key/counter.ts', [['a counter that steps back', 'after > before', 'true']]),
  ...inFile('verifier/range-holds.ts', [
    [
      'a hold that loses a request',
      'set.requests.every(({ id, digest }) => held.get(id) === digest)',
      'true',
    ],
    ['a hold that ends earlier', 'Date.parse(next.until) >= Date.parse(set.until)', 'true'],
    ['a revision of a hold that is left out', 'next.revision === set.revision + 1', 'true'],
    ['a lift by the custodian who set the hold', 'lifted_by !== set_by', 'true'],
    ['a lift that names another custodian', 'known.set.set_by === set_by', 'true'],
    ['a second lift', 'known?.isLifted !== true', 'true'],
    ['material that was discarded while it was held', 'isHeld && !isLifted &&', 'false &&'],
  ]),
  ...inFile('verifier/range.ts', [
    ['a vote by a key that had ended', 'key === human.bound', 'true'],
  ]),
  ...inFile('verifier/range.ts', [
    ['a membership that was replaced', 'known === membership', 'true'],
  ]),
];
