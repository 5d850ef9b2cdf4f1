import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from '../../../support/folder.js';
import { until } from '../../../support/requests.js';
import { kubectlOf } from '../kubectl.js';
import type { Kubectl } from '../kubectl.js';
import {
  apiserverFlags,
  controllerFlags,
  etcdFlags,
  proxyFlags,
  schedulerFlags,
} from './control-plane.js';
import { HOST, openEnclosure } from './enclosure.js';
import type { Enclosure } from './enclosure.js';
import { pauseImage } from './image.js';
import { API, NODE_RIGHTS, kubeconfigOf, writeLogins } from './logins.js';
import { startNetwork, tableFile } from './network.js';
import { NODES, PAUSE, startNode } from './node.js';
import type { Ground, RunningNode } from './node.js';
import { obtainParts } from './parts.js';

/** Other users of this machine may open no connections to pods, whose stores ask for no password. */
const CLOSED = `table ip outside {
  chain forward { type filter hook forward priority 0; iifname "outside" ct state new drop
  }
}`;

/** A Kubernetes of two nodes on this machine. */
export interface OwnCluster {
  /** Its folder: logs of its parts are in `logs`. */
  readonly folder: string;
  readonly kubectl: Kubectl;
  readonly nodes: readonly RunningNode[];
  /** Ends it; nothing of it is left. The same happens when this process ends, also by SIGKILL. */
  stop(): Promise<void>;
}

/** Two nodes, ready. Its parts are built and fetched once for a machine, which takes minutes. */
export async function startCluster(): Promise<OwnCluster> {
  const parts = await obtainParts();
  const folder = newFolder('kubernetes');
  const groups = `countersign-cluster-${process.pid}-`;
  const enclosure = await openEnclosure({ folder, groups });
  const ground: Ground = { enclosure, folder, parts, groups };
  const started: { stop(): void }[] = [];
  const stop = async (): Promise<void> => {
    for (const part of started) part.stop();
    await enclosure.stop();
  };
  try {
    for (const name of ['logs', 'pki', 'etcd', 'images', 'volume-plugins'])
      mkdirSync(join(folder, name));
    keepSysctls(enclosure, folder);
    for (const path of ['/run', '/var/lib', '/var/log'])
      enclosure.run('mount', ['-t', 'tmpfs', 'tmpfs', path]);
    const token = writeLogins(folder);
    const log = (part: string): string => join(folder, 'logs', `${part}.log`);
    const run = ([part = '', ...flags]: string[]): void =>
      enclosure.start(log(part), parts.kubernetes, [part, ...flags], parts.env);
    run(etcdFlags(folder));
    run(apiserverFlags(folder));
    const kubectl = kubectlOf([parts.kubernetes, 'kubectl'], kubeconfigOf(folder, 'admin'), folder);
    await until(
      () => kubectl.ask('get', '--raw', '/readyz').catch(() => ''),
      (answer) => answer === 'ok',
      180_000,
    );
    await kubectl.apply(NODE_RIGHTS);
    run(controllerFlags(folder));
    run(schedulerFlags(folder));
    run(proxyFlags(folder));
    const authority = readFileSync(join(folder, 'pki', 'apiserver.crt'), 'utf8');
    const filter = (name: string, rules: string): void =>
      void enclosure.run('nft', ['-f', tableFile(folder, name, rules)], parts.env);
    filter('outside', CLOSED);
    started.push(
      await startNetwork({ url: API, token, authority }, (rules) => filter('policies', rules)),
    );
    const nodes = await startNodes(ground, kubectl);
    return { folder, kubectl, nodes, stop };
  } catch (error) {
    const said = lastLinesIn(join(folder, 'logs'));
    await stop();
    throw new Error(`the cluster did not start: ${(error as Error).message}\n${said}`, {
      cause: error,
    });
  }
}

async function startNodes(ground: Ground, kubectl: Kubectl): Promise<RunningNode[]> {
  const { enclosure, folder } = ground;
  enclosure.run('ip', ['link', 'add', 'nodes', 'type', 'bridge']);
  enclosure.run('ip', ['link', 'set', 'nodes', 'up']);
  writeFileSync(join(folder, 'resolv.conf'), `nameserver ${HOST}\n`);
  const pause = await pauseImage(join(folder, 'images', 'pause'), PAUSE);
  const nodes: RunningNode[] = [];
  for (const name of NODES) {
    const node = await startNode(ground, name);
    node.load(pause);
    nodes.push(node);
  }
  const names = NODES.map((name) => `node/${name}`);
  // kubectl waits for no node that is not there yet.
  await until(
    () => kubectl.ask('get', '--output', 'name', 'nodes'),
    (there) => names.every((name) => there.includes(name)),
    180_000,
  );
  await kubectl.ask('wait', '--for=condition=Ready', '--timeout=180s', ...names);
  return nodes;
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

function lastLinesIn(logs: string): string {
  return readdirSync(logs)
    .map((file) => `${file}: ${readFileSync(join(logs, file), 'utf8').slice(-1500)}`)
    .join('\n');
}
