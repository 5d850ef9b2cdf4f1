import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../../../support/requests.js';
import { HOST } from './enclosure.js';
import type { Enclosure } from './enclosure.js';
import { kubeconfigOf } from './logins.js';
import { tableFile } from './network.js';
import type { Parts } from './parts.js';

export const NODES = ['node-a', 'node-b'] as const;
export type NodeName = (typeof NODES)[number];
export const PAUSE = 'localhost/pause:1';

const HIERARCHIES = '/sys/fs/cgroup';

/** A whole node would get as much processor time as one other process of this machine gets, which has 1024. */
const SHARES = 16 * 1024;

/** Where nodes run. */
export interface Ground {
  readonly enclosure: Enclosure;
  readonly folder: string;
  readonly parts: Parts;
  /** Begin of the names of their control groups. */
  readonly groups: string;
}

export interface RunningNode {
  readonly name: NodeName;
  /** Brings the images of an archive to it. */
  load(archive: string): void;
  /** Ends the first process of a container at once, as the kernel does that lacks memory. */
  kill(container: string): void;
  /** As when its power fails: it neither answers nor sends anything, and its processes are gone. */
  lose(): void;
  /** Gives it power again. */
  restore(): Promise<void>;
}

export async function startNode(ground: Ground, name: NodeName): Promise<RunningNode> {
  const { enclosure, folder, parts } = ground;
  const own = join(folder, name);
  const socket = join(own, 'containerd.sock');
  const group = `${ground.groups}${name}`;
  const number = NODES.indexOf(name) + 1;
  const pods = `10.244.${number}.0/24`;
  for (const part of ['containerd', 'cni', 'kubelet', 'pods', 'volume-plugins'])
    mkdirSync(join(own, part), { recursive: true });
  makeGroups(group);
  const write = (file: string, text: string): void => writeFileSync(join(own, file), text);
  write('containerd.toml', containerdConfig(own, socket, parts.debian));
  write('cni/10-pods.conflist', JSON.stringify(networkConfig(own, pods)));
  write('kubelet.json', JSON.stringify(kubeletConfig({ folder, own, socket, group, number })));
  const address = `10.240.0.${number}`;
  enclosure.run('ip', ['address', 'add', `${address}/24`, 'dev', 'nodes']);
  const ctr = (...args: string[]): string =>
    enclosure.run('ctr', ['--address', socket, '--namespace', 'k8s.io', ...args], parts.env);

  async function start(): Promise<void> {
    const log = (part: string): string => join(folder, 'logs', `${part}-${name}.log`);
    enclosure.start(
      log('containerd'),
      'containerd',
      ['-c', join(own, 'containerd.toml')],
      parts.env,
    );
    // kubelet ends when nothing answers it.
    await until(async () => answers(() => ctr('version')), Boolean, 60_000);
    const flags = [
      `--config=${join(own, 'kubelet.json')}`,
      `--kubeconfig=${kubeconfigOf(folder, name)}`,
      `--root-dir=${join(own, 'kubelet')}`,
      `--cert-dir=${join(own, 'kubelet', 'pki')}`,
      `--hostname-override=${name}`,
      `--node-ip=${address}`,
      `--node-labels=topology.kubernetes.io/zone=zone-${number}`,
    ];
    enclosure.start(log('kubelet'), parts.kubernetes, ['kubelet', ...flags], parts.env);
  }
  const filter = (rules: string): string =>
    enclosure.run('nft', ['-f', tableFile(own, `lost${number}`, rules)], parts.env);

  await start();
  return {
    name,
    load: (archive) => void ctr('images', 'import', archive),
    kill: (container) => void ctr('tasks', 'kill', '--signal', 'SIGKILL', container),
    lose() {
      const drop = ['saddr', 'daddr'].map((end) => `ip ${end} ${pods} drop`).join('\n');
      filter(`table ip lost${number} {
        chain forward { type filter hook forward priority -10; ${drop}
        }
      }`);
      killAll(own, group);
    },
    async restore() {
      filter('');
      await start();
    },
  };
}

function answers(ask: () => unknown): boolean {
  try {
    ask();
    return true;
  } catch {
    return false;
  }
}

function containerdConfig(own: string, socket: string, debian: string): string {
  return `version = 2
root = "${own}/containerd/root"
state = "${own}/containerd/state"
[grpc]
  address = "${socket}"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${PAUSE}"
  disable_apparmor = true
  # Without CAP_SYS_RESOURCE no process may be made less likely to be ended than its parent.
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
      SystemdCgroup = false
      BinaryName = "${debian}/usr/sbin/runc"
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "${debian}/usr/lib/cni"
    conf_dir = "${own}/cni"
`;
}

/** A link of its own for each pod, so that all that pods send passes the filter, also within a node. */
function networkConfig(own: string, subnet: string): object {
  const link = {
    type: 'ptp',
    ipMasq: false,
    ipam: {
      type: 'host-local',
      dataDir: join(own, 'addresses'),
      ranges: [[{ subnet }]],
      routes: [{ dst: '0.0.0.0/0' }],
    },
  };
  return { cniVersion: '0.4.0', name: 'pods', plugins: [link] };
}

interface KubeletOptions {
  readonly folder: string;
  readonly own: string;
  readonly socket: string;
  readonly group: string;
  readonly number: number;
}

function kubeletConfig({ folder, own, socket, group, number }: KubeletOptions): object {
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    containerRuntimeEndpoint: `unix://${socket}`,
    cgroupDriver: 'cgroupfs',
    cgroupRoot: `/${group}`,
    enforceNodeAllocatable: [],
    failCgroupV1: false,
    failSwapOn: false,
    port: 10_250 + 10 * number,
    healthzPort: 10_248 + 10 * number,
    // Reached from the enclosure alone.
    authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
    authorization: { mode: 'AlwaysAllow' },
    clusterDNS: [HOST],
    clusterDomain: 'cluster.local',
    resolvConf: join(folder, 'resolv.conf'),
    podLogsDir: join(own, 'pods'),
    volumePluginDir: join(own, 'volume-plugins'),
    nodeStatusUpdateFrequency: '5s',
    // Pods see changed Secrets after so long.
    syncFrequency: '10s',
    evictionHard: {
      'memory.available': '100Mi',
      'nodefs.available': '1%',
      'imagefs.available': '1%',
    },
    imageGCHighThresholdPercent: 100,
  };
}

function hierarchies(): string[] {
  return readdirSync(HIERARCHIES).filter((name) =>
    existsSync(join(HIERARCHIES, name, 'cgroup.procs')),
  );
}

function makeGroups(group: string): void {
  for (const name of hierarchies()) {
    const path = join(HIERARCHIES, name, group);
    mkdirSync(path, { recursive: true });
    if (name === 'cpu') writeFileSync(join(path, 'cpu.shares'), String(SHARES));
    if (name !== 'cpuset') continue;
    for (const file of ['cpuset.cpus', 'cpuset.mems'])
      writeFileSync(join(path, file), readFileSync(join(HIERARCHIES, name, file)));
  }
}

/** kubelet, containerd and its shims, which name the node's folder; then what runs in containers. */
function killAll(own: string, group: string): void {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    if (commandOf(pid).includes(`${own}/`)) kill(Number(pid));
  }
  for (const pid of processesOf(join(HIERARCHIES, 'memory', group))) kill(pid);
}

function processesOf(group: string): number[] {
  const below = readdirSync(group, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const own = readFileSync(join(group, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean);
  return [...own.map(Number), ...below.flatMap(({ name }) => processesOf(join(group, name)))];
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
