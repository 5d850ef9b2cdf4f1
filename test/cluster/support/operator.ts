import { until } from '../../support/requests.js';
import type { Kubectl } from './kubectl.js';
import { NAMESPACE, RELEASE } from './names.js';
import { doorLog } from './surroundings.js';

/** Only to end a run that hangs. */
const RETURNED_WITHIN_MS = 20 * 60_000;

const MINE = `app.kubernetes.io/instance=${RELEASE}`;

interface PodObject {
  readonly metadata: {
    readonly name: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
  };
  readonly spec: { readonly nodeName?: string };
  readonly status: {
    readonly phase: string;
    readonly podIP?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    readonly containerStatuses?: readonly {
      readonly name: string;
      readonly containerID?: string;
      readonly restartCount: number;
    }[];
  };
}

export interface PodSeen {
  readonly name: string;
  readonly target: string;
  readonly node: string;
  readonly address: string;
  readonly ready: boolean;
  readonly restarts: number;
  /** Id of the target's container in its runtime. */
  readonly container: string;
}

/** Questions and orders of an operator of the installation. */
export interface Operator {
  /** Pods of the release that are not ending, of one target or of all. */
  pods(target?: string): Promise<readonly PodSeen[]>;
  /** Resolves when every Deployment has all its pods, and they are ready. */
  settled(): Promise<void>;
  /**
   * Resolves when all pods of a node that was lost serve again. Until then its pods look as they did `before` the loss, which is
   * what `pods` gave then.
   */
  returned(node: string, before: readonly PodSeen[]): Promise<void>;
  /** Runs the CronJob of a check now; throws with its log when it does not pass. */
  check(name: string): Promise<void>;
  /** Lines in logs of a target's pods, or of all pods and of the tests' door. */
  logs(target: string | null): Promise<readonly string[]>;
  /** Replaces the pods of targets that are all on one node: drains leave them there, and Kubernetes moves none back. */
  spread(): Promise<void>;
  nodes(): Promise<readonly string[]>;
  /** Has the installation's pods move away from a node, which gets no new ones until it is uncordoned. */
  drain(node: string): Promise<void>;
  uncordon(node: string): Promise<void>;
  /** Names of all objects in the namespace but events, with their kinds. */
  objects(): Promise<readonly string[]>;
}

export function operatorWith(kubectl: Kubectl, namespace = NAMESPACE): Operator {
  const ask = (...args: string[]): Promise<string> =>
    kubectl.ask('--namespace', namespace, ...args);
  const only = (target?: string | null): string =>
    target === undefined || target === null
      ? MINE
      : `${MINE},app.kubernetes.io/component=${target}`;
  async function pods(target?: string): Promise<readonly PodSeen[]> {
    const { items } = JSON.parse(await ask('get', 'pods', '-l', only(target), '-o', 'json')) as {
      items: PodObject[];
    };
    return items
      .filter(({ metadata, status }) => isThere(metadata, status))
      .map((pod) => seen(pod));
  }
  async function settled(): Promise<void> {
    await ask('rollout', 'status', 'deployment', '-l', MINE, '--timeout=10m');
  }

  return {
    pods,
    settled,
    async returned(node, before) {
      const restartsOf = new Map(before.map(({ name, restarts }) => [name, restarts]));
      await until(
        () => pods(),
        (all) =>
          all.every((pod) => pod.node !== node || pod.restarts > (restartsOf.get(pod.name) ?? -1)),
        RETURNED_WITHIN_MS,
      );
      await settled();
    },
    async logs(target) {
      const flags = ['--tail=-1', '--max-log-requests=99', '--ignore-errors', '--prefix'];
      const own = await ask('logs', '-l', only(target), '--all-containers', ...flags);
      const ofDoor = target === null ? await doorLog(kubectl) : '';
      return [own, ofDoor].join('\n').split('\n');
    },
    async check(name) {
      const job = `job/check-${name}`;
      await ask('create', 'job', `check-${name}`, `--from=cronjob/${RELEASE}-${name}`);
      try {
        await ask('wait', '--for=condition=Complete', job, '--timeout=5m');
      } catch (error) {
        throw new Error(`${name} did not pass: ${await ask('logs', job)}`, { cause: error });
      }
    },
    async spread() {
      const nodesOf = new Map<string, Set<string>>();
      for (const { target, node } of await pods())
        nodesOf.set(target, (nodesOf.get(target) ?? new Set()).add(node));
      for (const [target, nodes] of nodesOf) {
        if (nodes.size === 1) await ask('rollout', 'restart', 'deployment', '-l', only(target));
      }
      await settled();
    },
    async nodes() {
      const names = ['get', 'nodes', '-o', 'jsonpath={.items[*].metadata.name}'];
      return (await kubectl.ask(...names)).split(' ');
    },
    async drain(node) {
      // Stores and the identity provider stay: they are no part of the installation.
      const ours = `--pod-selector=${MINE}`;
      await kubectl.ask('drain', node, ours, '--delete-emptydir-data', '--timeout=15m');
    },
    uncordon: async (node) => void (await kubectl.ask('uncordon', node)),
    async objects() {
      const kinds = await kubectl.ask(
        ...['api-resources', '--namespaced', '--verbs=list', '-o', 'name'],
      );
      const asked = kinds
        .split('\n')
        .filter((kind) => kind !== '' && !/^(events|.*metrics\.k8s\.io$)/.test(kind));
      const names = await ask('get', asked.join(','), '-o', 'name', '--ignore-not-found');
      return names.split('\n').filter(Boolean).sort();
    },
  };
}

function isThere(
  { deletionTimestamp }: PodObject['metadata'],
  { phase }: PodObject['status'],
): boolean {
  return deletionTimestamp === undefined && phase !== 'Succeeded' && phase !== 'Failed';
}

function seen({ metadata, spec, status }: PodObject): PodSeen {
  const target = metadata.labels['app.kubernetes.io/component'] ?? '';
  const containers = status.containerStatuses ?? [];
  const own = containers.find(({ name }) => name === target);
  return {
    name: metadata.name,
    target,
    node: spec.nodeName ?? '',
    address: status.podIP ?? '',
    ready:
      status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false,
    restarts: containers.reduce((sum, { restartCount }) => sum + restartCount, 0),
    container: own?.containerID?.replace('containerd://', '') ?? '',
  };
}
