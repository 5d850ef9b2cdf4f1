import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifyWebhook } from '@countersign/client/webhook';
import type { WebhookOptions } from '@countersign/client/webhook';
import { valueDigest } from '@countersign/protocol';
import type { LedgerEntry, SignedRecord } from '@countersign/protocol';
import { selfSigned } from '../../e2e/deliveries/support/certificate.js';
import { startReceiver } from '../../e2e/deliveries/support/receiver.js';
import type { Answering, Received } from '../../e2e/deliveries/support/receiver.js';
import type { Cast } from '../../fault/support/fixture.js';
import type { Random } from '../../fault/support/random.js';

/** The deliveries of a receiver that verifies what it is sent. */
export interface Told {
  /** Digests of the signed events that it has accepted. */
  readonly events: ReadonlySet<string>;
  /** Why it refused deliveries that it could not verify. */
  readonly refused: readonly string[];
}

/** The body of a call, and when it came. */
export type Sent = Pick<Received, 'body' | 'at'>;

/** A receiver of webhooks that fails as receivers do. */
export interface WebhookReceiver {
  /** Variables of the targets that know webhooks. */
  readonly env: Readonly<Record<string, string>>;
  readonly told: Told;
  /** How many calls came. */
  calls(): number;
  /** The newest delivery that it has accepted. */
  sample(): Sent | null;
  /** The event of a delivery, or why it refuses it. */
  judge(sent: Sent): SignedRecord | string;
  /** The producer has its events sent here from now on. */
  subscribe(cast: Cast): Promise<void>;
  /** Whether it fails now and then. */
  fails(fails: boolean): void;
  close(): Promise<void>;
}

export async function startWebhookReceiver(random: Random): Promise<WebhookReceiver> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-torture-receiver-'));
  const certificate = selfSigned(['localhost']);
  const trusted = join(folder, 'receiver.pem');
  writeFileSync(trusted, certificate.cert);
  const receiver = await startReceiver(certificate);
  const events = new Set<string>();
  const refused: string[] = [];
  let expected: WebhookOptions | null = null;
  let failing = true;
  let calls = 0;
  let sample: Sent | null = null;

  const judge = ({ body, at: now }: Sent): SignedRecord | string => {
    if (expected === null) return 'came before it was asked for';
    try {
      return verifyWebhook(body, { ...expected, now }).record as SignedRecord;
    } catch (error) {
      return String(error);
    }
  };
  const answer: Answering = async (response, sent) => {
    calls += 1;
    // It would keep all bodies of a run of hours.
    receiver.received.length = 0;
    const luck = failing ? random() : 1;
    if (luck < 0.02) return void response.destroy();
    // Until the sender gives up.
    if (luck < 0.03) return new Promise((resolve) => response.once('close', resolve));
    if (luck < 0.13) return void response.writeHead(500).end();
    const event = judge(sent);
    if (typeof event === 'string') {
      refused.push(event);
      return void response.writeHead(400).end();
    }
    sample = sent;
    events.add(valueDigest(event));
    response.writeHead(204).end();
  };
  receiver.answer('/', answer);

  return {
    env: {
      NODE_EXTRA_CA_CERTS: trusted,
      WEBHOOK_HOSTS: 'localhost',
      WEBHOOK_ALLOW_PRIVATE: 'true',
    },
    told: { events, refused },
    calls: () => calls,
    sample: () => sample,
    judge,
    async subscribe({ demo, operator }) {
      const trust = JSON.parse(readFileSync(demo.trust, 'utf8')) as WebhookOptions['trust'];
      expected = { trust, tenant: demo.tenant, producer: demo.producer.id };
      const { status, text } = await operator.put(`/v2/admin/principals/${demo.producer.id}`, {
        id: demo.producer.id,
        kind: 'producer',
        config: {
          enabled: true,
          publisher: demo.publisher.id,
          owner: demo.people[0]!.id,
          routes: [demo.routes.review, demo.routes.execution],
          webhook: receiver.url('/events'),
        },
      });
      if (status !== 200) throw new Error(`no webhook: ${status} ${text}`);
    },
    fails: (fails) => void (failing = fails),
    async close() {
      await receiver.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export type DeliveryFault = 'event_untold' | 'event_unchained' | 'delivery_refused';

/** Every event of the producer's was accepted, all that was told is chained, and all that was sent could be verified. */
export function deliveryFindings(
  { events, refused }: Told,
  ledger: readonly LedgerEntry[],
  producer: string,
): { readonly fault: DeliveryFault; readonly about: string }[] {
  const chained = eventsFor(producer, ledger);
  return [
    ...[...chained].filter((digest) => !events.has(digest)).map(found('event_untold')),
    ...[...events].filter((digest) => !chained.has(digest)).map(found('event_unchained')),
    ...refused.map(found('delivery_refused')),
  ];
}

/** The digests of the chained events that this producer is told. */
export function eventsFor(producer: string, ledger: readonly LedgerEntry[]): Set<string> {
  return new Set(
    ledger.flatMap(({ record, record_digest }) => {
      const header = record === null ? null : (JSON.parse(record) as SignedRecord).protected;
      return header?.type === 'RequestChangedEvent' && header.audience === producer
        ? [record_digest]
        : [];
    }),
  );
}

function found(fault: DeliveryFault) {
  return (about: string) => ({ fault, about });
}
