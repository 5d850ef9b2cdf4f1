import { parseArgs } from 'node:util';
import {
  ConfigurationError,
  assembleModules,
  createLogger,
  createMetrics,
  healthListener,
} from '@countersign/platform';
import { commonConfig } from './configuration.js';
import { TARGETS, assemble } from './modules.js';
import type { Target } from './modules.js';

const USAGE = `Usage: node deploy/dist/main.js --target=${['all', ...TARGETS].join('|')}
Everything else is configured by environment variables (docs/operations.md).`;

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
  const config = commonConfig(process.env);
  const log = createLogger({ name, level: config.LOG_LEVEL });
  const parts = await assemble({ config, env: process.env, log }, targets);
  if (config.HEALTH_PORT !== undefined) {
    // First, so that it answers while the others still start.
    parts.unshift(
      healthListener({
        port: config.HEALTH_PORT,
        readiness: () => modules.readiness(),
        metrics: createMetrics(name),
      }),
    );
  }
  const modules = assembleModules(parts, log);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      log.info({ signal }, 'stopping');
      // What still hangs after the modules' own bounds must not keep the process.
      void modules.stop().finally(() => process.exit(0));
    });
  }
  await modules.start();
  log.info({ ready: true, target: name, pid: process.pid }, 'ready');
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
  const plain = error instanceof ConfigurationError ? error.message : error;
  console.error(plain);
  process.exit(1);
});
