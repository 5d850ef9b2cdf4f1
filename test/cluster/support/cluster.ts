import { execFile, execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { newFolder } from '../../support/folder.js';
import { obtained } from '../../support/programs/obtained.js';
import { until } from '../../support/requests.js';
import { startDns } from './dns.js';
import { HOST, INSIDE, openEnclosure } from './enclosure.js';
import type { Enclosure } from './enclosure.js';
import { pauseImage } from './image.js';
import { debianParts } from './parts.js';
import { rulesetOf } from './policies.js';

export const NODES = ['node-a', 'node-b'] as const;

/** A Kubernetes of two nodes on this machine. */
export interface Cluster {
  /** Path of the file that kubectl and helm log in with, as administrator. */
  readonly kubeconfig: string;
  /** Its folder: logs of its parts are below `logs`. */
  readonly folder: string;
  kubectl(...args: string[]): Promise<string>;
  /** Creates or changes objects. */
  apply(...objects: object[]): Promise<void>;
  /** Has the server check objects as if it made them; throws what it says. */
  tryOut(...objects: object[]): Promise<void>;
  /** Brings an image archive to all nodes. */
  load(archive: string): void;
  stop(): Promise<void>;
}

const PAUSE = 'localhost/pause:1';
const HIERARCHIES = '/sys/fs/cgroup';
const GROUP = 'countersign-cluster-';
const FOLDER = 'kubernetes-';
const TOKENS = {
  admin: ['admin', 'system:masters'],
  controllers: ['system:kube-controller-manager'],
  scheduler: ['system:kube-scheduler'],
  proxy: ['system:kube-proxy'],
  'node-a': ['system:node:node-a', 'system:nodes'],
  'node-b': ['system:node:node-b', 'system:nodes'],
} as const;
type Login = keyof typeof TOKENS;

/** Two nodes, ready. Its parts are built and fetched once for a machine, which takes minutes. */
export async function startCluster(): Promise<Cluster> {
  removeRestsOfKilled();
  const program = await obtained('kubernetes');
  const parts = debianParts();
  const folder = newFolder(`${FOLDER}${process.pid}`);
  for (const name of ['logs', 'pki', 'etcd', 'images']) mkdirSync(join(folder, name));
  const log = (name: string): string => join(folder, 'logs', `${name}.log`);
  const enclosure = await openEnclosure();
  const env = {
    PATH: [join(parts, 'usr/sbin'), join(parts, 'usr/bin'), process.env['PATH']].join(':'),
    LD_LIBRARY_PATH: ['usr/lib/x86_64-linux-gnu', 'lib/x86_64-linux-gnu']
      .map((libraries) => join(parts, libraries))
      .join(':'),
  };
  const start = (name: string, part: string, ...args: string[]) =>
    enclosure.start(log(name), program, [part, ...args], env);
  keepSysctls(enclosure, folder);

  const kubeconfig = (login: Login): string => join(folder, `${login}.conf`);
  writeLogins(folder, kubeconfig);
  const kubectl = async (...args: string[]): Promise<string> => {
    const all = ['kubectl', '--kubeconfig', kubeconfig('admin'), ...args];
    return (await promisify(execFile)(program, all, { maxBuffer: 1 << 28 })).stdout;
  };
  const applyWith = (flags: readonly string[], objects: readonly object[]): void => {
    const list = { apiVersion: 'v1', kind: 'List', items: objects };
    const args = [
      'kubectl',
      '--kubeconfig',
      kubeconfig('admin'),
      'apply',
      '--server-side',
      ...flags,
      '-f',
      '-',
    ];
    execFileSync(program, args, { input: JSON.stringify(list), stdio: ['pipe', 'ignore', 'pipe'] });
  };
  const apply = async (...objects: object[]): Promise<void> => applyWith([], objects);
  const tryOut = async (...objects: object[]): Promise<void> =>
    applyWith(['--dry-run=server'], objects);
  const load = (archive: string): void => {
    for (const node of NODES) {
      const socket = join(folder, node, 'containerd.sock');
      enclosure.run(
        'ctr',
        ['--address', socket, '--namespace', 'k8s.io', 'images', 'import', archive],
        env,
      );
    }
  };
  const addresses = new Map<string, string>();
  const watching = new AbortController();
  const dns = await startDns(HOST, (service, namespace) =>
    addresses.get(`${service}.${namespace}`),
  );

  async function stop(): Promise<void> {
    watching.abort();
    dns.stop();
    await enclosure.stop();
    removeGroups(`${GROUP}${process.pid}-`);
    rmSync(folder, { recursive: true, force: true });
  }

  try {
    const store = 'http://127.0.0.1:2379';
    start('etcd', 'etcd', '--data-dir', join(folder, 'etcd'), '--unsafe-no-fsync');
    start('apiserver', 'kube-apiserver', ...apiserverFlags(folder, store));
    await until(
      () => kubectl('get', '--raw', '/readyz').catch(() => ''),
      (answer) => answer === 'ok',
      120_000,
    );
    await apply(nodeRights(), {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'monitoring' },
    });
    start(
      'controllers',
      'kube-controller-manager',
      ...controllerFlags(folder, kubeconfig('controllers')),
    );
    start('scheduler', 'kube-scheduler', ...schedulerFlags(folder, kubeconfig('scheduler')));
    const pause = pauseImage(join(folder, 'images', 'pause'), PAUSE);
    enclosure.run('ip', ['link', 'add', 'nodes', 'type', 'bridge']);
    enclosure.run('ip', ['link', 'set', 'nodes', 'up']);
    writeFileSync(join(folder, 'resolv.conf'), `nameserver ${HOST}\n`);
    for (const [index, node] of NODES.entries()) {
      await startNode({
        enclosure,
        folder,
        parts,
        env,
        program,
        index: index + 1,
        node,
        kubeconfig: kubeconfig(node),
      });
    }
    load(pause);
    start(
      'proxy',
      'kube-proxy',
      ...[
        '--kubeconfig',
        kubeconfig('proxy'),
        '--proxy-mode=nftables',
        '--hostname-override=node-a',
      ],
      ...['--cluster-cidr=10.244.0.0/16', '--conntrack-max-per-core=0'],
    );
    await kubectl('wait', '--for=create', '--timeout=120s', ...NODES.map((node) => `node/${node}`));
    await kubectl(
      'wait',
      '--for=condition=Ready',
      '--timeout=120s',
      ...NODES.map((node) => `node/${node}`),
    );
  } catch (error) {
    const lines = readdirSync(join(folder, 'logs'))
      .map((file) => `${file}: ${readFileSync(join(folder, 'logs', file), 'utf8').slice(-1500)}`)
      .join('\n');
    await stop();
    throw new Error(`the cluster did not start: ${(error as Error).message}\n${lines}`, {
      cause: error,
    });
  }
  const filter = (rules: string): void => {
    const file = join(folder, 'policies.nft');
    // Replaced in one step: a table that is not there cannot be deleted.
    writeFileSync(file, `table ip policies {}\ndelete table ip policies\n${rules}\n`);
    enclosure.run('nft', ['-f', file], env);
  };
  void follow(kubectl, addresses, filter, watching.signal);
  return { kubeconfig: kubeconfig('admin'), folder, kubectl, apply, tryOut, load, stop };
}

/** Keeps up what a plugin of the network does: names of Services, and what policies allow. About a second late. */
async function follow(
  kubectl: Cluster['kubectl'],
  addresses: Map<string, string>,
  filter: (rules: string) => void,
  signal: AbortSignal,
): Promise<void> {
  let current = '';
  while (!signal.aborted) {
    const kinds = 'services,networkpolicies,pods,namespaces';
    const text = await kubectl('get', kinds, '--all-namespaces', '-o', 'json').catch(() => null);
    if (text !== null && !signal.aborted) {
      const { items } = JSON.parse(text) as { items: { kind: string; metadata: any; spec: any }[] };
      const of = (wanted: string): any[] => items.filter(({ kind }) => kind === wanted);
      for (const { metadata, spec } of of('Service'))
        addresses.set(`${metadata.name}.${metadata.namespace}`, spec.clusterIP);
      const rules = rulesetOf({
        policies: of('NetworkPolicy'),
        pods: of('Pod'),
        namespaces: of('Namespace'),
      });
      if (rules !== current) filter(rules);
      current = rules;
    }
    await new Promise((resolve) => setTimeout(resolve, 1000).unref());
  }
}

/** kubelet sets some switches of the kernel for all of the machine: it gets files to write instead. */
function keepSysctls(enclosure: Enclosure, folder: string): void {
  for (const path of [
    'vm/overcommit_memory',
    'vm/panic_on_oom',
    'kernel/panic',
    'kernel/panic_on_oops',
  ]) {
    const file = join(folder, path.replace('/', '-'));
    writeFileSync(file, readFileSync(`/proc/sys/${path}`, 'utf8'));
    enclosure.run('mount', ['--bind', file, `/proc/sys/${path}`]);
  }
}

function writeLogins(folder: string, path: (login: Login) => string): void {
  const lines = Object.entries(TOKENS).map(
    ([login, [user, ...groups]]) => `${login}-token,${user},${login},"${groups.join(',')}"`,
  );
  writeFileSync(join(folder, 'pki', 'tokens.csv'), `${lines.join('\n')}\n`);
  for (const login of Object.keys(TOKENS) as Login[]) {
    const server = `https://${INSIDE}:6443`;
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'test', cluster: { server, 'insecure-skip-tls-verify': true } }],
      users: [{ name: login, user: { token: `${login}-token` } }],
      contexts: [{ name: 'test', context: { cluster: 'test', user: login } }],
      'current-context': 'test',
    };
    writeFileSync(path(login), JSON.stringify(config), { mode: 0o600 });
  }
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  writeFileSync(join(folder, 'pki', 'accounts.key'), privateKey);
  writeFileSync(join(folder, 'pki', 'accounts.pub'), publicKey);
}

function apiserverFlags(folder: string, store: string): string[] {
  const pki = join(folder, 'pki');
  return [
    `--etcd-servers=${store}`,
    `--advertise-address=${INSIDE}`,
    `--cert-dir=${pki}`,
    `--token-auth-file=${pki}/tokens.csv`,
    `--service-account-key-file=${pki}/accounts.pub`,
    `--service-account-signing-key-file=${pki}/accounts.key`,
    '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
    '--service-cluster-ip-range=10.96.0.0/16',
    '--authorization-mode=Node,RBAC',
    '--enable-admission-plugins=NodeRestriction',
    '--allow-privileged=true',
    // Otherwise `kubectl logs` asks DNS for names of nodes.
    '--kubelet-preferred-address-types=InternalIP',
  ];
}

function controllerFlags(folder: string, kubeconfig: string): string[] {
  const pki = join(folder, 'pki');
  return [
    `--kubeconfig=${kubeconfig}`,
    `--authentication-kubeconfig=${kubeconfig}`,
    `--authorization-kubeconfig=${kubeconfig}`,
    `--cert-dir=${pki}`,
    `--root-ca-file=${pki}/apiserver.crt`,
    `--service-account-private-key-file=${pki}/accounts.key`,
    '--use-service-account-credentials=true',
    '--leader-elect=false',
  ];
}

function schedulerFlags(folder: string, kubeconfig: string): string[] {
  return [
    `--kubeconfig=${kubeconfig}`,
    `--authentication-kubeconfig=${kubeconfig}`,
    `--authorization-kubeconfig=${kubeconfig}`,
    `--cert-dir=${join(folder, 'pki')}`,
    '--leader-elect=false',
  ];
}

/** Nodes log in with tokens, and the built-in binding is for certificates. */
function nodeRights(): object {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'nodes-by-token' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:nodes' }],
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'system:node' },
  };
}

interface NodeStart {
  readonly enclosure: Enclosure;
  readonly folder: string;
  readonly parts: string;
  readonly env: NodeJS.ProcessEnv;
  readonly program: string;
  /** From 1 on: part of its addresses and ports. */
  readonly index: number;
  readonly node: string;
  readonly kubeconfig: string;
}

async function startNode(options: NodeStart): Promise<void> {
  const { enclosure, folder, parts, env, program, index, node, kubeconfig } = options;
  const own = join(folder, node);
  for (const name of ['containerd', 'cni', 'kubelet', 'pods'])
    mkdirSync(join(own, name), { recursive: true });
  const address = `10.240.0.${index}`;
  enclosure.run('ip', ['address', 'add', `${address}/24`, 'dev', 'nodes']);
  const group = `${GROUP}${process.pid}-${node}`;
  makeGroups(group);
  const socket = join(own, 'containerd.sock');
  writeFileSync(join(own, 'containerd.toml'), containerdConfig(own, socket, parts));
  writeFileSync(join(own, 'cni', '10-pods.conflist'), JSON.stringify(networkConfig(own, index)));
  writeFileSync(
    join(own, 'kubelet.json'),
    JSON.stringify(kubeletConfig(folder, own, socket, group, index)),
  );
  enclosure.start(
    join(folder, 'logs', `containerd-${node}.log`),
    'containerd',
    ['-c', join(own, 'containerd.toml')],
    env,
  );
  await until(
    async () => existsSync(socket),
    (there) => there,
    30_000,
  );
  enclosure.start(
    join(folder, 'logs', `kubelet-${node}.log`),
    program,
    [
      'kubelet',
      `--config=${join(own, 'kubelet.json')}`,
      `--kubeconfig=${kubeconfig}`,
      `--root-dir=${join(own, 'kubelet')}`,
      `--cert-dir=${join(own, 'kubelet', 'pki')}`,
      `--hostname-override=${node}`,
      `--node-ip=${address}`,
      `--node-labels=topology.kubernetes.io/zone=zone-${index}`,
    ],
    env,
  );
}

function containerdConfig(own: string, socket: string, parts: string): string {
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
      BinaryName = "${parts}/usr/sbin/runc"
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "${parts}/usr/lib/cni"
    conf_dir = "${own}/cni"
`;
}

/** A link of its own for each pod, so that all that pods send passes the filter, also within a node. */
function networkConfig(own: string, index: number): object {
  const link = {
    type: 'ptp',
    ipMasq: false,
    ipam: {
      type: 'host-local',
      dataDir: join(own, 'addresses'),
      ranges: [[{ subnet: `10.244.${index}.0/24` }]],
      routes: [{ dst: '0.0.0.0/0' }],
    },
  };
  return { cniVersion: '0.4.0', name: 'pods', plugins: [link] };
}

function kubeletConfig(
  folder: string,
  own: string,
  socket: string,
  group: string,
  index: number,
): object {
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    containerRuntimeEndpoint: `unix://${socket}`,
    cgroupDriver: 'cgroupfs',
    cgroupRoot: `/${group}`,
    enforceNodeAllocatable: [],
    failCgroupV1: false,
    failSwapOn: false,
    port: 10_250 + 10 * index,
    healthzPort: 10_248 + 10 * index,
    authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
    authorization: { mode: 'AlwaysAllow' },
    clusterDNS: [HOST],
    clusterDomain: 'cluster.local',
    resolvConf: join(folder, 'resolv.conf'),
    podLogsDir: join(own, 'pods'),
    nodeStatusUpdateFrequency: '5s',
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
    if (name !== 'cpuset') continue;
    for (const file of ['cpuset.cpus', 'cpuset.mems'])
      writeFileSync(join(path, file), readFileSync(join(HIERARCHIES, name, file)));
  }
}

/** Of runs that were killed: their processes, mounts and interfaces ended with them. */
function removeRestsOfKilled(): void {
  const isOver = (name: string, prefix: string): boolean => {
    const pid = new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1];
    return pid !== undefined && !existsSync(`/proc/${pid}`);
  };
  for (const name of hierarchies()) {
    for (const group of readdirSync(join(HIERARCHIES, name)))
      if (isOver(group, GROUP)) removeGroup(join(HIERARCHIES, name, group));
  }
  for (const name of readdirSync(tmpdir())) {
    if (isOver(name, `countersign-${FOLDER}`))
      rmSync(join(tmpdir(), name), { recursive: true, force: true });
  }
}

function removeGroups(prefix: string): void {
  for (const name of hierarchies()) {
    for (const group of readdirSync(join(HIERARCHIES, name)))
      if (group.startsWith(prefix)) removeGroup(join(HIERARCHIES, name, group));
  }
}

/** Those below it first. One that still has a process stays for the next run. */
function removeGroup(path: string): void {
  for (const entry of readdirSync(path, { withFileTypes: true }))
    if (entry.isDirectory()) removeGroup(join(path, entry.name));
  try {
    rmdirSync(path);
  } catch {
    // Its last process is just ending.
  }
}
