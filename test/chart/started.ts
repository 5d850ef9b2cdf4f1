import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  assemble,
  ensureKeys,
  rowOf,
  signingKeyVariable,
  trustManifest,
} from '@countersign/deploy';
import type { Target } from '@countersign/deploy';
import { assembleModules, createLogger } from '@countersign/platform';
import { freePort } from '@countersign/dev-servers';
import { testRedis } from '@countersign/dev-servers/testing';
import { SIGNING_POLICY } from '@countersign/protocol';
import type { SigningService } from '@countersign/protocol';
import { asLogin, startTestServer } from '../database/server.js';
import { keyFilesOf } from '../support/key-files.js';

/** The services that targets need: a migrated database with a login for each role, Redis, and keys. */
export interface Ground {
  /** As the owner of the database. */
  readonly url: string;
  readonly redisUrl: string;
  readonly folder: string;
  remove(): Promise<void>;
}

export async function prepareGround(): Promise<Ground> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-chart-'));
  ensureKeys(folder);
  const [server, redis] = await Promise.all([startTestServer(), testRedis()]);
  return {
    url: await server.migratedDatabase(),
    redisUrl: redis.url,
    folder,
    async remove() {
      await Promise.all([server.stop(), redis.remove()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The record of a target's run. */
export interface Started {
  /** Variables of the environment that it looked at; `<name>_FILE` counts as `<name>`. */
  readonly read: ReadonlySet<string>;
  /** As it shows them to Prometheus. */
  readonly metrics: string;
}

export interface StartOptions {
  /** Variables beside those of a target with all that it needs. */
  readonly env?: Readonly<Record<string, string>>;
  /** The work while they run. */
  readonly meanwhile?: (origin: string) => Promise<void>;
}

/** Starts targets in this process, with all that they need in their environment, and stops them. */
export async function startAndStop(
  ground: Ground,
  targets: readonly Target[],
  { env: more = {}, meanwhile = async () => {} }: StartOptions = {},
): Promise<Started> {
  const [port, sandboxPort] = [await freePort(), await freePort()];
  const origin = `http://localhost:${port}`;
  const read = new Set<string>();
  const env = watched(
    {
      ...environmentOf(ground, targets),
      ORIGIN: origin,
      PORT: String(port),
      SANDBOX_ORIGIN: `http://localhost:${sandboxPort}`,
      SANDBOX_PORT: String(sandboxPort),
      TRUST: JSON.stringify(trustManifest(ground.folder, origin, null, Date.now())),
      ...more,
    },
    read,
  );
  const log = createLogger({ name: 'test', level: 'silent' });
  const { modules, metrics } = await assemble({ env, log }, targets);
  // Processes that check schemas load JavaScript, of which there is none beside the sources.
  const parts = modules.filter(({ name }) => name !== 'schema processes');
  const running = assembleModules(parts, log);
  await running.start();
  try {
    await meanwhile(origin);
    return { read, metrics: await metrics.metrics() };
  } finally {
    await running.stop();
  }
}

/** Puts a target together and starts nothing: with all that can be switched on, and nothing of it there. */
export async function assembleWithAllOn(ground: Ground, target: Target): Promise<Started['read']> {
  const read = new Set<string>();
  const signing = Object.keys(SIGNING_POLICY).map((service) => [
    signingKeyVariable(service as SigningService),
    `vault:${service}`,
  ]);
  const { ANCHOR_DIR: _, ...env } = environmentOf(ground, [target]);
  const given = watched(
    {
      ...env,
      ...Object.fromEntries(signing),
      ORIGIN: 'http://localhost:8080',
      SANDBOX_ORIGIN: 'http://localhost:8081',
      TRUST: JSON.stringify(
        trustManifest(ground.folder, 'http://localhost:8080', null, Date.now()),
      ),
      VAULT_ADDR: 'http://127.0.0.1:1',
      VAULT_TOKEN: 'none',
      ANCHOR_S3_BUCKET: 'anchor',
      // Nothing that connects at once and is stopped only once it has started.
      REDIS_URL: '',
      MAIL_FROM: 'reviews@example.org',
      SMTP_URL: 'smtp://127.0.0.1:1',
      DEVELOPMENT_PROVIDER_PORT: '8082',
      DEVELOPMENT_PEOPLE: '[{"subject":"ruth","name":"Ruth"}]',
    },
    read,
  );
  const log = createLogger({ name: 'test', level: 'silent' });
  const { modules } = await assemble({ env: given, log }, [target]);
  for (const { name, stop } of modules) {
    if (name === 'queues' || name === 'connections') await stop();
  }
  return read;
}

function environmentOf({ url, redisUrl, folder }: Ground, targets: readonly Target[]) {
  const pem = (name: string): string => readFileSync(join(folder, `${name}.pem`), 'utf8');
  // By itself a target can act as its own role alone.
  const role = targets.length === 1 ? rowOf(targets[0] as Target).role : null;
  return {
    ...Object.fromEntries(
      Object.keys(SIGNING_POLICY).map((service) => [
        signingKeyVariable(service as SigningService),
        pem(service),
      ]),
    ),
    MODE: 'development',
    OIDC_ISSUER: 'http://localhost:8082',
    DATABASE_URL: role === null ? url : asLogin(url, role),
    REDIS_URL: redisUrl,
    ...keyFilesOf(folder),
    ANCHOR_DIR: join(folder, 'anchor'),
    AUTO_REMINDER_SECONDS: '3600',
    SECURITY_LOG_LINES: join(folder, 'security.jsonl'),
  };
}

function watched(env: NodeJS.ProcessEnv, read: Set<string>): NodeJS.ProcessEnv {
  return new Proxy(env, {
    get(target, name) {
      if (typeof name === 'string') read.add(name.replace(/_FILE$/, ''));
      return Reflect.get(target, name) as string | undefined;
    },
  });
}
