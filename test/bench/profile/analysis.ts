import { fileURLToPath } from 'node:url';
import { sourceOfLine } from '@countersign/platform';
import { IDLE, areaOf } from './areas.js';
import type { Frame } from './areas.js';

/** As V8 writes it. */
export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: Frame;
    readonly children?: readonly number[];
  }[];
  readonly samples: readonly number[];
  /** Microseconds before each sample. */
  readonly timeDeltas: readonly number[];
}

/** Milliseconds of the thread that was sampled. */
export interface TimeSpent {
  readonly busyMs: number;
  readonly idleMs: number;
  readonly areas: readonly { readonly area: string; readonly ms: number }[];
  /** Self time by function, the longest first. */
  readonly functions: readonly {
    readonly name: string;
    readonly area: string;
    readonly ms: number;
  }[];
}

export function analyse(profile: CpuProfile): TimeSpent {
  const selfMs = new Map<number, number>();
  profile.samples.forEach((id, place) => {
    selfMs.set(id, (selfMs.get(id) ?? 0) + (profile.timeDeltas[place] ?? 0) / 1000);
  });
  const nodes = new Map(
    profile.nodes.map(({ id, callFrame }) => [id, inItsSource(callFrame)] as const),
  );
  const parents = new Map(
    profile.nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)),
  );
  const areas = new Map<string, number>();
  const functions = new Map<string, { area: string; ms: number }>();
  for (const [id, ms] of selfMs) {
    const stack: Frame[] = [];
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
      const frame = nodes.get(at);
      if (frame !== undefined) stack.push(frame);
    }
    const area = areaOf(stack);
    areas.set(area, (areas.get(area) ?? 0) + ms);
    const name = nameOf(stack[0] as Frame);
    const known = functions.get(`${name} ${area}`);
    functions.set(`${name} ${area}`, { area, ms: ms + (known?.ms ?? 0) });
  }
  const idleMs = areas.get(IDLE) ?? 0;
  areas.delete(IDLE);
  return {
    busyMs: [...areas.values()].reduce((sum, ms) => sum + ms, 0),
    idleMs,
    areas: [...areas].map(([area, ms]) => ({ area, ms })).sort(longest),
    functions: [...functions]
      .map(([key, { area, ms }]) => ({ name: key.slice(0, -area.length - 1), area, ms }))
      .filter(({ area }) => area !== IDLE)
      .sort(longest),
  };
}

/** The frame of a module of a bundle, by the source of the module; the line stays that of the bundle. */
function inItsSource(frame: Frame): Frame {
  if (!frame.url.startsWith('file://')) return frame;
  const source = sourceOfLine(fileURLToPath(frame.url), frame.lineNumber + 1);
  return source === null ? frame : { ...frame, url: `/${source}` };
}

function longest(a: { ms: number }, b: { ms: number }): number {
  return b.ms - a.ms;
}

/** `function file:line`, the file from its package on. */
function nameOf({ functionName, url, lineNumber }: Frame): string {
  const file = url
    .replace(/^.*\/(node_modules|packages|services|deploy)\//, '')
    .replace(/\/(dist|src)\//, '/');
  const name = functionName === '' ? '(anonymous)' : functionName;
  return url === '' ? name : `${name} ${file}:${lineNumber + 1}`;
}
