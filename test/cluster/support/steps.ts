import { report, seconds } from '../../fault/support/report.js';
import { saidOf } from './load.js';
import type { Failure, Load, Seen } from './load.js';

/** What callers may see of a step. */
export interface Allowed {
  /** Calls that begin within so many milliseconds of the step's fault may fail; none may that begins later. */
  readonly failingMs?: number;
  /** Whether connections may be closed on which a call was sent. */
  readonly lostConnections?: boolean;
}

/** A line of the suite's table. */
export interface Row extends Seen {
  readonly name: string;
  readonly tookMs: number;
  /** From the fault to the begin of the last call that failed; 0 without failed calls. */
  readonly outageMs: number;
}

/**
 * Calls that failed in a step and should not have. One that hangs is given up after thirty seconds, which may be in the next step:
 * it is judged by the step in which it began.
 */
export function wrongOf(failed: readonly Failure[], { step, before }: Judged): Failure[] {
  return failed.filter(({ begun, said }) => {
    const {
      at,
      failingMs = -Infinity,
      lostConnections = false,
    } = begun < step.begin ? before : step;
    return begun > at + failingMs && !(lostConnections && said.includes('ECONNRESET'));
  });
}

/** A step; times as `performance.now` counts. */
interface Faulty extends Allowed {
  readonly begin: number;
  /** When its fault happened. */
  readonly at: number;
}

interface Judged {
  readonly step: Faulty;
  readonly before: Faulty;
}

/** Does something under load; throws when callers saw more of it than they may. */
export type Step = (
  name: string,
  work: (fault: () => void) => Promise<unknown>,
  allowed?: Allowed,
) => Promise<void>;

/**
 * Steps under the load that there is at the time, each of which leaves a row. `fault` says when the fault happened, if that is not
 * at the begin. Of a step that fails, the warnings and errors of the pods are reported.
 *
 * @param logs lines of the pods' logs
 */
export function stepsUnder(
  load: () => Load | undefined,
  rows: Row[],
  logs: () => Promise<readonly string[]>,
): Step {
  const none: Faulty = { begin: -Infinity, at: -Infinity };
  let judged: Judged = { step: none, before: none };
  return async (name, work, allowed = {}) => {
    load()?.since();
    const [begin, beginsAt] = [performance.now(), new Date()];
    let at = begin;
    const row = (): Row => {
      const seen = load()?.since() ?? { lifecycles: 0, calls: 0, slowestMs: 0, failed: [] };
      const outageMs = Math.max(0, ...seen.failed.map(({ begun }) => Math.round(begun - at)));
      return { ...seen, name, tookMs: Math.round(performance.now() - begin), outageMs };
    };
    let seen: Row;
    try {
      await work(() => (at = performance.now()));
      await load()?.more(2);
    } finally {
      seen = row();
      rows.push(seen);
      judged = { step: { ...allowed, begin, at }, before: judged.step };
      report(`cluster: ${name}: ${seconds(begin)}${load() === undefined ? '' : toldOf(seen)}`);
    }
    const wrong = wrongOf(seen.failed, judged);
    if (wrong.length > 0) {
      const complaints = complaintsOf(await logs(), beginsAt).slice(0, MOST_COMPLAINTS);
      report(`cluster: ${name}: the pods said meanwhile\n${complaints.join('\n')}`);
    }
    expect(saidOf(wrong)).toEqual([]);
  };
}

const MOST_COMPLAINTS = 80;
/** The longest that a call of the load takes. */
const EARLIER_MS = 30_000;

/** Warnings and errors among lines of logs since a time, or since calls began that failed then. */
function complaintsOf(lines: readonly string[], since: Date): string[] {
  const from = new Date(since.getTime() - EARLIER_MS).toISOString();
  return lines.filter((line) => {
    const time = /"time":"([^"]+)"/.exec(line)?.[1] ?? '';
    return /"level":"(warn|error|fatal)"/.test(line) && time >= from;
  });
}

function toldOf({ lifecycles, calls, failed, slowestMs, outageMs }: Row): string {
  const failures =
    failed.length === 0 ? '' : ` within ${outageMs} ms: ${saidOf(failed).slice(0, 10).join('; ')}`;
  return `, ${lifecycles} lifecycles, ${calls} calls, slowest ${slowestMs} ms, ${failed.length} failed${failures}`;
}

/** The table of a run, in Markdown. */
export function tableOf(rows: readonly Row[]): string {
  const cells = rows.map(({ name, tookMs, calls, failed, slowestMs, outageMs }) => [
    name,
    (tookMs / 1000).toFixed(1),
    ...[calls, failed.length, outageMs, slowestMs].map(String),
  ]);
  return [
    ['Step', 'Seconds', 'Calls', 'Failed', 'Outage ms', 'Slowest call ms'],
    ['---', '---:', '---:', '---:', '---:', '---:'],
    ...cells,
  ]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n');
}
