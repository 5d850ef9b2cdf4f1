import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TARGETS } from '@countersign/deploy';
import { freePort } from '@countersign/dev-servers';
import { selfSigned } from '../../e2e/deliveries/support/certificate.js';
import { startReceiver } from '../../e2e/deliveries/support/receiver.js';
import type { Receiver } from '../../e2e/deliveries/support/receiver.js';
import { startFleet } from '../../fault/support/fleet.js';
import type { Member } from '../../fault/support/fleet.js';
import { operatorOf } from '../../support/client.js';
import type { Demo } from '../../support/instance.js';
import { ROOT } from '../tools.js';
import type { Scraped } from './prometheus.js';

/** The product as a cluster runs it: a process for each target, its metrics on a port of its own. */
export interface Product {
  readonly demo: Demo;
  readonly dataDirectory: string;
  /** The targets that the chart's PodMonitor and ServiceMonitor would have scraped. */
  readonly scraped: readonly Scraped[];
  /** Gets the producer's webhooks. */
  readonly receiver: Receiver;
  take(target: string): Promise<void>;
  /** Puts it back where it was, so that its metrics go on. */
  putBack(target: string, env?: Readonly<Record<string, string>>): Promise<void>;
  stop(): Promise<void>;
}

const NAMESPACE = 'compose';

export async function startProduct(): Promise<Product> {
  const certificate = selfSigned(['localhost']);
  const folder = mkdtempSync(join(tmpdir(), 'countersign-picture-'));
  const trusted = join(folder, 'receiver.pem');
  writeFileSync(trusted, certificate.cert);
  const common = {
    NODE_EXTRA_CA_CERTS: trusted,
    WEBHOOK_HOSTS: 'localhost',
    WEBHOOK_ALLOW_PRIVATE: 'true',
    SWEEP_SECONDS: '1',
  };
  const ports = new Map<string, number>();
  const members = new Map<string, Member>();
  const receiver = await startReceiver(certificate);
  const fleet = await startFleet(ROOT);

  async function putBack(target: string, env: Readonly<Record<string, string>> = {}) {
    const port = ports.get(target) ?? (await freePort());
    ports.set(target, port);
    const member = await fleet.launch(ROOT, target, {
      ...common,
      HEALTH_PORT: String(port),
      // Rates are the gateway's; a producer's daily quota would end the work of three minutes.
      ...(target === 'gateway' ? { QUOTAS: 'on' } : {}),
      ...env,
    });
    members.set(target, member);
    await member.serving;
  }
  async function stop() {
    await fleet.stop();
    await receiver.close();
    rmSync(folder, { recursive: true, force: true });
  }

  try {
    await Promise.all(TARGETS.map((target) => putBack(target)));
    const demo = await fleet.configure(ROOT);
    await hookUp(demo, receiver);
    const scraped = TARGETS.filter((target) => target !== 'development-provider').map(
      (target): Scraped => ({
        address: `127.0.0.1:${ports.get(target)}`,
        path: '/metrics',
        labels: { namespace: NAMESPACE, pod: `${target}-0` },
      }),
    );
    const tenants = [demo, demo.other].map(({ tenant, operator }): Scraped => ({
      address: new URL(demo.origin).host,
      path: '/v2/admin/metrics.prom',
      labels: { namespace: NAMESPACE, tenant },
      token: operator.token,
    }));
    return {
      demo,
      dataDirectory: fleet.dataDirectory,
      scraped: [...scraped, ...tenants],
      receiver,
      take: async (target) => members.get(target)?.stop(),
      putBack,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Everything that happens to the producer's requests is told to the receiver. */
async function hookUp(demo: Demo, receiver: Receiver): Promise<void> {
  const { id } = demo.producer;
  const config = {
    enabled: true,
    publisher: demo.publisher.id,
    owner: demo.people[0]?.id,
    routes: [demo.routes.review, demo.routes.execution],
    webhook: receiver.url('/hook'),
  };
  const principal = { id, kind: 'producer', config };
  const answer = await operatorOf(demo).put(`/v2/admin/principals/${id}`, principal);
  if (answer.status !== 200) throw new Error(`webhook: ${answer.status} ${answer.text}`);
}
