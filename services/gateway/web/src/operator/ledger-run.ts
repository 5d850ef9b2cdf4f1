import { Problem } from '../api/problem.js';
import type { ChainAnswer } from '../verifying/messages.js';
import type { Verifier } from '../verifying/verifier.js';

export interface Progress {
  readonly entries: number;
  readonly records: number;
  readonly head: string;
  readonly sequence: number;
}

export type Ending =
  | { readonly how: 'holds' | 'stopped'; readonly progress: Progress }
  | {
      readonly how: 'fails';
      readonly progress: Progress;
      readonly sequence: number;
      readonly says: string;
    }
  | { readonly how: 'broken'; readonly progress: Progress; readonly fault: unknown };

export const NOTHING: Progress = { entries: 0, records: 0, head: '', sequence: 0 };

export interface Run {
  /** The text of the page behind an entry. */
  readonly page: (after: number, signal: AbortSignal) => Promise<string>;
  readonly verifier: Pick<Verifier, 'ask'>;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
  /** Milliseconds between pages, so that verifying leaves room for other calls of this person (contract §9.4). */
  readonly pause: (milliseconds: number) => Promise<void>;
}

/** Fifteen pages a second at most: three quarters of what one person may call. */
const BETWEEN_MS = 66;

/**
 * Verifies the chain page by page, from where `from` ended: the next page is on its way while the last one is verified. A
 * page that is not let through for its rate is asked for again when the service says so.
 */
export async function verifyChain(run: Run, from: Progress = NOTHING): Promise<Ending> {
  const { verifier, signal, onProgress, pause } = run;
  let progress = from;
  const next = async (after: number): Promise<string> => {
    for (;;) {
      try {
        return await run.page(after, signal);
      } catch (fault) {
        if (!(fault instanceof Problem) || fault.retryAfter === null || signal.aborted) throw fault;
        await pause(fault.retryAfter * 1000);
      }
    }
  };
  try {
    let coming = next(progress.sequence);
    for (;;) {
      const page = await coming;
      if (signal.aborted) return { how: 'stopped', progress };
      const last = lastOf(page);
      if (last !== null) {
        coming = pause(BETWEEN_MS).then(() => next(last));
        // Whoever does not wait for it any more is not told of its fault.
        coming.catch(() => {});
      }
      const answer: ChainAnswer = await verifier.ask({ ask: 'entries', page });
      const { end, fault } = answer;
      progress = {
        entries: progress.entries + answer.entries,
        records: progress.records + answer.records,
        head: end.head,
        sequence: end.sequence,
      };
      if (fault !== null) {
        return { how: 'fails', progress, sequence: fault.sequence, says: fault.says };
      }
      onProgress(progress);
      if (answer.entries === 0) return { how: 'holds', progress };
      if (signal.aborted) return { how: 'stopped', progress };
    }
  } catch (fault) {
    return signal.aborted ? { how: 'stopped', progress } : { how: 'broken', progress, fault };
  }
}

/** The number of a page's last entry without reading all of it: pages may hold megabytes. */
function lastOf(page: string): number | null {
  const numbers = page.lastIndexOf('"sequence":"');
  const found = /^"sequence":"(\d{1,16})"/.exec(page.slice(numbers, numbers + 40));
  return found === null ? null : Number(found[1]);
}
