import { DOCUMENT_BYTES } from '../constants.js';
import type { PinnedPeople } from '../human-key/index.js';
import { BODY_BOUNDS } from '../json/strict-reader.js';
import type { JsonBounds } from '../json/strict-reader.js';
import { MAX_JSON_DEPTH } from '../json/value.js';
import { createSchemaCache } from '../response-schema/index.js';
import type { SchemaCache } from '../response-schema/index.js';
import type { WitnessPolicy } from '../merkle/witness-policy.js';
import type { Trust, Verification } from '../signing/index.js';
import { newFindings } from './findings.js';
import type { Findings } from './findings.js';

/** Limits on the cost of a hostile document. An export of the largest material and all its admissions stays below. */
export const DOCUMENT_LIMITS = {
  bytes: DOCUMENT_BYTES,
  /** Records, ledger entries or nodes of one document. */
  entries: 100_000,
} as const;

/** Limits on a document, checked before any of it is built (R35). */
export const DOCUMENT_BOUNDS: JsonBounds = {
  /** A body's 64 levels, and those of the documents around it (protocol §2.1). */
  depth: MAX_JSON_DEPTH + 8,
  /**
   * Several times a body's: an export holds the request's payload, the frozen answer, reports of the executor with up to
   * 500,000 values each, and 64 admissions with their proofs; 100,000 ledger entries are a million.
   */
  values: 4 * BODY_BOUNDS.values,
  /** Every object came in a body, or is far smaller. */
  members: BODY_BOUNDS.members,
};

/** Facts that the verifier knows from elsewhere. An absent one is not compared, and the verdict says so. */
export interface Expected {
  readonly tenant?: string;
  /** Id of the record's addressee, usually the producer. */
  readonly audience?: string;
  readonly ledgerId?: string;
  readonly executionIdentity?: string;
  readonly nonce?: string;
  /** Digest of the execution that the executor is about to start. */
  readonly bindingDigest?: string;
  /** Epoch milliseconds: records from more than 30 s later are refused. */
  readonly now?: number;
  /** Epoch milliseconds: when a webhook body came in. */
  readonly receivedAt?: number;
}

/** A checkpoint as the anchor store holds it. */
export interface AnchorCopy {
  readonly key: string;
  readonly generation: string;
  readonly sequence: number;
  readonly bytes: Uint8Array;
}

/** Copies that the verifier itself fetched from the anchor store (protocol §4.3.5), not those that the service shows. */
export interface AnchorCopies {
  copy(ledgerId: string, generation: string, sequence: number): AnchorCopy | null;
  /** All copies of a ledger from one sequence to another, in their order. */
  within(ledgerId: string, from: number, to: number): readonly AnchorCopy[];
  /** The same of the checkpoints of security logs, where the store has them. */
  readonly security?: Pick<AnchorCopies, 'within'>;
}

/**
 * Results that hold for all documents under one trust manifest: verified signatures and compiled schemas. Never share it
 * between manifests.
 */
export interface VerifierMemory {
  readonly verified: Map<string, Verification>;
  /** Digests of texts that are canonical. */
  readonly canonical: Set<string>;
  readonly schemas: SchemaCache;
}

export function newVerifierMemory(): VerifierMemory {
  return { verified: new Map(), canonical: new Set(), schemas: createSchemaCache() };
}

/** Everything that the checks of one document share. */
export interface VerifierContext {
  readonly trust: Trust;
  readonly expected: Expected;
  readonly copies: AnchorCopies | null;
  readonly witnesses?: WitnessPolicy | null;
  /** The keys of people that the reader knows from elsewhere; null without them. */
  readonly people?: PinnedPeople | null;
  /** What the tree beside the chain shows; null without one. */
  readonly log?: { readonly holdsEntries: boolean; readonly isWitnessed: boolean } | null;
  readonly memory: VerifierMemory;
  readonly findings: Findings;
}

export function newContext(
  trust: Trust,
  options: {
    expected?: Expected;
    copies?: AnchorCopies | null;
    witnesses?: WitnessPolicy | null;
    people?: PinnedPeople | null;
    memory?: VerifierMemory;
  },
): VerifierContext {
  return {
    trust,
    expected: options.expected ?? {},
    copies: options.copies ?? null,
    witnesses: options.witnesses ?? null,
    people: options.people ?? null,
    log: null,
    memory: options.memory ?? newVerifierMemory(),
    findings: newFindings(),
  };
}
