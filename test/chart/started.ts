import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '@countersign/database';
import { assemble, ensureKeys, trustManifest } from '@countersign/deploy';
import type { Target } from '@countersign/deploy';
import { assembleModules, createLogger } from '@countersign/platform';
import type { Bus } from '@countersign/platform';
import { freePort } from '@countersign/platform/stores';
import { testPostgres } from '@countersign/platform/testing';
import { keyFilesOf } from '../support/key-files.js';

/** What targets stand on: a migrated database and keys. */
export interface Ground {
  readonly url: string;
  readonly folder: string;
  remove(): Promise<void>;
}

export async function prepareGround(): Promise<Ground> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-chart-'));
  ensureKeys(folder);
  const server = await testPostgres({ fsync: 'off' });
  await migrate(server.url);
  return {
    url: server.url,
    folder,
    async remove() {
      await server.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** What a target did while it ran. */
export interface Started {
  readonly serves: readonly string[];
  readonly subscribes: readonly string[];
  /** As it shows them to Prometheus. */
  readonly figures: string;
}

/**
 * Starts targets in this process, all that they need in their environment, does `meanwhile`, and stops them. With `bus`
 * they speak among themselves; without, what they do with it is written down.
 */
export async function startAndStop(
  { url, folder }: Ground,
  targets: Target | readonly Target[],
  meanwhile: (origin: string) => Promise<void> = async () => {},
): Promise<Started> {
  const [port, sandboxPort] = [await freePort(), await freePort()];
  const origin = `http://localhost:${port}`;
  const pem = (name: string): string => readFileSync(join(folder, `${name}.pem`), 'utf8');
  const services = ['request', 'review', 'execution-authority', 'ledger', 'notifier'];
  const env = {
    ...Object.fromEntries(
      services.map((service) => [
        `${service.toUpperCase().replaceAll('-', '_')}_SIGNING_KEY`,
        pem(service),
      ]),
    ),
    MODE: 'development',
    ORIGIN: origin,
    PORT: String(port),
    SANDBOX_ORIGIN: `http://localhost:${sandboxPort}`,
    SANDBOX_PORT: String(sandboxPort),
    OIDC_ISSUER: 'http://localhost:8082',
    DATABASE_URL: url,
    TRUST: JSON.stringify(trustManifest(folder, origin, null, Date.now())),
    ...keyFilesOf(folder),
    ANCHOR_DIR: join(folder, 'anchor'),
    AUTO_REMINDER_SECONDS: '3600',
    SECURITY_LOG_LINES: join(folder, 'security.jsonl'),
  };
  const log = createLogger({ name: 'test', level: 'silent' });
  const serves: string[] = [];
  const subscribes: string[] = [];
  const bus: Bus = {
    call: () => Promise.reject(new Error('nobody is called here')),
    serve: async (subject) => void serves.push(subject),
    publish: () => {},
    subscribe: async (subject) => void subscribes.push(subject),
    close: async () => {},
    ready: () => true,
  };
  const alone = typeof targets === 'string';
  const { modules, metrics } = await assemble(
    { env, log, ...(alone ? { bus } : {}) },
    alone ? [targets] : targets,
  );
  // Processes that check schemas load JavaScript, of which there is none beside the sources.
  const parts = modules.filter(({ name }) => name !== 'schema processes');
  const running = assembleModules(parts, log);
  await running.start();
  try {
    await meanwhile(origin);
    return { serves, subscribes, figures: await metrics.metrics() };
  } finally {
    await running.stop();
  }
}
