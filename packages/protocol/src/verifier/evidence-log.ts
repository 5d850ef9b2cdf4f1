import { HASH_BYTES, treeEntry } from '../merkle/hash.js';
import type { NoteKey } from '../merkle/note.js';
import { noteKeyId, readNote } from '../merkle/note.js';
import { decodeBase64 } from '../merkle/note.js';
import { sharedRoots } from '../merkle/shared-proof.js';
import { signersOf } from '../merkle/witness-policy.js';
import {
  cosignaturesOf,
  logKey,
  readTreeHead,
  treeOrigin,
  verifyCheckpoint,
} from '../merkle/checkpoint.js';
import type { Cosignature, TreeHead } from '../merkle/checkpoint.js';
import type { AnchorProof, AuditCheckpoint, Evidence } from '../records/index.js';
import { serviceOfKey } from '../signing/policy.js';
import type { Trust } from '../signing/trust-manifest.js';
import type { VerifierContext } from './context.js';
import { plainText } from './plain-text.js';
import { expectLedger } from './proof.js';

type Entries = NonNullable<Evidence['export']>['audit'];

/** What the tree of a document shows. */
export interface CheckedLog {
  /** Every entry of the request lies in it. */
  readonly holdsEntries: boolean;
  /** The witnesses that the reader asks for have signed it. */
  readonly isWitnessed: boolean;
}

interface Head extends TreeHead {
  readonly text: string;
  readonly ledgerId: string;
  readonly generation: string;
  readonly cosignatures: readonly Cosignature[];
}

const ORIGIN_END = /\/log\/([0-9a-f-]{36})\/([0-9a-f-]{36})$/;

/**
 * The tree beside the chain (protocol §3.6 Evidence): the checkpoint is the log's, every entry of the request lies in it, it grew
 * out of the one under which the grant opened, and enough witnesses have seen it grow.
 */
export function checkLog(
  context: VerifierContext,
  { log }: Evidence,
  entries: Entries,
  anchor: AnchorProof | null,
): CheckedLog {
  const { findings } = context;
  const head = checkHead(context, log.checkpoint, '/log/checkpoint');
  const opening = log.opening === null ? null : checkHead(context, log.opening, '/log/opening');
  if (head === null || (log.opening !== null && opening === null)) {
    return { holdsEntries: false, isWitnessed: false };
  }
  expectLedger(context, head.ledgerId, '/log/checkpoint');
  const anchored = anchor?.checkpoint.payload as AuditCheckpoint | undefined;
  if (anchored !== undefined && anchored.ledger_id !== head.ledgerId) {
    const detail = 'The checkpoint of the anchor store is of another ledger.';
    findings.check('log_checkpoint', '/log/checkpoint', false, { detail });
  }
  const isWitnessed = checkWitnesses(context, head, anchor !== null);
  const grows = checkSizes(context, head, opening);
  const proof = anchored?.generation === head.generation ? (anchor as AnchorProof).proof : [];
  const holdsEntries =
    grows && checkEntriesInTree(context, log.nodes, { head, opening, entries, proof });
  return { holdsEntries, isWitnessed };
}

/** A checkpoint's signature and origin; null when it is not the log's. */
function checkHead(context: VerifierContext, text: string, path: string): Head | null {
  const { trust, findings, witnesses } = context;
  const note = readNote(text);
  const head = note === null ? null : readTreeHead(note.body);
  const fail = (detail: string): null => {
    findings.check('log_checkpoint', path, false, { detail });
    return null;
  };
  if (note === null || head === null) return fail('It is malformed.');
  const [, ledgerId = '', generation = ''] = ORIGIN_END.exec(head.origin) ?? [];
  if (head.origin !== treeOrigin(trust.issuer, ledgerId, generation)) {
    return fail(
      `Its origin is ${plainText(head.origin)}, which is no log of ${plainText(trust.issuer)}.`,
    );
  }
  const known = witnesses?.logs ?? [];
  if (known.length > 0 && !known.some((key) => verifyCheckpoint(text, key) !== null)) {
    return fail('The witness policy names other logs.');
  }
  const signedBy = keysOf(head.origin, trust).filter(
    ({ key }) => verifyCheckpoint(text, key) !== null,
  );
  if (signedBy.length === 0) return fail('No key of the ledger service has signed it.');
  const cosignatures = cosignaturesOf(note.body, note.signatures, witnesses?.witnesses ?? []);
  // A note does not say when it was signed: only a witness can tell that a revoked key was still good.
  const dated = signedBy.some(
    ({ revokedAt }) =>
      revokedAt === null || cosignatures.some(({ time }) => time * 1000 < revokedAt),
  );
  if (dated) findings.check('log_checkpoint', path, true);
  else {
    findings.unknown('log_checkpoint', path, {
      says: 'The key that signed it was revoked, and no witness says that it was signed before.',
    });
  }
  checkOtherLines(
    context,
    note,
    signedBy.map(({ key }) => key),
    path,
  );
  return { ...head, text, ledgerId, generation, cosignatures };
}

/** The keys whose signature a tree's head may carry (protocol R36). */
function keysOf(origin: string, { keys }: Trust) {
  return [...keys]
    .filter(([keyId]) => [null, 'ledger'].includes(serviceOfKey(keyId)))
    .map(([, { publicKey, revokedAt }]) => ({ key: logKey(origin, publicKey), revokedAt }));
}

/** A known key's line must be good; lines of unknown keys prove nothing, and the verdict says so. */
function checkOtherLines(
  { findings, witnesses }: VerifierContext,
  note: NonNullable<ReturnType<typeof readNote>>,
  logs: readonly NoteKey[],
  path: string,
): void {
  const isOf = (name: string, keyId: string) => (key: NoteKey) =>
    key.name === name && noteKeyId(key) === keyId;
  const strangers: string[] = [];
  for (const signature of note.signatures) {
    const { name, keyId, line } = signature;
    const witness = witnesses?.witnesses.find(isOf(name, keyId));
    if (witness !== undefined) {
      if (cosignaturesOf(note.body, [signature], [witness]).length === 0) {
        const detail = `The line of ${plainText(name)} is not its signature.`;
        findings.check('log_witnesses', path, false, { detail });
      }
      continue;
    }
    const log = logs.find(isOf(name, keyId));
    const alone = `${note.body}\n${line}\n`;
    if (log !== undefined && verifyCheckpoint(alone, log) !== null) continue;
    strangers.push(plainText(name));
  }
  if (strangers.length > 0) {
    const says = `It carries signatures of keys that were not given, which were not verified: ${[...new Set(strangers)].join(', ')}.`;
    findings.uncovered.push({ path, says });
  }
}

function checkWitnesses(context: VerifierContext, head: Head, isAnchored: boolean): boolean {
  const { findings, witnesses, copies } = context;
  const path = '/log/checkpoint';
  if (!witnesses) {
    findings.skipped('log_witnesses', path, {
      says: 'No witness policy was given, so no witness of the log was asked for.',
      // A copy of the anchor store vouches as well.
      decisive: copies === null || !isAnchored,
    });
    return false;
  }
  const signed = signersOf(witnesses, head.cosignatures);
  const names = head.cosignatures.map(({ witness }) => plainText(witness)).join(', ');
  if (!witnesses.isMet(signed)) {
    const who = names === '' ? 'None of them has signed.' : `Signed has only: ${names}.`;
    findings.unknown('log_witnesses', path, {
      says: `The policy wants ${plainText(witnesses.rule)}. ${who}`,
    });
    return false;
  }
  if (signed.size === 0) {
    findings.unknown('log_witnesses', path, {
      says: 'The policy asks for no witness, so the log has no voucher outside the service.',
      decisive: copies === null || !isAnchored,
    });
    return false;
  }
  const detail = `Signed have: ${names}; the policy wants ${plainText(witnesses.rule)}.`;
  return findings.check('log_witnesses', path, true, { detail });
}

/** Two heads of one log: one must be a prefix of the other. */
function checkSizes({ findings }: VerifierContext, head: Head, opening: Head | null): boolean {
  if (opening === null) return true;
  const fail = (detail: string): false => {
    findings.check('log_growth', '/log/opening', false, { detail });
    return false;
  };
  if (opening.origin !== head.origin) return fail('They are of two logs.');
  if (opening.size > head.size) {
    return fail(
      `The log was rolled back from ${opening.size} to ${head.size} entries.${bothBy(head, opening)}`,
    );
  }
  if (opening.size === head.size) {
    const same = opening.root.equals(head.root);
    return fail(
      same
        ? 'It is the same checkpoint twice.'
        : `The log has two heads of ${head.size} entries: it was forked.${bothBy(head, opening)}`,
    );
  }
  return true;
}

/** Names the witnesses that signed two heads of which only one can be right. */
function bothBy(head: Head, opening: Head): string {
  const names = head.cosignatures
    .filter(({ keyId }) => opening.cosignatures.some((other) => other.keyId === keyId))
    .map(({ witness }) => plainText(witness));
  return names.length === 0
    ? ''
    : ` Both are signed by ${names.join(', ')}, which a witness must never do.`;
}

interface InTree {
  readonly head: Head;
  readonly opening: Head | null;
  readonly entries: Entries;
  readonly proof: AnchorProof['proof'];
}

function checkEntriesInTree(
  { findings }: VerifierContext,
  text: string,
  { head, opening, entries, proof }: InTree,
): boolean {
  const fail = (detail: string): false => {
    findings.check('log_entries', '/log/nodes', false, { detail });
    return false;
  };
  const leaves = new Map<number, Buffer>();
  for (const { sequence, record_digest } of [...entries, ...proof]) {
    const index = Number(sequence) - 1;
    const digest = digestOrNull(record_digest);
    if (!Number.isSafeInteger(index) || index < 0 || digest === null) {
      return fail(`The entry ${plainText(String(sequence))} has no place in a tree.`);
    }
    if (index >= head.size) {
      return fail(`The tree has ${head.size} entries and so ends before entry ${index + 1}.`);
    }
    const known = leaves.get(index);
    if (known !== undefined && !known.equals(digest)) {
      return fail(`The file has two records at entry ${index + 1}.`);
    }
    leaves.set(index, digest);
  }
  const bytes = decodeBase64(text);
  if (bytes === null || bytes.length % HASH_BYTES !== 0) return fail('The hashes are malformed.');
  const nodes = Array.from({ length: bytes.length / HASH_BYTES }, (_, at) =>
    bytes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES),
  );
  const roots = sharedRoots(leaves, { size: head.size, earlier: opening?.size ?? null }, nodes);
  if (roots === null) return fail('It has too few or too many hashes for these entries.');
  const leads = roots.root.equals(head.root);
  const isPrefix = opening === null || (roots.earlierRoot?.equals(opening.root) ?? false);
  if (leads) {
    findings.check('log_entries', '/log/nodes', true, {
      detail: `${entries.length} of ${entries.length} entries, in a tree of ${head.size}.`,
    });
    if (opening !== null) {
      findings.check(
        'log_growth',
        '/log/opening',
        isPrefix,
        isPrefix
          ? {}
          : {
              detail: `The tree of ${opening.size} entries is not the beginning of the one of ${head.size}: the log was forked, or the proof is of another one.${bothBy(head, opening)}`,
            },
      );
    }
    return isPrefix;
  }
  return fail('The proof is of other entries or of another tree.');
}

function digestOrNull(text: string): Buffer | null {
  try {
    return treeEntry(text);
  } catch {
    return null;
  }
}
