import { CHAIN_START, PAGE_SIZES } from '@countersign/protocol';
import type {
  AnchorProof,
  AuditCheckpoint,
  ChainPoint,
  EventPage,
  LedgerEntry,
  LedgerNode,
  LedgerPage,
  RequestChangedEvent,
} from '@countersign/protocol';
import { apiOf } from '@countersign/deploy/client/api';
import type { Api } from '@countersign/deploy/client/api';
import { until } from '@countersign/deploy/client/until';
import type { DemoFile } from '../launcher/demo-file.js';
import type { Verifier } from './verifier.js';

interface Reader {
  readonly demo: DemoFile;
  readonly producer: Api;
  readonly verifier: Verifier;
}

/** A longer chain is read from the receipt on, which its anchor proof ties to the entries before. */
const WHOLE_CHAIN_ENTRIES = 2000;

/**
 * Follows the producer's feed from a cursor until the outcome of that request has come, and returns the request's
 * events. Every signature is verified, and that revisions count up from 1.
 */
export async function followEvents(
  { demo, producer, verifier }: Reader,
  requestId: string,
  from: number,
): Promise<RequestChangedEvent[]> {
  const events: RequestChangedEvent[] = [];
  let after = from;
  await until(
    'The last event',
    async () => {
      const { items, next } = await producer.get<EventPage>(`/v2/events?after=${after}`);
      after = next;
      for (const item of items) {
        const event = verifier.record<RequestChangedEvent>(item, {
          type: 'RequestChangedEvent',
          audience: demo.producer.id,
        });
        if (event.request_id === requestId) events.push(event);
      }
    },
    () => events.some(({ reason }) => reason === 'outcome'),
  );
  events.forEach(({ revision }, index) =>
    verifier.same('the revision of an event', index + 1, revision),
  );
  return events;
}

/**
 * Reads the tenant's chain as its operator until the outcome of that request is on it, and verifies it: without a gap,
 * every signature, and through the checkpoint of the request.
 */
export async function followLedger(
  { demo, verifier }: Reader,
  requestId: string,
  { checkpoint, proof }: AnchorProof,
): Promise<{ first: number; last: ChainPoint }> {
  const operator = apiOf(demo.origin, { token: demo.operator.token });
  const receipt = proof[0] as LedgerNode;
  const from: ChainPoint =
    receipt.sequence <= WHOLE_CHAIN_ENTRIES
      ? CHAIN_START
      : { sequence: receipt.sequence - 1, head: receipt.previous_head };
  const entries: LedgerEntry[] = [];
  await until(
    'The last ledger entry',
    async () => {
      const after = from.sequence + entries.length;
      const page = await operator.get<LedgerPage>(`/v2/admin/ledger?after=${after}`);
      entries.push(...page);
      return page.length;
    },
    (length) => length < PAGE_SIZES.ledger && entries.some((entry) => isOutcome(entry, requestId)),
  );
  const { sequence, head } = checkpoint.payload as unknown as AuditCheckpoint;
  const last = verifier.ledger(entries, from, [{ sequence, head }]);
  return { first: from.sequence + 1, last };
}

function isOutcome({ request_id, record }: LedgerEntry, requestId: string): boolean {
  return (
    request_id === requestId && record !== null && record.includes('"type":"ExecutionOutcome"')
  );
}
