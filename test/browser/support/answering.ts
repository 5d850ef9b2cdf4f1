import { readFileSync, readdirSync } from 'node:fs';

const PATIENCE_MS = 60_000;
const TICKS_A_SECOND = 100;

/**
 * What a page is asked without a bound of its own. A page that never answers fails the test with the processor time that
 * pages took meanwhile: some computes without end, or its browser stands still.
 */
export async function answering<T>(asked: Promise<T>): Promise<T> {
  const before = processorSeconds();
  let late: NodeJS.Timeout | undefined;
  const overdue = new Promise<never>((_, fail) => {
    late = setTimeout(() => {
      const spent = (processorSeconds() - before).toFixed(1);
      const told = `the page has not answered for ${PATIENCE_MS / 1000} s, in which all pages computed for ${spent} s`;
      fail(new Error(told));
    }, PATIENCE_MS);
  });
  try {
    return await Promise.race([asked, overdue]);
  } finally {
    clearTimeout(late);
  }
}

/** Of all renderers of this machine; 0 where there is no /proc. */
function processorSeconds(): number {
  let ticks = 0;
  try {
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
      ticks += ticksOf(pid);
  } catch {
    return 0;
  }
  return ticks / TICKS_A_SECOND;
}

function ticksOf(pid: string): number {
  try {
    if (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--type=renderer')) return 0;
    // After the name in brackets, which may hold anything: the 12th and 13th field are user and system time.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return Number(fields[11]) + Number(fields[12]);
  } catch {
    // It has ended meanwhile.
    return 0;
  }
}
