import { assembleModules } from '@countersign/platform';
import type { Readiness, Registry } from '@countersign/platform';
import { assemble } from './modules.js';
import type { Target } from './modules.js';
import type { Surroundings } from './linked.js';

/** What runs in one thread: some targets, or all that the process has. */
export interface Part {
  start(): Promise<void>;
  stop(): Promise<void>;
  readiness(): Promise<Readiness>;
  /** Whether its event loop turns. */
  alive(): Promise<boolean>;
  /** Its figures, in Prometheus' text, a family each. */
  families(): Promise<readonly string[]>;
}

export interface BuiltPart {
  readonly part: Part;
  /** Where its figures are. */
  readonly registry: Registry;
}

/** Put together, not started. */
export async function buildPart(
  surroundings: Surroundings,
  targets: readonly Target[],
): Promise<BuiltPart> {
  const { modules, metrics: registry } = await assemble(surroundings, targets);
  const families = (): Promise<string[]> =>
    Promise.all(
      registry.getMetricsAsArray().map(({ name }) => registry.getSingleMetricAsString(name)),
    );
  // Who asks is answered by the event loop itself.
  const alive = async (): Promise<boolean> => true;
  return { part: { ...assembleModules(modules, surroundings.log), alive, families }, registry };
}

/** Parts of one process as one. Stages start in their order and stop in reverse, what shares a stage together. */
export function inStages(stages: readonly (readonly Part[])[]): Part {
  const parts = stages.flat();
  return {
    async start() {
      for (const stage of stages) await Promise.all(stage.map((part) => part.start()));
    },
    async stop() {
      for (const stage of [...stages].reverse()) {
        await Promise.all(stage.map((part) => part.stop()));
      }
    },
    async readiness() {
      const all = await Promise.all(parts.map((part) => part.readiness()));
      return {
        ready: all.every(({ ready }) => ready),
        modules: mergedStates(all.map(({ modules }) => modules)),
      };
    },
    alive: async () => (await Promise.all(parts.map((part) => part.alive()))).every(Boolean),
    families: async () =>
      mergedFamilies((await Promise.all(parts.map((part) => part.families()))).flat()),
  };
}

/** Of modules that several parts have, the state of one that is not ready, if any. */
function mergedStates(parts: readonly Readiness['modules'][]): Readiness['modules'] {
  const merged: Record<string, string> = {};
  for (const [name, state] of parts.flatMap((states) => Object.entries(states))) {
    if ((merged[name] ?? 'ready') === 'ready') merged[name] = state;
  }
  return merged;
}

/** A family once, with the series of every part; of a series that several have, such as a limit, the first. */
export function mergedFamilies(families: readonly string[]): string[] {
  const merged = new Map<string, Map<string, string>>();
  for (const family of families) {
    const [help = '', type = '', ...samples] = family.split('\n');
    const head = `${help}\n${type}`;
    const series = merged.get(head) ?? new Map<string, string>();
    merged.set(head, series);
    for (const sample of samples) {
      const name = sample.slice(0, sample.lastIndexOf(' '));
      if (name !== '' && !series.has(name)) series.set(name, sample);
    }
  }
  return [...merged].map(([head, series]) => [head, ...series.values()].join('\n'));
}
