import { treeOf } from '../../bench/processes.js';

/** Of processor time: a page that answers later computes without end. */
const COMPUTES_MS = 60_000;
/** A page that computes nothing for so long stands still; a busy machine gives it its turn before. */
const PATIENCE_MS = 300_000;
const LOOKS_EVERY_MS = 5_000;

/**
 * A question to a page without a bound of its own. A page that never answers fails the test with the processor time that
 * pages took meanwhile: some computes without end, or its browser stands still.
 */
export async function answering<T>(asked: Promise<T>): Promise<T> {
  const before = processorMs();
  const begin = Date.now();
  let looking: NodeJS.Timeout | undefined;
  const overdue = new Promise<never>((_, fail) => {
    looking = setInterval(() => {
      const [spentMs, tookMs] = [processorMs() - before, Date.now() - begin];
      if (spentMs < COMPUTES_MS && tookMs < PATIENCE_MS) return;
      const [spent, took] = [spentMs, tookMs].map((ms) => (ms / 1000).toFixed(1));
      fail(
        new Error(
          `the page has not answered for ${took} s, in which the pages computed for ${spent} s`,
        ),
      );
    }, LOOKS_EVERY_MS);
  });
  try {
    return await Promise.race([asked, overdue]);
  } finally {
    clearInterval(looking);
  }
}

/** Of the pages of this process's browsers; 0 where there is no /proc. */
function processorMs(): number {
  const pages = treeOf([process.pid]).filter(({ command }) => command.includes('--type=renderer'));
  return pages.reduce((sum, { cpuMs }) => sum + cpuMs, 0);
}
