import type {
  ChainPoint,
  Expected,
  ReportSection,
  RequestStatus,
  Verdict,
} from '@countersign/protocol';

import type { Judgement } from '../seal/judgement.js';

/** The questions to the worker. `trust` is a manifest as it was read, and checked there. */
export type Question =
  | { readonly ask: 'trust'; readonly manifest: string }
  /** The evidence of a request, and the status of it that the page shows; with its manifest, as another question may come between. */
  | {
      readonly ask: 'evidence';
      readonly bytes: Uint8Array<ArrayBuffer>;
      readonly shown: RequestStatus;
      readonly manifest: string;
      /** The manifest has to have it; empty for any. */
      readonly fingerprint: string;
      /** Text of the reader's witness policy; empty without one. */
      readonly policy: string;
      readonly now: number;
    }
  | {
      readonly ask: 'document';
      readonly bytes: Uint8Array<ArrayBuffer>;
      readonly expected: Expected;
      /** Text of the reader's witness policy; empty without one. */
      readonly policy: string;
    }
  /** A member of the document that was asked about last, by JSON Pointer, as text of at most `most` characters. */
  | { readonly ask: 'part'; readonly path: string; readonly most: number }
  /** Begins a chain anew. */
  | { readonly ask: 'chain' }
  /** The next entries of the chain: the text of a LedgerPage. */
  | { readonly ask: 'entries'; readonly page: string }
  /** The next entries of the security log of a tenant: the text of SecurityPages. */
  | { readonly ask: 'log'; readonly page: string; readonly tenant: string };

export interface TrustAnswer {
  readonly issuer: string;
  readonly keys: number;
  /** Of the manifest, as hex and as words. */
  readonly fingerprint: string;
  readonly words: string;
}

export interface EvidenceAnswer {
  readonly judgement: Judgement;
  readonly trust: TrustAnswer;
  /** The verdict in the order of the command, without its hints. */
  readonly sections: readonly ReportSection[];
  readonly gone: readonly string[];
  readonly checks: number;
}

export interface Part {
  /** Null when there is no such member. */
  readonly text: string | null;
  readonly cut: boolean;
}

export interface ChainAnswer {
  readonly end: ChainPoint;
  /** Of the page that was given. */
  readonly entries: number;
  /** Of records or checkpoints, each good. */
  readonly signatures: number;
  readonly fault: { readonly sequence: number; readonly says: string } | null;
}

export interface LogAnswer extends ChainAnswer {
  /** Of the page's entries, in their order. */
  readonly heads: readonly string[];
  /** The last entry of the page that a checkpoint covers; 0 without one. */
  readonly covered: number;
}

export interface Answers {
  readonly trust: TrustAnswer;
  readonly document: Verdict;
  readonly evidence: EvidenceAnswer;
  readonly part: Part;
  readonly chain: null;
  readonly entries: ChainAnswer;
  readonly log: LogAnswer;
}

export type Asked = Question & { readonly number: number };
export type Answered =
  | { readonly number: number; readonly value: Answers[keyof Answers] }
  | { readonly number: number; readonly fault: string };
