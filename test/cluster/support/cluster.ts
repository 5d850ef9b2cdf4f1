import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from '../../support/folder.js';
import { PREVIOUS, ROOT, knowsPrevious, previousRoot } from '../../fault/support/previous.js';
import { report } from '../../fault/support/report.js';
import { kubectlOf } from './kubectl.js';
import type { Kubectl } from './kubectl.js';
import { HOST } from './own/enclosure.js';
import { countersignImage, edgeImage, storesImage } from './own/image.js';
import { startCluster } from './own/start.js';

/** What pods of the suite run: our image, that of the version before if there is one, and those of stores. */
export interface Images {
  readonly countersign: string;
  readonly previous: string | null;
  readonly postgres: string;
  readonly nats: string;
  readonly redis: string;
  readonly s3: string;
  /** null where it was not asked for. */
  readonly edge: string | null;
}

/** What only the owner of nodes can do. */
export interface Powers {
  /** Ends the first process of a container at once. `node` is where it runs, `container` its id in the runtime. */
  kill(node: string, container: string): void;
  /** As when the node's power fails. */
  lose(node: string): void;
  restore(node: string): Promise<void>;
}

/** A cluster that the suite runs on. */
export interface Cluster {
  readonly kubectl: Kubectl;
  readonly images: Images;
  /** NetworkPolicy peers of its DNS. */
  readonly dns: readonly object[];
  /** null: those of a cluster that is not the suite's own. */
  readonly powers: Powers | null;
  /** Folder for files of this run. */
  readonly folder: string;
  stop(): Promise<void>;
}

const LOCAL = 'localhost/countersign';
const STORES = 'localhost/stores:1';
const EDGE = 'localhost/edge:1';

/** The cluster of CLUSTER_KUBECONFIG, or one of our own (CONTRIBUTING.md); one of our own has the image of a Gateway if `edge` asks for it. */
export function openCluster({ edge = false } = {}): Promise<Cluster> {
  const kubeconfig = process.env['CLUSTER_KUBECONFIG'];
  return kubeconfig === undefined ? ownCluster(edge) : givenCluster(kubeconfig);
}

/** Names of images by their keys: `countersign=registry.example/countersign:1,postgres=…`. */
function givenImages(): Images {
  const given = (process.env['CLUSTER_IMAGES'] ?? '')
    .split(',')
    .filter(Boolean)
    .map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]);
  const images = {
    previous: null,
    postgres: 'postgres:17',
    nats: 'nats:2.12-alpine',
    redis: 'redis:8',
    s3: 'versity/versitygw:v1.8.0',
    edge: 'traefik:v3.6',
    ...(Object.fromEntries(given) as Partial<Images>),
  };
  const { countersign } = images;
  if (countersign === undefined)
    throw new Error(
      'CLUSTER_IMAGES names no image of this version: build deploy/Dockerfile, push it where the cluster pulls from, ' +
        'and set CLUSTER_IMAGES=countersign=<repository>:<tag>.',
    );
  return { ...images, countersign };
}

async function givenCluster(kubeconfig: string): Promise<Cluster> {
  const images = givenImages();
  const folder = newFolder('cluster');
  const cidr = process.env['CLUSTER_DNS'];
  return {
    kubectl: kubectlOf(['kubectl'], kubeconfig, folder),
    images,
    dns:
      cidr === undefined
        ? [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kube-system' } } }]
        : [{ ipBlock: { cidr } }],
    powers: null,
    folder,
    async stop() {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function ownCluster(edge: boolean): Promise<Cluster> {
  const { folder, kubectl, nodes, stop } = await startCluster();
  const nodeOf = (name: string) => {
    const found = nodes.find((node) => node.name === name);
    if (found === undefined) throw new Error(`there is no node ${name}`);
    return found;
  };
  try {
    const load = async (archive: string): Promise<void> => {
      for (const node of nodes) node.load(archive);
      rmSync(archive);
    };
    const at = (name: string): string => join(folder, 'images', name);
    await load(await storesImage(at('stores'), STORES));
    if (edge) await load(await edgeImage(at('edge'), EDGE));
    await load(await countersignImage(ROOT, at('countersign'), `${LOCAL}:this`));
    if (knowsPrevious())
      await load(await countersignImage(previousRoot(), at('previous'), `${LOCAL}:previous`));
    else report(`cluster: the upgrade is LEFT OUT: this checkout has no commit ${PREVIOUS}`);
    return {
      kubectl,
      images: {
        countersign: `${LOCAL}:this`,
        previous: knowsPrevious() ? `${LOCAL}:previous` : null,
        ...{ postgres: STORES, nats: STORES, redis: STORES, s3: STORES },
        edge: edge ? EDGE : null,
      },
      dns: [{ ipBlock: { cidr: `${HOST}/32` } }],
      powers: {
        kill: (node, container) => nodeOf(node).kill(container),
        lose: (node) => nodeOf(node).lose(),
        restore: (node) => nodeOf(node).restore(),
      },
      folder,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
