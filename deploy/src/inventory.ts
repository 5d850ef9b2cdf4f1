import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { READ, createLogger } from '@countersign/platform';
import type { ConfigurationShape } from '@countersign/platform';
import { SIGNING_POLICY } from '@countersign/protocol';
import type { RoleName } from '@countersign/database';
import type { SigningService } from '@countersign/protocol';
import { ASKED, messageKeysVariable } from './message-settings.js';
import { processConfig } from './configuration.js';
import { ensureKeys, trustManifest } from './launcher/keys.js';
import { TARGETS, assemble } from './modules.js';
import { tracingConfig } from './tracing.js';
import type { Target } from './modules.js';
import type { Hint } from './permissions.js';
import type { Uses } from './shared.js';

/** A variable of the environment. */
export interface Setting {
  readonly name: string;
  readonly description: string;
  /** As it would be written; null where there is none. */
  readonly fallback: string | null;
  /** What it may be, where that is a choice. */
  readonly choices: readonly string[] | null;
}

/** What one target takes from its environment, and what of the house it was given to work with. */
export interface Inventory {
  readonly settings: readonly Setting[];
  readonly roles: readonly RoleName[];
  readonly keys: readonly SigningService[];
  readonly publishes: readonly Hint[];
  readonly queues: boolean;
}

const ORIGIN = 'http://localhost:8080';

/**
 * Found out by putting each target together and looking at what it asks for; nothing is started or connected to. The
 * chart's settings are made of it, and its secrets and network policies are compared with it.
 */
export async function takeInventory(
  targets: readonly Target[] = TARGETS,
): Promise<ReadonlyMap<Target, Inventory>> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-inventory-'));
  try {
    ensureKeys(folder);
    const found = new Map<Target, Inventory>();
    for (const target of targets) found.set(target, await inventoryOf(target, folder));
    return found;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function inventoryOf(target: Target, folder: string): Promise<Inventory> {
  const shapes: ConfigurationShape[] = [];
  const read = (shape: ConfigurationShape): void => void shapes.push(shape);
  const { roles, keys, publishes, queues } = await usesOf(target, {
    ...environmentOf(folder),
    [READ]: read,
  });
  return {
    settings: settingsOf(shapes),
    roles: [...roles],
    keys: [...keys],
    publishes: [...publishes],
    queues,
  };
}

async function usesOf(
  target: Target,
  env: NodeJS.ProcessEnv & { [READ]: (shape: ConfigurationShape) => void },
): Promise<Uses> {
  processConfig(env);
  if (target !== 'schema') tracingConfig(env);
  const log = createLogger({ name: target, level: 'silent' });
  const { modules, uses } = await assemble({ env, log }, [target]);
  for (const { name, stop } of modules) {
    if (name === 'queues' || name === 'connections') await stop();
  }
  return uses;
}

/** Everything that can be switched on is, so that what it needs is asked for. */
function environmentOf(folder: string): NodeJS.ProcessEnv {
  const trust = trustManifest(folder, ORIGIN, null, Date.now());
  const signing = Object.keys(SIGNING_POLICY).map((service) => [
    `${service.toUpperCase().replaceAll('-', '_')}_SIGNING_KEY`,
    `vault:${service}`,
  ]);
  const file = (name: string): string => readFileSync(join(folder, name), 'utf8');
  const shared = ASKED.map((service) => [
    messageKeysVariable(service),
    file(`${service}.message-keys`),
  ]);
  return {
    ...Object.fromEntries([...signing, ...shared]),
    MODE: 'development',
    ORIGIN,
    SANDBOX_ORIGIN: 'http://localhost:8081',
    DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing',
    TRUST: JSON.stringify(trust),
    CALLER_PUBLIC_KEY: file('caller.pub.pem'),
    CALLER_PRIVATE_KEY: file('caller.pem'),
    VAULT_ADDR: 'http://127.0.0.1:1',
    VAULT_TOKEN: 'none',
    OIDC_ISSUER: 'http://localhost:8082',
    DEVELOPMENT_PROVIDER_PORT: '8082',
    DEVELOPMENT_PEOPLE: '[{"subject":"ruth","name":"Ruth"}]',
    QUOTAS: 'off',
    ANCHOR_S3_BUCKET: 'anchor',
    MAIL_FROM: 'reviews@example.org',
    SMTP_URL: 'smtp://127.0.0.1:1',
    AUTO_REMINDER_SECONDS: '60',
    SECURITY_LOG_LINES: 'stdout',
  };
}

function settingsOf(shapes: readonly ConfigurationShape[]): Setting[] {
  const all = new Map<string, Setting>();
  for (const shape of shapes) {
    // The first to ask describes it: the common configuration comes before that of one target.
    for (const [name, type] of Object.entries(shape)) {
      if (!all.has(name)) all.set(name, settingOf(name, type));
    }
  }
  return [...all.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function settingOf(name: string, type: z.ZodType): Setting {
  const { enum: choices = null } = z.toJSONSchema(type, { io: 'input', unrepresentable: 'any' });
  const fallback = type instanceof z.ZodDefault ? String(type.def.defaultValue) : null;
  return {
    name,
    description: type.description ?? '',
    fallback: fallback === '' ? null : fallback,
    choices: choices as readonly string[] | null,
  };
}
