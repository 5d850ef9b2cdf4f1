import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import type pg from 'pg';
import { createLogger } from '@countersign/platform';
import { createJobs } from '@countersign/platform/jobs';
import type { Jobs } from '@countersign/platform/jobs';
import { loadTrust } from '@countersign/protocol';
import type { Trust } from '@countersign/protocol';
import { operatorOf, personOf, producerOf } from '../../../support/client.js';
import type { Client } from '../../../support/client.js';
import type { Demo, Instance } from '../../../support/instance.js';
import { startInstance, workersOnly } from '../../../support/instance.js';
import { identityOf } from '../../../support/people.js';
import { PATIENT_ENQUEUE_MS, until } from '../../../support/requests.js';
import { connectTo } from '../../../support/truths.js';
import { selfSigned } from './certificate.js';
import { startMailServer } from './mail-server.js';
import type { MailServer } from './mail-server.js';
import { startReceiver } from './receiver.js';
import type { Receiver } from './receiver.js';

/** A delivery as the status of a request shows it (protocol §3.3). */
export interface DeliveryStatus {
  readonly id: string;
  readonly kind: string;
  readonly state: string;
  readonly attempts: number;
  readonly error: string | null;
}

/** The product with a real webhook receiver and a real mail server. */
export interface DeliveryFixture {
  readonly instance: Instance;
  readonly demo: Demo;
  readonly trust: Trust;
  readonly receiver: Receiver;
  readonly mail: MailServer;
  readonly database: pg.Client;
  readonly jobs: Jobs;
  readonly redis: Redis | null;
  readonly producer: Client;
  readonly operator: Client;
  /** By id. */
  person(id: string): Promise<Client>;
  /** Configures the producer; members that are not given are removed. */
  configureProducer(config: { webhook?: string; webhook_secret?: string }): Promise<void>;
  configurePerson(id: string, config: Record<string, unknown>): Promise<void>;
  deliveriesOf(requestId: string, kind: 'webhook' | 'smtp'): Promise<DeliveryStatus[]>;
  /** Resolves once there are that many of that kind and all of them have ended. */
  untilDelivered(
    requestId: string,
    kind: 'webhook' | 'smtp',
    many: number,
  ): Promise<DeliveryStatus[]>;
  /** Resolves once everything committed so far was examined for deliveries. */
  untilFollowed(): Promise<void>;
  close(): Promise<void>;
}

type Variables = Readonly<Record<string, string>>;

export interface SceneOptions {
  readonly split: boolean;
  readonly env?: Variables | ((receiver: Receiver) => Variables);
}

/** Split, notices and mails have two workers each. */
const REPLICAS = {
  ...workersOnly('anchor', 'expiry', 'deletion'),
  'worker-delivery': 2,
  'worker-reminder': 2,
};

export async function startDeliveryFixture({
  split,
  env = {},
}: SceneOptions): Promise<DeliveryFixture> {
  const certificate = selfSigned(['localhost']);
  const folder = mkdtempSync(join(tmpdir(), 'countersign-fixture-'));
  const trusted = join(folder, 'receiver.pem');
  writeFileSync(trusted, certificate.cert);
  const receiver = await startReceiver(certificate);
  const mail = await startMailServer({ certificate });
  const instance = await startInstance({
    split,
    ...(split ? { replicas: REPLICAS } : {}),
    env: {
      NODE_EXTRA_CA_CERTS: trusted,
      SWEEP_SECONDS: '1',
      WEBHOOK_HOSTS: 'localhost',
      WEBHOOK_ALLOW_PRIVATE: 'true',
      MAIL_FROM: 'Countersign <reviews@example.org>',
      SMTP_URL: `smtp://localhost:${mail.port}`,
      ...(typeof env === 'function' ? env(receiver) : env),
    },
  });
  const { demo, dataDirectory } = instance;
  const database = await connectTo(instance);
  const { urls } = JSON.parse(readFileSync(join(dataDirectory, 'stores.json'), 'utf8')) as {
    urls: { DATABASE_URL: string; REDIS_URL?: string };
  };
  const redis = urls.REDIS_URL === undefined ? null : new Redis(urls.REDIS_URL);
  const jobs = createJobs({
    enqueueMs: PATIENT_ENQUEUE_MS,
    log: createLogger({ name: 'test', level: 'silent' }),
    ...(urls.REDIS_URL !== undefined && { redis: { urls: [urls.REDIS_URL] } }),
    databaseUrl: urls.DATABASE_URL,
  });
  const producer = producerOf(demo);
  const operator = operatorOf(demo);
  const [owner] = demo.people;

  async function put(id: string, kind: string, config: object): Promise<void> {
    const answer = await operator.put(`/v2/admin/principals/${id}`, { id, kind, config });
    if (answer.status !== 200) throw new Error(`${id}: ${answer.status} ${answer.text}`);
  }

  async function deliveriesOf(requestId: string, kind: string): Promise<DeliveryStatus[]> {
    const { body } = await producer.get(`/v2/requests/${requestId}`);
    return (body.delivery as DeliveryStatus[]).filter((delivery) => delivery.kind === kind);
  }

  return {
    instance,
    demo,
    trust: loadTrust(JSON.parse(readFileSync(demo.trust, 'utf8')), demo.origin),
    receiver,
    mail,
    database,
    jobs,
    redis,
    producer,
    operator,
    person: (id) => personOf(demo, dataDirectory, id),
    configureProducer: (config) =>
      put(demo.producer.id, 'producer', {
        enabled: true,
        publisher: demo.publisher.id,
        owner: owner?.id,
        routes: [demo.routes.review, demo.routes.execution],
        ...config,
      }),
    configurePerson: (id, config) =>
      put(id, 'human', { enabled: true, ...identityOf(dataDirectory, id), ...config }),
    deliveriesOf,
    untilDelivered: (requestId, kind, many) =>
      until(
        () => deliveriesOf(requestId, kind),
        (all) => all.length === many && all.every(({ state }) => state !== 'pending'),
        30_000,
      ),
    async untilFollowed() {
      await until(
        async () => {
          const { rows } = await database.query<{ behind: number }>(
            `SELECT (h.sequence - coalesce(c.sequence, 0))::integer AS behind
             FROM ledger_head h LEFT JOIN delivery_cursor c USING (tenant)
             WHERE h.tenant = $1 AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.tenant = h.tenant)`,
            [demo.tenant],
          );
          return rows[0]?.behind;
        },
        (behind) => behind === 0,
      );
    },
    async close() {
      await jobs.close();
      redis?.disconnect();
      await database.end();
      await instance.stop();
      await receiver.close();
      await mail.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
