import type { AnchorCopies, AnchorCopy, Trust } from '@countersign/protocol';

/** All faults, each in one sentence. */
export const FSCK_FAULTS = {
  chain_gap: 'An entry of the chain is missing.',
  chain_link: 'An entry does not continue the one before it.',
  chain_head: 'The head of an entry is not that of its content.',
  ledger_end: 'The ledger says that it ends elsewhere than its entries do.',
  record_missing: 'An entry has no record.',
  record_text: 'The text of a record is not what was chained.',
  record_form: 'The text of a record is no record.',
  record_header: 'A record is kept under another type, request or tenant than it says.',
  record_signature: 'The signature of a record does not verify.',
  record_lost: 'A record was committed, and is neither chained nor waiting to be.',
  record_twice: 'A record is in the chain twice, or waits though it is chained.',
  text_missing: 'The text of a record is gone, but its request is not.',
  request_missing: 'A request is gone, but its records are not.',
  request_altered: 'A request is not what its digest, its receipt or its columns say.',
  material_differs: 'Private material is not what the request was made with.',
  event_revision: 'The events of a request leave a revision out or repeat one.',
  event_state: 'An event follows another that it cannot follow.',
  state_differs: 'A request is in another state than its records lead to.',
  pointer_differs: 'A request names another receipt, claim, outcome or anchor than the ledger has.',
  nonce_differs: 'The spent nonces of a request are not those of its admissions.',
  occurrence_differs: 'What was consumed is not what was claimed.',
  vote_numbers: 'The votes and endings of a request leave a number out or repeat one.',
  vote_differs:
    'A vote of a request, or a person who has one, is kept otherwise than its records say.',
  vote_evidence: 'A vote names a membership that is not kept with its request.',
  quorum_differs: 'The quorum of a request is not what its policy, its votes and its receipt say.',
  hold_differs: 'A legal hold is kept otherwise than its records say.',
  held_missing: 'A request that a legal hold keeps is gone, or its material was deleted since.',
  hidden_early: 'A request is hidden that no legal hold keeps past its time.',
  feed_missing: 'An event is chained and not in its owner’s feed.',
  feed_unknown: 'A feed has what is no event of its owner in the chain.',
  feed_order: 'A feed has events in another order than the chain.',
  feed_numbers: 'The numbers that feeds have given are not those of the events in the chain.',
  checkpoint_altered:
    'A checkpoint does not say what it is kept as, or its signature does not verify.',
  checkpoint_off_chain: 'A checkpoint does not lie on the chain.',
  checkpoint_gap: 'Checkpoints are missing, or stand further apart than they may.',
  acceptance_altered: 'An acceptance is not of its checkpoint.',
  anchor_missing: 'The anchor store does not have a checkpoint that it accepted.',
  anchor_differs: 'The anchor store has another checkpoint in the same place.',
  anchor_ahead: 'The anchor store has a checkpoint that the database does not know.',
  tree_size: 'The tree is not as large as it says, or larger than what is anchored.',
  tree_tile: 'A tile of the tree is not what its entries hash to.',
  tree_head:
    'A checkpoint of the tree does not have the root of the tree, or its signature does not verify.',
  security_chain:
    'An entry of a security log does not continue the one before it, or is not what was chained.',
  security_end: 'A security log says that it ends elsewhere than its entries do.',
  security_columns: 'An entry of a security log is found by what it does not say.',
  security_checkpoint:
    'A checkpoint of a security log is missing, does not lie on it, or its signature does not verify.',
  security_anchor:
    'The anchor store does not have a checkpoint of a security log that it accepted, or has another one.',
  security_ahead:
    'The anchor store has a checkpoint of a security log that the database does not know.',
} as const;
export type FsckFault = keyof typeof FSCK_FAULTS;

export interface FsckFinding {
  readonly fault: FsckFault;
  readonly tenant: string;
  /** An id, a place in the chain or a key: never anything private. */
  readonly about: string;
}

/** Counts of the checked parts, so that an empty check does not look like success. */
export interface FsckCounts {
  entries: number;
  signatures: number;
  requests: number;
  events: number;
  checkpoints: number;
  anchors: number;
  tiles: number;
  treeHeads: number;
  securityEntries: number;
}

export interface FsckResult {
  readonly counts: Readonly<FsckCounts>;
  /** How often each fault was found. */
  readonly faults: Readonly<Partial<Record<FsckFault, number>>>;
  /** The first of each fault. */
  readonly findings: readonly FsckFinding[];
}

/** The anchor store, read beside the service: from a folder at once, from a bucket later. */
export interface FsckCopies {
  copy(...place: Parameters<AnchorCopies['copy']>): AnchorCopy | null | Promise<AnchorCopy | null>;
  within(
    ...stretch: Parameters<AnchorCopies['within']>
  ): readonly AnchorCopy[] | Promise<readonly AnchorCopy[]>;
  /** The same of the checkpoints of security logs. */
  readonly security?: Pick<FsckCopies, 'within'>;
}

export interface FsckOptions {
  /** Keys that signatures are verified with; without them they are not. */
  readonly trust: Trust | null;
  /** The anchor store, read beside the service; without it it is not compared. */
  readonly copies: FsckCopies | null;
  /** Entries, requests, feed events and checkpoints done, of so many. */
  readonly progress?: (done: number, of: number) => void;
}

const MOST_OF_A_FAULT = 20;

/** Findings of a run, up to a readable number. */
export class Findings {
  readonly counts: FsckCounts = {
    ...{ entries: 0, signatures: 0, requests: 0, events: 0 },
    ...{ checkpoints: 0, anchors: 0, tiles: 0, treeHeads: 0, securityEntries: 0 },
  };
  readonly #faults = new Map<FsckFault, number>();
  readonly #found: FsckFinding[] = [];
  #done = 0;

  constructor(
    readonly options: FsckOptions,
    private readonly total: number,
  ) {}

  add(fault: FsckFault, tenant: string, about: string | number): void {
    const many = (this.#faults.get(fault) ?? 0) + 1;
    this.#faults.set(fault, many);
    if (many <= MOST_OF_A_FAULT) this.#found.push({ fault, tenant, about: String(about) });
  }

  /** Adds the fault unless that holds. */
  check(holds: boolean, fault: FsckFault, tenant: string, about: string | number): boolean {
    if (!holds) this.add(fault, tenant, about);
    return holds;
  }

  advance(by: number): void {
    this.#done += by;
    this.options.progress?.(Math.min(this.#done, this.total), this.total);
  }

  result(): FsckResult {
    return {
      counts: this.counts,
      faults: Object.fromEntries(this.#faults),
      findings: this.#found,
    };
  }
}
