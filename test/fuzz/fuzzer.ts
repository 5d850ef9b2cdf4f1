import fc from 'fast-check';
import type { Instance } from '../support/instance.js';
import { gatherCast, newScenario } from './cast.js';
import type { Cast } from './cast.js';
import { Finding, playChain } from './chain.js';
import { Effects } from './effects.js';
import { Pool } from './pool.js';
import { shortest } from './shrink.js';
import { NO_DRAFT, chainOf, plainCall } from './step.js';
import type { Step } from './step.js';
import { Tally } from './tally.js';

export interface FuzzOptions {
  /** How many calls to make at least, chain by chain. */
  readonly calls: number;
  readonly seed: number;
  /** Of a finding, as it was told: starts with that chain alone. */
  readonly path?: string | undefined;
  /** Goes on after a finding, without making it smaller. */
  readonly all?: boolean | undefined;
  /** Others call the instance too: changes behind a refusal may be theirs, so they are not compared. */
  readonly crowded?: boolean;
  readonly say?: (line: string) => void;
}

export interface FuzzResult {
  readonly tally: Tally;
  readonly findings: readonly Finding[];
  /** Where the first finding is, for `path`. */
  readonly path: string | null;
}

/** Ends the run: chains that are not played would be drawn all the same, which takes as long as playing them. */
const ENOUGH = new Error('as many calls as were asked for');

const LONGEST_CHAIN = 90;
const SHRINK_MS = 60_000;
/** Of so many calls one is looked at from behind, should it be refused; each while a finding is made smaller. */
const WATCHED_OF = 2;

/** Fuzzes a running instance without quotas, and makes the first finding as small as it can in a minute. */
export async function fuzz(instance: Instance, options: FuzzOptions): Promise<FuzzResult> {
  const { calls, seed, path, all = false, crowded = false, say = () => {} } = options;
  const cast = await gatherCast(instance);
  await cast.restore();
  const effects = await Effects.of(instance.dataDirectory);
  const tally = new Tally();
  const found = new Map<string, Finding>();
  const begin = Date.now();
  let told = 0;

  const note = (finding: Finding) => {
    if (!found.has(finding.signature)) say(`found: ${finding.signature}`);
    found.set(finding.signature, finding);
  };
  const property = fc.asyncProperty(chainOf(LONGEST_CHAIN), async (steps) => {
    if (path === undefined && tally.calls >= calls) throw ENOUGH;
    const finding = await play(cast, effects, tally, steps, crowded ? 0 : WATCHED_OF);
    if (tally.calls - told >= 2000) {
      told = tally.calls;
      say(`${told} calls in ${Math.round((Date.now() - begin) / 1000)} s, ${found.size} findings`);
    }
    if (finding === null) return;
    note(finding);
    if (all) return;
    note(await smaller(steps, finding));
    throw finding;
  });

  /** The report of the same finding with fewer steps; other findings on the way are other reports. */
  const smaller = async (steps: readonly Step[], finding: Finding): Promise<Finding> => {
    const until = Date.now() + SHRINK_MS;
    let smallest = finding;
    const fails = async (candidate: readonly Step[]) => {
      const again = await play(cast, effects, tally, candidate, 1);
      if (again?.signature !== finding.signature) return false;
      smallest = again;
      return true;
    };
    await shortest(steps, fails, () => Date.now() > until);
    return smallest;
  };

  try {
    const details = await fc.check(property, {
      seed,
      ...(path === undefined ? {} : { path }),
      // Every chain makes a call or more.
      numRuns: path === undefined ? calls : 1,
      // Values stay as they were drawn: fewer calls make a report short.
      endOnFailure: true,
    });
    const { errorInstance: error, counterexamplePath } = details;
    // An error that broke a chain off is no finding, but no end either. Findings go first: they fail the run as well.
    if (found.size === 0 && error !== null && error !== ENOUGH)
      throw new Error('a chain broke off', { cause: error });
    const isFinding = error instanceof Finding;
    return { tally, findings: [...found.values()], path: isFinding ? counterexamplePath : null };
  } finally {
    await effects.end();
  }
}

/** The first calls of a chain, by the requests that these choices make: an execution, and a review with an app. */
const OPENING = [1, 28].map((choice) =>
  plainCall('request.create', { draft: { ...NO_DRAFT, choice } }),
);

/** One chain with a scenario of its own; the finding that ended it, or null. `watchedOf` 0: no call is watched. */
async function play(
  cast: Cast,
  effects: Effects,
  tally: Tally,
  steps: readonly Step[],
  watchedOf: number,
): Promise<Finding | null> {
  const pool = new Pool(cast, await newScenario(cast));
  const watches = (call: number) => watchedOf > 0 && call % watchedOf === 0;
  try {
    await playChain({ pool, effects, tally, watches }, [...OPENING, ...steps]);
    return null;
  } catch (error) {
    if (error instanceof Finding) return error;
    throw error;
  } finally {
    if (pool.disturbed) await cast.restore();
  }
}

export function report({ tally, findings, path }: FuzzResult, seed: number): string {
  const stories = findings.map(
    ({ signature, calls }, index) =>
      `\nfinding ${index + 1}: ${signature}\n${calls.map((call) => `  ${call}`).join('\n')}`,
  );
  const again = path === null ? '' : ` (again: --seed ${seed} --path ${path})`;
  return [tally.table(), `seed ${seed}: ${findings.length} findings${again}`, ...stories].join(
    '\n',
  );
}
