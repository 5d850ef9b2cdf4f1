import type { ChainPoint, Expected, LedgerReason, Verdict } from '@countersign/protocol';

/** What the worker is asked. `trust` is a manifest as it was read, and judged there. */
export type Question =
  | { readonly ask: 'trust'; readonly manifest: string }
  | {
      readonly ask: 'document';
      readonly bytes: Uint8Array<ArrayBuffer>;
      readonly expected: Expected;
    }
  /** A member of the document that was asked about last, by JSON Pointer, as text of at most `most` characters. */
  | { readonly ask: 'part'; readonly path: string; readonly most: number }
  /** Begins a chain anew. */
  | { readonly ask: 'chain' }
  /** The next entries of the chain: the text of a LedgerPage. */
  | { readonly ask: 'entries'; readonly page: string };

export interface TrustAnswer {
  readonly issuer: string;
  readonly keys: number;
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
  readonly records: number;
  readonly fault: {
    readonly sequence: number;
    readonly reason: LedgerReason;
    readonly says: string;
  } | null;
}

export interface Answers {
  readonly trust: TrustAnswer;
  readonly document: Verdict;
  readonly part: Part;
  readonly chain: null;
  readonly entries: ChainAnswer;
}

export type Asked = Question & { readonly number: number };
export type Answered =
  | { readonly number: number; readonly value: Answers[keyof Answers] }
  | { readonly number: number; readonly fault: string };
