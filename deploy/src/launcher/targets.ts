import type { DataDirectory } from './data-directory.js';
import type { DemoTenant } from './demo-tenants.js';
import { SIGNING_SERVICES } from './keys.js';
import type { Ports } from './ports.js';
import type { Stores } from './stores.js';
import type { TargetProcess } from './supervisor.js';

/** The targets of `--split`, in groups that start one after the other: what others call comes first. */
const GROUPS = [
  ['development-provider'],
  ['request', 'review', 'execution-authority', 'ledger', 'notifier'],
  ['worker-anchor'],
  ['gateway'],
] as const;

/** Targets that stay single, whatever the number of replicas: their state lives in their memory. */
const SINGLE: readonly string[] = ['development-provider'];

/** Targets that listen on a port of their own, which their replicas share. */
const LISTENING: readonly string[] = ['gateway'];

export interface Origins {
  readonly origin: string;
  readonly sandboxOrigin: string;
  readonly issuer: string;
}

export function originsOf(ports: Ports): Origins {
  return {
    origin: `http://localhost:${ports.origin}`,
    sandboxOrigin: `http://localhost:${ports.sandbox}`,
    issuer: `http://localhost:${ports.provider}`,
  };
}

/** The processes to run, in groups: one for all targets, or with `split` one per target and replica. */
export function processesOf(
  env: Readonly<Record<string, string>>,
  { split, replicas }: { split: boolean; replicas: number },
): TargetProcess[][] {
  if (!split) return [[{ name: 'all', target: 'all', env, shared: false }]];
  return GROUPS.map((group) =>
    group.flatMap((target) => {
      const count = SINGLE.includes(target) ? 1 : replicas;
      return Array.from({ length: count }, (_, index) => ({
        name: count === 1 ? target : `${target}-${index + 1}`,
        target,
        env,
        shared: count > 1 && LISTENING.includes(target),
      }));
    }),
  );
}

/** The configuration of every target, by environment only. */
export function environmentOf(
  data: DataDirectory,
  ports: Ports,
  stores: Stores,
  tenants: readonly DemoTenant[],
  quotas: boolean,
): Record<string, string> {
  const { origin, sandboxOrigin, issuer } = originsOf(ports);
  const people = tenants.flatMap(({ people: all }) => all);
  return {
    ...stores.urls,
    MODE: 'development',
    ORIGIN: origin,
    PORT: String(ports.origin),
    SANDBOX_ORIGIN: sandboxOrigin,
    SANDBOX_PORT: String(ports.sandbox),
    OIDC_ISSUER: issuer,
    DEVELOPMENT_PROVIDER_PORT: String(ports.provider),
    DEVELOPMENT_PEOPLE: JSON.stringify(people.map(({ subject, name }) => ({ subject, name }))),
    ANCHOR_DIR: data.at('anchor'),
    TRUST_FILE: data.at('trust.json'),
    CALLER_PRIVATE_KEY_FILE: data.at('keys', 'caller.pem'),
    CALLER_PUBLIC_KEY_FILE: data.at('keys', 'caller.pub.pem'),
    ...Object.fromEntries(
      SIGNING_SERVICES.map((service) => [
        `${service.toUpperCase().replaceAll('-', '_')}_SIGNING_KEY_FILE`,
        data.at('keys', `${service}.pem`),
      ]),
    ),
    QUOTAS: quotas ? 'on' : 'off',
  };
}
