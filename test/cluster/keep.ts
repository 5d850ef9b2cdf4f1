import { BUILD_MS } from '../support/programs/obtained.js';
import { openCluster } from './support/cluster.js';
import type { Cluster } from './support/cluster.js';

/** `npm run cluster`: tests nothing, and keeps a cluster for runs of the suite against it until it is interrupted. */
let cluster: Cluster;

beforeAll(async () => {
  cluster = await openCluster({ edge: true });
}, 3 * BUILD_MS);
afterAll(() => cluster?.stop(), 120_000);

it(
  'runs until it is interrupted',
  async () => {
    const images = Object.entries(cluster.images).flatMap(([name, image]) =>
      image === null ? [] : [`${name}=${image}`],
    );
    const dns = cluster.dns.map((peer) => (peer as { ipBlock: { cidr: string } }).ipBlock.cidr);
    process.stdout.write(
      `CLUSTER_KUBECONFIG=${cluster.kubectl.kubeconfig} CLUSTER_IMAGES=${images.join(',')} CLUSTER_DNS=${dns.join(',')}\n`,
    );
    await new Promise<void>((resolve) => process.once('SIGINT', resolve).once('SIGTERM', resolve));
  },
  2 ** 31 - 1,
);
