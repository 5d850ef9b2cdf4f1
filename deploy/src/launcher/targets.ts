import type { SigningService } from '@countersign/protocol';
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
  request: 0,
  review: 0,
  'execution-authority': 0,
  ledger: 0,
  notifier: 0,
  'worker-anchor': 0,
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
  request: 'request',
  review: 'review',
  'execution-authority': 'execution-authority',
  ledger: 'ledger',
  notifier: 'notifier',
  'worker-anchor': 'ledger',
  'worker-expiry': 'request',
  'worker-deletion': 'request',
  'worker-reconciliation': 'execution-authority',
  'worker-delivery': 'notifier',
  'worker-reminder': 'notifier',
  gateway: 'caller',
};

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
    return [[{ name: 'all', target: 'all', env: { ...env, ...keys }, shared: false }]];
  }
  const stages = [...new Set(Object.values(STAGE))].sort();
  return stages.map((stage) =>
    targets
      .filter((target) => STAGE[target] === stage)
      .flatMap((target) => {
        const count = SINGLE.includes(target) ? 1 : replicas;
        return replicasOf(target, count, { ...env, ...keysOf(data, target) });
      }),
  );
}

function replicasOf(
  target: Target,
  count: number,
  env: Readonly<Record<string, string>>,
): TargetProcess[] {
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
  const variable =
    owner === 'caller'
      ? 'CALLER_PRIVATE_KEY'
      : `${owner.toUpperCase().replaceAll('-', '_')}_SIGNING_KEY`;
  // One that is set in our own environment is used instead, such as vault:<name>.
  if (process.env[variable]) return {};
  return { [`${variable}_FILE`]: data.at('keys', `${owner}.pem`) };
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
    CALLER_PUBLIC_KEY_FILE: data.at('keys', 'caller.pub.pem'),
    QUOTAS: quotas ? 'on' : 'off',
    // All of it is on one machine, where more connections only take turns at its processors.
    DATABASE_CONNECTIONS: process.env['DATABASE_CONNECTIONS'] ?? '5',
    // For orphan.ts.
    COUNTERSIGN_STORES_FILE: data.at(STORES_FILE),
  };
}
