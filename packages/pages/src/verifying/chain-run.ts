import { Problem } from '../api/problem.js';
import type { ChainAnswer } from './messages.js';

export interface Progress {
  readonly entries: number;
  readonly signatures: number;
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

export const NOTHING: Progress = { entries: 0, signatures: 0, head: '', sequence: 0 };

export interface Run {
  /** The text of the page behind an entry. */
  readonly page: (after: number, signal: AbortSignal) => Promise<string>;
  /** Continues the chain by a page. */
  readonly verify: (page: string) => Promise<ChainAnswer>;
  /** Which entry the next page comes behind; null when a page is the last one. */
  readonly last: (page: string) => number | null;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
  /** Milliseconds between pages, so that verifying leaves room for other calls of this person (protocol §9.4). */
  readonly pause: (milliseconds: number) => Promise<void>;
}

/** Fifteen pages a second at most: three quarters of one person's rate. */
const BETWEEN_MS = 66;

/** Waits on the page's own clock. */
export const pause = (milliseconds: number) =>
  new Promise<void>((resume) => setTimeout(resume, milliseconds));

/** Retries, when the service says so, calls that are refused for their rate. */
export async function patiently<Answer>(
  ask: () => Promise<Answer>,
  wait: Run['pause'] = pause,
  signal?: AbortSignal,
): Promise<Answer> {
  for (;;) {
    try {
      return await ask();
    } catch (fault) {
      if (!(fault instanceof Problem) || fault.retryAfter === null || signal?.aborted) throw fault;
      await wait(fault.retryAfter * 1000);
    }
  }
}

/** Verifies the chain page by page, from where `from` ended: the next page is on its way while the last one is verified. */
export async function verifyChain(run: Run, from: Progress = NOTHING): Promise<Ending> {
  const { signal, onProgress, pause: wait } = run;
  let progress = from;
  const next = (after: number) => patiently(() => run.page(after, signal), wait, signal);
  try {
    let coming = next(progress.sequence);
    for (;;) {
      const page = await coming;
      if (signal.aborted) return { how: 'stopped', progress };
      const last = run.last(page);
      if (last !== null) {
        coming = wait(BETWEEN_MS).then(() => next(last));
        // It may not be waited for any more when it fails.
        coming.catch(() => {});
      }
      const answer = await run.verify(page);
      const { end, fault } = answer;
      progress = {
        entries: progress.entries + answer.entries,
        signatures: progress.signatures + answer.signatures,
        head: end.head,
        sequence: end.sequence,
      };
      if (fault !== null) {
        return { how: 'fails', progress, sequence: fault.sequence, says: fault.says };
      }
      onProgress(progress);
      if (last === null) return { how: 'holds', progress };
      if (signal.aborted) return { how: 'stopped', progress };
    }
  } catch (fault) {
    return signal.aborted ? { how: 'stopped', progress } : { how: 'broken', progress, fault };
  }
}
