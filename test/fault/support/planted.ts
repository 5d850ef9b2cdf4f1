import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  canonicalText,
  chainHead,
  signRecord,
  signerFromPem,
  textDigest,
} from '@countersign/protocol';
import type {
  AuditExport,
  LedgerEntry,
  RecordType,
  RequestStatus,
  SignedRecord,
} from '@countersign/protocol';
import { BOUNDED, IN_ORDER, ONE_CLAIM, ONE_NONCE } from '@countersign/protocol/testing';
import type { Fault } from './checks.js';
import type { Evidence } from './evidence.js';
import type { FeedPage } from './feed.js';
import type { Journal } from './lifecycles.js';

/** Signs a changed record again, with the service's own key: a bug signs forbidden content validly. */
export type Resign = (record: SignedRecord, changes: Record<string, unknown>) => SignedRecord;

/** The keys of a development instance lie in its data directory. */
export function resignWith(dataDirectory: string): Resign {
  return ({ protected: header, payload }, changes) => {
    const service = header.key_id.replace(/-[0-9a-f]{16}$/, '');
    const pem = readFileSync(join(dataDirectory, 'keys', `${service}.pem`), 'utf8');
    const { record } = signRecord(
      signerFromPem(header.key_id, pem),
      { ...header, type: header.type as RecordType, issuedAt: Date.parse(header.issued_at) },
      { ...(payload as object), ...changes } as never,
    );
    return record;
  };
}

export interface PlantedBug {
  readonly name: string;
  /** The fault that the checks must report, among others. */
  readonly fault: Fault;
  readonly plant: (evidence: Evidence, resign: Resign) => Evidence;
}

/** Evidence as a faulty product would leave it, one fault at a time, out of evidence that is well. */
export const PLANTED_BUGS: readonly PlantedBug[] = [
  {
    name: 'a request is claimed twice',
    fault: ONE_CLAIM,
    plant: (evidence, resign) => {
      const at = placeOf(evidence, 'ExecutionClaim');
      const changes = { id: randomUUID(), execution_identity: 'executor/another' };
      return withLedger(evidence, (entries) => [
        ...entries,
        carrying(entries[at] as LedgerEntry, resign(recordAt(evidence, at), changes)),
      ]);
    },
  },
  {
    name: 'two requests consume one occurrence',
    fault: ONE_CLAIM,
    plant: (evidence, resign) => {
      const { action_occurrence_id } = payloadAt(evidence, placeOf(evidence, 'ExecutionClaim'));
      return changed(evidence, resign, 'ExecutionClaim', 1, { action_occurrence_id });
    },
  },
  {
    name: 'one identity claims twice',
    fault: ONE_CLAIM,
    plant: (evidence, resign) => {
      const { execution_identity } = payloadAt(evidence, placeOf(evidence, 'ExecutionClaim'));
      return changed(evidence, resign, 'ExecutionClaim', 1, { execution_identity });
    },
  },
  {
    name: 'a claim is not recorded',
    fault: 'no_claim',
    plant: (evidence) => without(evidence, placeOf(evidence, 'ExecutionClaim')),
  },
  {
    name: 'a nonce is admitted twice',
    fault: ONE_NONCE,
    plant: (evidence, resign) => {
      const at = placeOf(evidence, 'AdmissionStatus');
      const checked_at = new Date(0).toISOString();
      return withLedger(evidence, (entries) => [
        ...entries,
        carrying(entries[at] as LedgerEntry, resign(recordAt(evidence, at), { checked_at })),
      ]);
    },
  },
  {
    name: 'a grant ends later than its request says',
    fault: BOUNDED,
    plant: (evidence, resign) =>
      changed(evidence, resign, 'DecisionReceipt', 0, {
        grant_deadline: '9999-12-31T00:00:00.000Z',
      }),
  },
  {
    name: 'a claim ends later than its grant',
    fault: BOUNDED,
    plant: (evidence, resign) =>
      changed(evidence, resign, 'ExecutionClaim', 0, {
        dispatch_before: '9999-12-31T00:00:00.000Z',
      }),
  },
  {
    name: 'an entry is missing',
    fault: 'broken_chain',
    plant: (evidence) => ({ ...evidence, ledger: evidence.ledger.toSpliced(5, 1) }),
  },
  {
    name: 'an entry is missing and the chain was written again',
    fault: 'record_not_in_ledger',
    plant: (evidence) => without(evidence, placeOf(evidence, 'AdmissionStatus')),
  },
  {
    name: 'the end of the chain is missing',
    fault: 'record_not_in_ledger',
    plant: (evidence) => ({ ...evidence, ledger: evidence.ledger.slice(0, -1) }),
  },
  {
    name: 'two entries are swapped',
    fault: 'broken_chain',
    plant: (evidence) => ({ ...evidence, ledger: swapped(evidence.ledger, 4) }),
  },
  {
    name: 'two entries are swapped and the chain was written again',
    fault: 'broken_chain',
    plant: (evidence) => withLedger(evidence, (entries) => swapped(entries, 4)),
  },
  {
    name: 'the events of a request are chained in the wrong order',
    fault: IN_ORDER,
    plant: (evidence) => {
      const at = placeOf(evidence, 'RequestChangedEvent');
      return withLedger(evidence, (entries) => [
        ...entries.toSpliced(at, 1),
        entries[at] as LedgerEntry,
      ]);
    },
  },
  {
    name: 'a record was altered after it was signed',
    fault: 'broken_chain',
    plant: (evidence) =>
      withLedger(evidence, (entries) =>
        entries.map((entry) => ({
          ...entry,
          record: (entry.record as string).replace('"status":"completed"', '"status":"failed"'),
        })),
      ),
  },
  {
    name: 'a record is chained twice',
    fault: 'record_twice_in_ledger',
    plant: (evidence) =>
      withLedger(evidence, (entries) => [...entries, entries.at(-1) as LedgerEntry]),
  },
  {
    name: 'an event is fed twice',
    fault: 'event_twice',
    plant: (evidence) =>
      withPage(evidence, (page) => ({
        ...page,
        next: page.next + 1,
        items: [...page.items, page.items[0] as SignedRecord],
      })),
  },
  {
    name: 'the cursor leaves out a number',
    fault: 'cursor_gap',
    plant: (evidence) => withPage(evidence, (page) => ({ ...page, next: page.next + 1 })),
  },
  {
    name: 'the cursor jumps',
    fault: 'cursor_jump',
    plant: (evidence) => ({ ...evidence, feed: evidence.feed.slice(1) }),
  },
  {
    name: 'an event is left out of the feed',
    fault: 'event_missing',
    plant: (evidence) =>
      withPage(evidence, (page) => ({ ...page, next: page.next - 1, items: page.items.slice(1) })),
  },
  {
    name: 'an event is fed that was never chained',
    fault: 'event_unknown',
    plant: (evidence, resign) =>
      withPage(evidence, (page) => ({
        ...page,
        items: [resign(page.items[0] as SignedRecord, { event_id: randomUUID() })],
      })),
  },
  {
    name: 'a revision is left out',
    fault: 'revision_gap',
    plant: (evidence, resign) =>
      withPage(evidence, (page) => ({
        ...page,
        items: page.items.map((item) => {
          const { revision } = item.payload as { revision: number };
          return revision === 1 ? item : resign(item, { revision: revision + 1 });
        }),
      })),
  },
  {
    name: 'the status is a revision ahead of its events',
    fault: 'status_differs',
    plant: (evidence) => withStatus(evidence, ({ revision }) => ({ revision: revision + 1 })),
  },
  {
    name: 'a lifecycle stands still',
    fault: 'not_completed',
    plant: (evidence) => withStatus(evidence, () => ({ execution_state: 'admitted' })),
  },
  {
    name: 'a repeated call is answered differently',
    fault: 'answers_differ',
    plant: (evidence) => withAnswer(evidence, (text) => `${text} `),
  },
  {
    name: 'an answered claim is not the one on record',
    fault: 'answer_denied',
    plant: (evidence) =>
      withStatus(evidence, ({ claim }) => ({
        claim: { ...(claim as SignedRecord), signature: 'A'.repeat(86) },
      })),
  },
  {
    name: 'a client was given a claim without a record',
    fault: 'record_not_in_ledger',
    plant: (evidence) => withAnswer(evidence, (text) => text.replace('executor/', 'executor:')),
  },
  {
    name: 'an export leaves out a record',
    fault: 'export_incomplete',
    plant: (evidence) => withExport(evidence, ({ records }) => ({ records: records.slice(1) })),
  },
  {
    name: 'an export holds a record that is not chained',
    fault: 'record_not_in_ledger',
    plant: (evidence, resign) =>
      withExport(evidence, ({ records }) => ({
        records: records.map((record) => resign(record, { request_id: randomUUID() })),
      })),
  },
  {
    name: 'an anchor proof leads elsewhere',
    fault: 'proof_refused',
    plant: (evidence) => {
      const [first, second] = [...evidence.statuses.values()];
      return withStatus(evidence, (status) => ({
        anchor: (status === first ? second : first)?.anchor ?? null,
      }));
    },
  },
  {
    name: 'the anchor store keeps another checkpoint',
    fault: 'proof_refused',
    plant: (evidence) => ({
      ...evidence,
      anchored: new Map([...evidence.anchored.keys()].map((key) => [key, Buffer.from('{}')])),
    }),
  },
];

function placeOf({ ledger }: Evidence, type: string, nth = 0): number {
  const places = [...ledger.keys()].filter((at) =>
    ledger[at]?.record?.includes(`"type":"${type}"}`),
  );
  const place = places[nth];
  if (place === undefined) throw new RangeError(`the ledger holds no ${type}`);
  return place;
}

function recordAt({ ledger }: Evidence, at: number): SignedRecord {
  return JSON.parse(ledger[at]?.record as string) as SignedRecord;
}

function payloadAt(evidence: Evidence, at: number): Record<string, unknown> {
  return recordAt(evidence, at).payload as Record<string, unknown>;
}

/** The nth record of a type with other content, well signed. */
function changed(
  evidence: Evidence,
  resign: Resign,
  type: string,
  nth: number,
  changes: Record<string, unknown>,
): Evidence {
  const at = placeOf(evidence, type, nth);
  return withLedger(evidence, (entries) =>
    entries.with(at, carrying(entries[at] as LedgerEntry, resign(recordAt(evidence, at), changes))),
  );
}

function without(evidence: Evidence, at: number): Evidence {
  return withLedger(evidence, (entries) => entries.toSpliced(at, 1));
}

function carrying(entry: LedgerEntry, record: SignedRecord): LedgerEntry {
  return { ...entry, record: canonicalText(record) };
}

/** Other entries, chained without a fault. */
function withLedger(
  evidence: Evidence,
  change: (entries: readonly LedgerEntry[]) => LedgerEntry[],
): Evidence {
  let previous = '';
  const ledger = change(evidence.ledger).map((entry, index): LedgerEntry => {
    const record_digest = textDigest(entry.record as string);
    const head = chainHead(previous, record_digest, index + 1);
    const chained = { ...entry, sequence: String(index + 1), previous_head: previous };
    previous = head;
    return { ...chained, record_digest, head };
  });
  return { ...evidence, ledger };
}

function swapped<T>(items: readonly T[], at: number): T[] {
  return items.with(at, items[at + 1] as T).with(at + 1, items[at] as T);
}

/** Another last page of the feed, which ends a story. */
function withPage(evidence: Evidence, change: (page: FeedPage) => FeedPage): Evidence {
  return { ...evidence, feed: evidence.feed.with(-1, change(evidence.feed.at(-1) as FeedPage)) };
}

function withStatus(
  evidence: Evidence,
  change: (status: RequestStatus) => Partial<RequestStatus>,
): Evidence {
  const statuses = [...evidence.statuses].map(([id, status]) => {
    return [id, { ...status, ...change(status) }] as const;
  });
  return { ...evidence, statuses: new Map(statuses) };
}

function withExport(
  evidence: Evidence,
  change: (exported: AuditExport) => Partial<AuditExport>,
): Evidence {
  const exports = [...evidence.exports].map(([id, exported]) => {
    return [id, { ...exported, ...change(exported) }] as const;
  });
  return { ...evidence, exports: new Map(exports) };
}

/** Another answer to the first claim that a journal tells of. */
function withAnswer(evidence: Evidence, change: (text: string) => string): Evidence {
  const [journal, ...others] = evidence.journals as [Journal, ...Journal[]];
  const at = journal.answers.findIndex(({ step }) => step === 'claim');
  const { step, text } = journal.answers[at] as Journal['answers'][number];
  const answers = journal.answers.with(at, { step, text: change(text) });
  return { ...evidence, journals: [{ ...journal, answers }, ...others] };
}
