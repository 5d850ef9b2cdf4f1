import type { DecisionCandidate, DecisionRequest } from '@countersign/protocol';

import type { Comparison } from '../compare/compare.js';
import type { ProblemParts } from '../api/problem.js';
import type { TextRow } from './lines.js';
import type { TableHead, TableOrder, TablePage } from './tables.js';
import type { TreeRow } from './tree.js';

/** A digest as it was promised, and whether the browser came to the same. */
export interface CheckedDigest {
  readonly promised: string;
  readonly matches: boolean;
}

/** All of the material but its two large parts, which stay in the worker. */
export interface MaterialHead {
  readonly request: DecisionRequest;
  readonly requestDigest: CheckedDigest;
  readonly schema: unknown;
  readonly schemaDigest: CheckedDigest;
  readonly candidate: DecisionCandidate | null;
  readonly document: {
    /** The whole text when it is short enough to be shown at once; else null. */
    readonly text: string | null;
    readonly length: number;
    readonly digest: CheckedDigest;
  };
  readonly payload: { readonly bytes: number; readonly digest: CheckedDigest };
}

export interface Hint {
  /** JSON pointer of the member it is about; '' for the whole response. */
  readonly place: string;
  readonly text: string;
}

/** The questions to the worker, and its answers. */
export interface Questions {
  load: { ask: { path: string }; answer: MaterialHead };
  tree: { ask: { from: number; count: number }; answer: { rows: TreeRow[]; length: number } };
  toggle: { ask: { id: number }; answer: { place: number; length: number } };
  searchTree: { ask: { text: string }; answer: { matches: number } };
  revealTree: { ask: { match: number }; answer: { place: number; length: number } };
  tables: { ask: Record<string, never>; answer: { tables: readonly TableHead[] } };
  tableRows: {
    ask: { table: number; from: number; count: number; text: string; order: TableOrder | null };
    answer: TablePage;
  };
  wrap: { ask: { columns: number }; answer: { length: number; lines: number } };
  text: { ask: { from: number; count: number }; answer: { rows: TextRow[] } };
  searchText: { ask: { text: string }; answer: { matches: number } };
  revealText: { ask: { match: number }; answer: { place: number } };
  part: { ask: { name: 'document' | 'payload' }; answer: { blob: Blob } };
  compare: { ask: { path: string }; answer: Comparison };
  check: { ask: { response: unknown }; answer: { hints: Hint[] } };
}

export type Question = keyof Questions;

export interface Asked {
  readonly number: number;
  readonly question: Question;
  readonly given: unknown;
}

export type Answered =
  | { readonly number: number; readonly answer: unknown }
  | { readonly number: number; readonly problem: ProblemParts }
  | { readonly number: number; readonly unanswered: true }
  | { readonly number: number; readonly broken: string };
