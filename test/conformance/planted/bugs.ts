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
];
