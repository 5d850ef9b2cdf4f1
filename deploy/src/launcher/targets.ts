import type { SigningService } from '@countersign/protocol';
import { ASKED, messageKeysVariable } from '../message-settings.js';
import type { Target } from '../modules.js';
import type { DataDirectory } from './data-directory.js';
import { everybodyOf } from './demo-tenants.js';
import type { DemoTenant } from './demo-tenants.js';
import type { Ports } from './ports.js';
import { STORES_FILE } from './stores.js';
import type { Stores } from './stores.js';
import type { TargetProcess } from './supervisor.js';

/** When each target of `--split` starts: after those with smaller numbers, for it calls them. They stop in reverse. */
const STAGE: Readonly<Record<Target, number>> = {
  'development-provider': 0,
  schema: 0,
  request: 0,
  review: 0,
  'execution-authority': 0,
  ledger: 0,
  notifier: 0,
  'worker-anchor': 0,
  'worker-security-log': 0,
  'worker-expiry': 0,
  'worker-deletion': 0,
  'worker-reconciliation': 0,
  'worker-delivery': 0,
  'worker-reminder': 0,
  gateway: 1,
};

/** Stays single, whatever the number of replicas: its state lives in its memory. */
const SINGLE: readonly Target[] = ['development-provider'];

/** Listens on a port, which its replicas share. */
const LISTENING: readonly Target[] = ['gateway'];

/** Whose private key each target holds: a stolen notifier cannot sign a receipt. */
const KEY_OF: Readonly<Record<Target, SigningService | 'caller' | null>> = {
  'development-provider': null,
  schema: null,
  request: 'request',
  review: 'review',
  'execution-authority': 'execution-authority',
  ledger: 'ledger',
  notifier: 'notifier',
  'worker-anchor': 'ledger',
  'worker-security-log': null,
  'worker-expiry': 'request',
  'worker-deletion': 'request',
  'worker-reconciliation': 'execution-authority',
  'worker-delivery': 'notifier',
  'worker-reminder': 'notifier',
  gateway: 'caller',
};

/** The whole environment of the target that runs strangers' schemas, whatever else our own environment holds. */
const TOLD_TO_SCHEMA = [
  'MODE',
  'NATS_URL',
  'NATS_USER',
  'NATS_PASSWORD',
  'NATS_CREDENTIALS',
  'LOG_LEVEL',
];

export interface Origins {
  readonly origin: string;
  readonly sandboxOrigin: string;
  readonly issuer: string;
}

/** Where everything is to be found. With `OIDC_ISSUER` set, people log in at that provider instead of ours. */
export function originsOf(ports: Ports): Origins {
  return {
    origin: `http://localhost:${ports.origin}`,
    sandboxOrigin: `http://localhost:${ports.sandbox}`,
    issuer: process.env['OIDC_ISSUER'] || `http://localhost:${ports.provider}`,
  };
}

/** The processes to run, in groups: one for all targets, or with `split` one per target and replica. */
export function processesOf(
  data: DataDirectory,
  env: Readonly<Record<string, string>>,
  { split, replicas }: { split: boolean; replicas: number },
): TargetProcess[][] {
  const targets = Object.keys(STAGE) as Target[];
  if (!split) {
    const keys = Object.assign({}, ...targets.map((target) => keysOf(data, target)));
    const own = { ...process.env, ...env, ...keys };
    return [[{ name: 'all', target: 'all', env: own, shared: false }]];
  }
  const stages = [...new Set(Object.values(STAGE))].sort();
  return stages.map((stage) =>
    targets
      .filter((target) => STAGE[target] === stage)
      .flatMap((target) => {
        const count = SINGLE.includes(target) ? 1 : replicas;
        return replicasOf(target, count, environmentFor(target, data, env));
      }),
  );
}

function environmentFor(
  target: Target,
  data: DataDirectory,
  env: Readonly<Record<string, string>>,
): NodeJS.ProcessEnv {
  const all: NodeJS.ProcessEnv = { ...process.env, ...env, ...keysOf(data, target) };
  return target === 'schema'
    ? Object.fromEntries(TOLD_TO_SCHEMA.map((name) => [name, all[name]]))
    : all;
}

function replicasOf(target: Target, count: number, env: NodeJS.ProcessEnv): TargetProcess[] {
  return Array.from({ length: count }, (_, index) => ({
    name: count === 1 ? target : `${target}-${index + 1}`,
    target,
    env,
    shared: count > 1 && LISTENING.includes(target),
  }));
}

function keysOf(data: DataDirectory, target: Target): Record<string, string> {
  const owner = KEY_OF[target];
  if (owner === null) return {};
  const file = (name: string): string => data.at('keys', name);
  const messageKeys = ASKED.filter((service) => target === 'gateway' || target === service).map(
    (service) => [`${messageKeysVariable(service)}_FILE`, file(`${service}.message-keys`)],
  );
  const shared = Object.fromEntries(messageKeys);
  if (owner === 'caller') return { CALLER_PRIVATE_KEY_FILE: file('caller.pem'), ...shared };
  const variable = `${owner.toUpperCase().replaceAll('-', '_')}_SIGNING_KEY`;
  return {
    ...shared,
    ...(messageKeys.length > 0 ? { CALLER_PUBLIC_KEY_FILE: file('caller.pub.pem') } : {}),
    // One that is set in our own environment is used instead, such as vault:<name>.
    ...(process.env[variable] ? {} : { [`${variable}_FILE`]: file(`${owner}.pem`) }),
  };
}

/** What every target is configured with, by environment only. */
export function environmentOf(
  data: DataDirectory,
  ports: Ports,
  stores: Stores,
  tenants: readonly DemoTenant[],
  quotas: boolean,
): Record<string, string> {
  const { origin, sandboxOrigin, issuer } = originsOf(ports);
  const people = tenants.flatMap(everybodyOf);
  return {
    // One that is set in our own environment means nothing without --split.
    NATS_URL: '',
    ...stores.urls,
    MODE: 'development',
    ORIGIN: origin,
    PORT: String(ports.origin),
    SANDBOX_ORIGIN: sandboxOrigin,
    SANDBOX_PORT: String(ports.sandbox),
    OIDC_ISSUER: issuer,
    DEVELOPMENT_PROVIDER_PORT: String(ports.provider),
    DEVELOPMENT_PEOPLE: JSON.stringify(people.map(({ subject, name }) => ({ subject, name }))),
    // One that is set in our own environment is the anchor store, instead of a folder.
    ...(process.env['ANCHOR_S3_BUCKET'] ? {} : { ANCHOR_DIR: data.at('anchor') }),
    TRUST_FILE: data.at('trust.json'),
    QUOTAS: quotas ? 'on' : 'off',
    // All of it is on one machine, where more connections only take turns at its processors.
    DATABASE_CONNECTIONS: process.env['DATABASE_CONNECTIONS'] ?? '5',
    // For orphan.ts.
    COUNTERSIGN_STORES_FILE: data.at(STORES_FILE),
  };
}
