import {
  parseStrictJson,
  parseTimestamp,
  readPeople,
  readTrustManifest,
  readWitnessPolicy,
  trustInside,
  verifyDocument,
} from '@countersign/protocol/verifier';
import type {
  AnchorCopies,
  AnchorCopy,
  Expected,
  Trust,
  Verdict,
} from '@countersign/protocol/verifier';

/** A chosen file; `path` is its place in a folder that was chosen as a whole. */
export interface ChosenFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** The verification is impossible; the message is for the person. */
export class CannotVerify extends Error {}

/** Facts about the verifier, as the options of the command. */
export type Knowledge = Partial<
  Record<
    | 'policy'
    | 'fingerprint'
    | 'tenant'
    | 'audience'
    | 'ledger'
    | 'identity'
    | 'nonce'
    | 'binding'
    | 'at'
    | 'received',
    string
  >
>;

/** The files beside the evidence; each is null where none was chosen. */
export interface ChosenFiles {
  /** Null where its fingerprint was typed instead. */
  readonly manifest: Uint8Array | null;
  /** Copies of the anchor store. */
  readonly store: readonly ChosenFile[] | null;
  /** The keys of people that the reader knows. */
  readonly people: Uint8Array | null;
}

/** The verdict of `countersign verify` over these files. */
export function verdictOf(
  document: Uint8Array,
  { manifest, store, people }: ChosenFiles,
  knowledge: Knowledge,
  now: number,
): Verdict {
  const trust = manifest === null ? trustTyped(document, knowledge.fingerprint) : trustIn(manifest);
  return verifyDocument(document, trust, {
    expected: expectedOf(knowledge, now),
    copies: store === null ? null : copiesIn(store),
    witnesses: policyIn(knowledge.policy),
    people: people === null ? null : peopleIn(people),
  });
}

/** The manifest that the evidence carries, if it is the one whose fingerprint was typed. */
function trustTyped(document: Uint8Array, typed = ''): Trust {
  if (typed.trim() === '') {
    throw new CannotVerify('Choose the trust manifest, or type its fingerprint.');
  }
  const found = trustInside(document, typed);
  if ('fault' in found) throw new CannotVerify(found.fault);
  return found.trust;
}

function policyIn(text = '') {
  if (text.trim() === '') return null;
  const { policy, fault } = readWitnessPolicy(text);
  if (policy === null) throw new CannotVerify(`The witness policy: ${fault}`);
  return policy;
}

function peopleIn(file: Uint8Array) {
  const read = readPeople(strictJson(file, 'list of people'));
  if (read.people === null) throw new CannotVerify(`The list of people: ${read.fault}`);
  return read.people;
}

function strictJson(file: Uint8Array, name: string): unknown {
  try {
    return parseStrictJson(file);
  } catch {
    throw new CannotVerify(`The ${name} is not strict JSON.`);
  }
}

function trustIn(manifest: Uint8Array) {
  const { trust, faults } = readTrustManifest(strictJson(manifest, 'trust manifest'));
  if (trust === null) throw new CannotVerify(faults.map(({ message }) => message).join(' '));
  return trust;
}

function expectedOf(given: Knowledge, now: number): Expected {
  const text = (name: keyof Knowledge): string | undefined => given[name]?.trim() || undefined;
  const time = (name: 'at' | 'received'): number | undefined => {
    const value = text(name);
    const parsed = value === undefined ? undefined : parseTimestamp(value);
    if (parsed === null) {
      throw new CannotVerify(`${value}: not a time such as 2026-05-01T09:00:00Z.`);
    }
    return parsed;
  };
  const expected = {
    now: time('at') ?? now,
    receivedAt: time('received'),
    audience: text('audience'),
    tenant: text('tenant'),
    ledgerId: text('ledger'),
    executionIdentity: text('identity'),
    nonce: text('nonce'),
    bindingDigest: text('binding'),
  };
  return Object.fromEntries(
    Object.entries(expected).filter(([, value]) => value !== undefined),
  ) as Expected;
}

const KEY = /(?:^|\/)((checkpoints|security)\/([0-9a-f-]{36})\/([0-9a-f-]{36})\/(\d{16})\.json)$/;

/** A copy of the anchor store: files under `checkpoints/<ledger>/<generation>/<sequence>.json`, and under `security/`. */
function copiesIn(files: readonly ChosenFile[]): AnchorCopies {
  if (!files.some(({ path }) => /(?:^|\/)checkpoints\//.test(path))) {
    throw new CannotVerify('The chosen folder holds no anchor store; it would hold checkpoints/…');
  }
  return { ...copiesBelow('checkpoints', files), security: copiesBelow('security', files) };
}

function copiesBelow(folder: string, files: readonly ChosenFile[]): AnchorCopies {
  const copies = files.flatMap(({ path, bytes }): (AnchorCopy & { ledgerId: string })[] => {
    const [, key = '', of, ledgerId = '', generation = '', number = ''] = KEY.exec(path) ?? [];
    return of === folder ? [{ key, ledgerId, generation, sequence: Number(number), bytes }] : [];
  });
  return {
    copy: (ledgerId, generation, sequence) =>
      copies.find(
        (copy) =>
          copy.ledgerId === ledgerId &&
          copy.generation === generation &&
          copy.sequence === sequence,
      ) ?? null,
    within: (ledgerId, from, to) =>
      copies
        .filter((copy) => copy.ledgerId === ledgerId)
        .filter(({ sequence }) => sequence >= from && sequence <= to)
        .sort((a, b) => a.sequence - b.sequence),
  };
}
