import { bounded } from './bounded.js';
import type { Logger } from './log.js';

/** A part of a process that starts, stops and knows whether it can serve. */
export interface Module {
  readonly name: string;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Throws when it cannot serve now; a module without it is ready once started. */
  ready?(): Promise<void>;
}

export interface Readiness {
  readonly ready: boolean;
  /** By module: `ready`, `starting`, `stopping` or `unready`; the reason is in the log. */
  readonly modules: Readonly<Record<string, string>>;
}

/** Modules that run together. */
export interface Modules {
  /** In order. When one fails, those already started are stopped and its error is thrown. */
  start(): Promise<void>;
  /** In reverse order. A module that hangs or fails to stop delays no other. */
  stop(): Promise<void>;
  readiness(): Promise<Readiness>;
}

export interface ModuleOptions {
  /** The longest that one module may take to stop. */
  stopMs?: number;
  /** The longest that one module may take to say whether it is ready. */
  readyMs?: number;
}

/** Binds modules together; `start` is the caller's, so that a health listener can be one of them. */
export function assembleModules(
  modules: readonly Module[],
  log: Logger,
  options: ModuleOptions = {},
): Modules {
  const { stopMs = 15_000, readyMs = 2000 } = options;
  const started: Module[] = [];
  let stopping: Promise<void> | null = null;
  let starting: Promise<void> | null = null;

  async function startAll(): Promise<void> {
    for (const module of modules) {
      if (stopping !== null) return;
      const begin = performance.now();
      try {
        await module.start();
      } catch (error) {
        log.error({ err: error, module: module.name }, 'module failed to start');
        starting = null;
        // A stop that was asked for meanwhile waits for us: not the other way round as well.
        if (stopping === null) await stop();
        throw error;
      }
      started.push(module);
      log.debug(
        { module: module.name, ms: Math.round(performance.now() - begin) },
        'module started',
      );
    }
  }

  async function stopAll(): Promise<void> {
    if (starting !== null)
      await bounded(
        starting.catch(() => {}),
        stopMs,
      );
    for (const module of started.splice(0).reverse()) {
      try {
        const inTime = await bounded(module.stop(), stopMs);
        if (!inTime) log.error({ module: module.name, stopMs }, 'module did not stop in time');
      } catch (error) {
        log.error({ err: error, module: module.name }, 'module failed to stop');
      }
    }
  }

  function stop(): Promise<void> {
    stopping ??= stopAll();
    return stopping;
  }

  /** The last reason logged for a module that is not ready: probes ask every few seconds, the log has it once. */
  const told = new Map<Module, string>();

  async function stateOf(module: Module): Promise<string> {
    if (stopping !== null) return 'stopping';
    if (!started.includes(module)) return 'starting';
    try {
      if (module.ready === undefined || (await bounded(module.ready(), readyMs))) {
        if (told.delete(module)) log.info({ module: module.name }, 'module is ready again');
        return 'ready';
      }
      tell(module, 'silent', () =>
        log.warn({ module: module.name, readyMs }, 'module does not say whether it is ready'),
      );
    } catch (error) {
      const { code, message } = error as { code?: unknown; message?: unknown };
      tell(module, `${String(code)} ${String(message)}`, () =>
        log.warn({ err: error, module: module.name }, 'module is not ready'),
      );
    }
    return 'unready';
  }

  function tell(module: Module, what: string, say: () => void): void {
    if (told.get(module) === what) return;
    told.set(module, what);
    say();
  }

  return {
    start() {
      starting ??= startAll();
      return starting;
    },
    stop,
    async readiness() {
      const states = await Promise.all(modules.map(stateOf));
      return {
        ready: states.every((state) => state === 'ready'),
        modules: Object.fromEntries(modules.map((module, i) => [module.name, states[i] as string])),
      };
    },
  };
}
