import { BUS } from '@countersign/deploy/configuration';
import { messageKeysVariable } from '@countersign/deploy/message-settings';
import { signingKeyVariable } from '@countersign/deploy/signing-settings';
import { STORES_FILE } from '@countersign/deploy/stores-file';
import { PlainError } from '@countersign/deploy/plain-error';
import { TARGETS, rowOf } from '@countersign/deploy/targets';
import type { Target } from '@countersign/deploy/targets';
import type { OwnDirectory } from './data-directory.js';
import { everybodyOf } from './demo-tenants.js';
import type { DemoTenant } from './demo-tenants.js';
import type { Ports } from './ports.js';
import type { Stores } from './stores.js';
import type { TargetProcess } from './supervisor.js';

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

/** How many processes each target has with `split`: one number for all, or numbers by target, 1 where none is given. */
export type Replicas = number | Readonly<Record<string, number>>;

/** Throws a PlainError when `replicas` names an unknown target. */
export function checkReplicas(replicas: Replicas): void {
  const unknown = Object.keys(replicas).find((name) => !TARGETS.includes(name as Target));
  if (unknown !== undefined)
    throw new PlainError(`--replicas: no target ${unknown}; they are ${TARGETS.join(', ')}.`);
}

/** The processes to run, in groups: one for all targets, or with `split` one per target and replica. */
export function processesOf(
  data: OwnDirectory,
  env: Readonly<Record<string, string>>,
  { split, replicas }: { split: boolean; replicas: Replicas },
): TargetProcess[][] {
  if (!split) {
    const keys = Object.assign({}, ...TARGETS.map((target) => keysOf(data, target)));
    const own = { ...process.env, ...env, ...keys };
    return [[{ name: 'all', target: 'all', env: own, shared: false }]];
  }
  const countOf = (target: Target): number => {
    const count = typeof replicas === 'number' ? replicas : (replicas[target] ?? 1);
    return rowOf(target).single ? Math.min(count, 1) : count;
  };
  const stages = [...new Set(TARGETS.map((target) => rowOf(target).stage))].sort();
  return stages.map((stage) =>
    TARGETS.filter((target) => rowOf(target).stage === stage).flatMap((target) =>
      replicasOf(target, countOf(target), environmentFor(target, data, env)),
    ),
  );
}

function environmentFor(
  target: Target,
  data: OwnDirectory,
  env: Readonly<Record<string, string>>,
): NodeJS.ProcessEnv {
  const all: NodeJS.ProcessEnv = { ...process.env, ...env, ...keysOf(data, target) };
  // The target that runs untrusted schemas gets only its own settings, nothing else of our environment.
  return target === 'schema'
    ? Object.fromEntries(Object.keys(BUS).map((name) => [name, all[name]]))
    : all;
}

function replicasOf(target: Target, count: number, env: NodeJS.ProcessEnv): TargetProcess[] {
  return Array.from({ length: count }, (_, index) => ({
    name: count === 1 ? target : `${target}-${index + 1}`,
    target,
    env,
    shared: count > 1 && rowOf(target).listens,
  }));
}

/** Files of the keys that a target holds. */
function keysOf(data: OwnDirectory, target: Target): Record<string, string> {
  const { key, messages } = rowOf(target);
  const files: Record<string, string> = {};
  const give = (variable: string, name: string): void => {
    files[`${variable}_FILE`] = data.at('keys', name);
  };
  for (const service of messages) give(messageKeysVariable(service), `${service}.message-keys`);
  if (key === 'caller') give('CALLER_PRIVATE_KEY', 'caller.pem');
  else if (messages.length > 0) give('CALLER_PUBLIC_KEY', 'caller.pub.pem');
  if (key === null || key === 'caller') return files;
  // One that is set in our own environment is used instead, such as vault:<name>.
  if (!process.env[signingKeyVariable(key)]) give(signingKeyVariable(key), `${key}.pem`);
  return files;
}

/** The configuration of every target, by environment only. */
export function environmentOf(
  data: OwnDirectory,
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
    // Its callers are on this machine, and the person who stops it waits.
    LINGER_SECONDS: '0',
    // All of it is on one machine, where more connections only take turns at its processors.
    DATABASE_CONNECTIONS: process.env['DATABASE_CONNECTIONS'] ?? '5',
    // For orphan.ts.
    COUNTERSIGN_STORES_FILE: data.at(STORES_FILE),
  };
}
