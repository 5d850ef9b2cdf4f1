import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { watch } from './api.js';
import type { Api, Named } from './api.js';
import { startDns } from './dns.js';
import { HOST } from './enclosure.js';
import { rulesetOf } from './policies.js';
import type { Namespace, Pod, Policy } from './policies.js';

interface Service {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec: {
    readonly clusterIP?: string;
    readonly selector?: Readonly<Record<string, string>>;
  };
}

/**
 * What plugins of a cluster's network do: it answers for the names of Services, and gives `filter` the rules that follow from
 * NetworkPolicies and pods, whenever they change.
 */
export async function startNetwork(
  api: Api,
  filter: (rules: string) => void,
): Promise<{ stop(): void }> {
  const watching = new AbortController();
  let services: readonly Service[] = [];
  const dns = await startDns(HOST, (name, namespace) => {
    const service = services.find(
      ({ metadata }) => metadata.name === name && metadata.namespace === namespace,
    );
    return service && addressesOf(service, pods);
  });
  let policies: readonly Policy[] = [];
  let pods: readonly Pod[] = [];
  let namespaces: readonly Namespace[] = [];
  let current = '';
  const update = (): void => {
    try {
      const rules = rulesetOf({ policies, pods, namespaces });
      if (rules !== current) filter(rules);
      current = rules;
    } catch (error) {
      process.stderr.write(`cluster: policies are not enforced: ${(error as Error).message}\n`);
    }
  };
  const follow = <T extends Named>(path: string, told: (objects: readonly T[]) => void): void =>
    void watch<T>(api, path, told, watching.signal);
  follow<Service>('/api/v1/services', (all) => {
    services = all;
  });
  follow<Namespace>('/api/v1/namespaces', (all) => {
    namespaces = all;
    update();
  });
  follow<Pod>('/api/v1/pods', (all) => {
    pods = all;
    update();
  });
  follow<Policy>('/apis/networking.k8s.io/v1/networkpolicies', (all) => {
    policies = all;
    update();
  });
  return {
    stop() {
      watching.abort();
      dns.stop();
    },
  };
}

/**
 * Loads the rules of a table of nftables in place of those before, in one step. The table and its hooks stay: between the end of one
 * hook and the begin of the next, a packet could meet neither. Chains of pods that are gone stay, empty.
 */
export function tableFile(folder: string, name: string, rules: string): string {
  const file = join(folder, `${name}.nft`);
  writeFileSync(file, `table ip ${name} {}\nflush table ip ${name}\n${rules}\n`);
  return file;
}

/** Of a Service without an address of its own: those of its pods. */
function addressesOf({ metadata, spec }: Service, pods: readonly Pod[]): readonly string[] {
  const { clusterIP, selector = {} } = spec;
  if (clusterIP === undefined) return [];
  if (clusterIP !== 'None') return [clusterIP];
  return pods
    .filter((pod) => pod.metadata.namespace === metadata.namespace)
    .filter(({ metadata: { labels = {} } }) =>
      Object.entries(selector).every(([name, value]) => labels[name] === value),
    )
    .flatMap(({ status }) => (status.podIP === undefined ? [] : [status.podIP]));
}
