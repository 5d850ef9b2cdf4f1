import { treeOf } from '../../bench/processes.js';

const PATIENCE_MS = 60_000;

/**
 * A question to a page without a bound of its own. A page that never answers fails the test with the processor time that
 * pages took meanwhile: some computes without end, or its browser stands still.
 */
export async function answering<T>(asked: Promise<T>): Promise<T> {
  const before = processorMs();
  let late: NodeJS.Timeout | undefined;
  const overdue = new Promise<never>((_, fail) => {
    late = setTimeout(() => {
      const spent = ((processorMs() - before) / 1000).toFixed(1);
      const told = `the page has not answered for ${PATIENCE_MS / 1000} s, in which the pages computed for ${spent} s`;
      fail(new Error(told));
    }, PATIENCE_MS);
  });
  try {
    return await Promise.race([asked, overdue]);
  } finally {
    clearTimeout(late);
  }
}

/** Of the pages of this process's browsers; 0 where there is no /proc. */
function processorMs(): number {
  const pages = treeOf([process.pid]).filter(({ command }) => command.includes('--type=renderer'));
  return pages.reduce((sum, { cpuMs }) => sum + cpuMs, 0);
}
