import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import {
  ConfigurationError,
  Gauge,
  assembleModules,
  createLogger,
  healthListener,
  loadConfig,
} from '@countersign/platform';
import type { Logger, Modules, Registry } from '@countersign/platform';
import { PROCESS } from './configuration.js';
import { assemble } from './modules.js';
import { PlainError } from './plain-error.js';
import { TARGETS, rowOf } from './targets.js';
import type { Target } from './targets.js';
import { startTracingOf } from './tracing.js';

const USAGE = `Usage: node deploy/dist/main.js --target=${['all', ...TARGETS].join('|')}
Everything else is configured by environment variables (docs/operations.md).`;

/** How long a process that cannot work waits before it looks again. */
const AGAIN_MS = 5000;

/** The only main: one image, one process per target or one for all of them. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { target: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help) {
    console.log(USAGE);
    return;
  }
  const targets = targetsOf(values.target);
  const name = values.target ?? 'all';
  const { LOG_LEVEL, HEALTH_PORT } = loadConfig(PROCESS, process.env);
  const log = createLogger({ name, level: LOG_LEVEL });
  let running: Running | null = null;
  let tracing: Awaited<ReturnType<typeof startTracingOf>> = null;
  let started = false;
  const health =
    HEALTH_PORT === undefined
      ? null
      : healthListener({
          port: HEALTH_PORT,
          // The log names the dependency that a process waits for while it starts.
          readiness: async () =>
            started && running !== null
              ? running.modules.readiness()
              : { ready: false, modules: { start: 'waiting' } },
          metrics: () => running?.metrics ?? null,
        });
  const stopping = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      log.info({ signal }, 'stopping');
      stopping.abort();
      // Work that still hangs after the modules' own time limits must not keep the process.
      void Promise.resolve(running?.modules.stop())
        .then(() => tracing?.stop())
        .then(() => health?.stop())
        .finally(() => process.exit(0));
    });
  }
  // First, so that it answers while the others still start.
  await health?.start();
  const start = async (): Promise<void> => {
    if (targets.some((target) => rowOf(target).traced))
      tracing ??= await startTracingOf(process.env, name, log);
    const built = await build(targets, log, stopping.signal);
    running = built;
    new Gauge({
      name: 'countersign_ready',
      help: 'Whether the process is ready: 1, else 0.',
      registers: [built.metrics],
      async collect() {
        this.set(started && (await built.modules.readiness()).ready ? 1 : 0);
      },
    });
    try {
      await built.modules.start();
    } catch (error) {
      running = null;
      await built.modules.stop();
      throw error;
    }
    started = true;
  };
  await (health === null ? start() : persist(start, log, stopping.signal));
  if (!stopping.signal.aborted) log.info({ ready: true, target: name, pid: process.pid }, 'ready');
}

interface Running {
  readonly modules: Modules;
  readonly metrics: Registry;
}

/** Assembled, not started. */
async function build(
  targets: readonly Target[],
  log: Logger,
  stopping: AbortSignal,
): Promise<Running> {
  const { modules, metrics } = await assemble({ env: process.env, log, stopping }, targets);
  return { modules: assembleModules(modules, log), metrics };
}

/**
 * Starts until it succeeds. Where probes look at the process, one log line and a pod that is not ready report a missing
 * secret or key better than a process that keeps exiting; and no restart is needed when it arrives.
 */
async function persist(
  start: () => Promise<void>,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  let told: string | null = null;
  while (!signal.aborted) {
    try {
      await start();
      return;
    } catch (error) {
      const reason = (error as Error).message.replace(/\s*\n\s*/g, ' ');
      if (reason !== told) log.error({ reason }, 'cannot start; retried every 5 s');
      told = reason;
    }
    await delay(AGAIN_MS, undefined, { signal }).catch(() => {});
  }
}

function targetsOf(given: string | undefined): readonly Target[] {
  if (given === 'all') return TARGETS;
  const target = TARGETS.find((known) => known === given);
  if (target === undefined) {
    console.error(USAGE);
    process.exit(2);
  }
  return [target];
}

main().catch((error: unknown) => {
  const plain =
    error instanceof ConfigurationError || error instanceof PlainError ? error.message : error;
  console.error(plain);
  process.exit(1);
});
