import {
  readPeople,
  readTrustManifest,
  verdictText as textOf,
  verifyDocument,
} from '@countersign/protocol/verifier';

import { ConfigurationInvalid } from './errors.js';
import type { TrustManifest } from './generated/records.js';
import type { Verdict } from './generated/verdict.js';

export { ConfigurationInvalid } from './errors.js';
export type * from './generated/verdict.js';

/** Facts that the verifier knows from elsewhere. An absent one is not compared, and the verdict says so. */
export interface ExpectedExport {
  readonly tenant?: string;
  /** Id of the producer. */
  readonly audience?: string;
  readonly ledgerId?: string;
  readonly executionIdentity?: string;
  readonly nonce?: string;
  /** Digest of the execution. */
  readonly bindingDigest?: string;
  /** Epoch milliseconds: records from more than 30 s later are refused. */
  readonly now?: number;
}

/** A checkpoint as the anchor store holds it. */
export interface StoredCopy {
  readonly key: string;
  readonly generation: string;
  readonly sequence: number;
  readonly bytes: Uint8Array;
}

/** What the program itself read of the anchor store, such as `fileAnchorStore` of the entry `node`. */
export interface StoredCopies {
  copy(ledgerId: string, generation: string, sequence: number): StoredCopy | null;
  within(ledgerId: string, from: number, to: number): readonly StoredCopy[];
}

/** The keys that a person signs with (docs/protocol/19-keys-of-people.md), as an entry of people.json. */
export interface PinnedPerson {
  /** Id of the reviewer. */
  readonly principal: string;
  /** Digest of the person; any when not given. */
  readonly person?: string;
  /** RFC 7638 thumbprints. */
  readonly keys: readonly string[];
}

export interface ExportOptions {
  /** The pinned trust manifest. */
  readonly trust: TrustManifest;
  readonly expected?: ExpectedExport;
  /** Without it the verdict is incomplete at best. */
  readonly copies?: StoredCopies | null;
  /** Whose keys the program knows itself; without them the directory of the service says whose key a signature is of. */
  readonly people?: readonly PinnedPerson[] | undefined;
}

/**
 * The offline verifier (docs/verify.md), of audit exports and of every other signed document. A document that cannot be read
 * is a verdict too.
 *
 * @throws ConfigurationInvalid for the manifest and the people
 */
export function verifyExport(
  document: Uint8Array | string,
  { trust: manifest, expected = {}, copies = null, people }: ExportOptions,
): Verdict {
  const { trust, faults } = readTrustManifest(manifest);
  if (trust === null)
    throw new ConfigurationInvalid(
      'trust',
      `cannot be used: ${faults.map(({ message }) => message).join(' ')}`,
    );
  const pinned = people === undefined ? { people: null } : readPeople(people);
  if ('fault' in pinned)
    throw new ConfigurationInvalid('people', `cannot be used: ${pinned.fault}`);
  return verifyDocument(document, trust, { expected, copies, people: pinned.people });
}

/** A verdict in the words of `countersign verify`; with `details` every check too. */
export function verdictText(
  verdict: Verdict,
  options: { readonly details?: boolean } = {},
): string {
  return textOf(verdict, options);
}
