import { EXAMPLES, canonicalText } from '@countersign/protocol';
import type {
  LedgerEntry,
  LegalHoldLifted,
  LegalHoldSet,
  SignedRecord,
} from '@countersign/protocol';
import { approvalRecords } from '../../evidence/approvals.js';
import { buildEvidence } from '../../evidence/build-evidence.js';
import { forged } from '../../evidence/forging.js';
import { LEDGER_ID, sign } from '../../evidence/ledger.js';
import { accepted, refused } from '../vector.js';
import type { Vector } from '../vector.js';
import { rechained } from './ledgers.js';

const { entries, store } = buildEvidence().ledger;
const FIRST = EXAMPLES.LegalHoldSet;
const SECOND_REQUEST = '1f0e9d8c-7b6a-4958-8776-655443322110';
const CUSTODY = { purpose: 'service', profiles: {}, audience: 'proto.custody' } as const;

const set = (changes: Partial<LegalHoldSet> = {}): SignedRecord => {
  const payload = { ...FIRST, ...changes };
  return sign('LegalHoldSet', { ...CUSTODY, issuedAt: Date.parse(payload.set_at) }, payload).record;
};
const lifted = (changes: Partial<LegalHoldLifted> = {}): SignedRecord => {
  const payload = { ...EXAMPLES.LegalHoldLifted, ...changes };
  const issuedAt = Date.parse(payload.lifted_at);
  return sign('LegalHoldLifted', { ...CUSTODY, issuedAt }, payload).record;
};
/** The second revision: one request more, by another custodian. */
const grown = (changes: Partial<LegalHoldSet> = {}): SignedRecord =>
  set({
    revision: 2,
    requests: [...FIRST.requests, { ...FIRST.requests[0], id: SECOND_REQUEST } as never],
    set_by: 'custodian-3',
    set_at: '2026-05-02T09:30:00.000Z',
    ...changes,
  });

/** The material of the held request is discarded. */
const discarded = (at: string): SignedRecord =>
  sign(
    'MaterialDiscarded',
    { purpose: 'review', profiles: {}, audience: 'bot-1', issuedAt: Date.parse(at) },
    {
      request_id: FIRST.requests[0]?.id as string,
      request_digest: FIRST.requests[0]?.digest as never,
      reason: 'retention',
      recorded_by: { kind: 'system', subject: 'proto.retention' },
    },
  ).record;

/** The ledger with these records behind it, as the service would chain them. */
function behind(records: readonly SignedRecord[]): LedgerEntry[] {
  const template = entries[0] as LedgerEntry;

  return rechained([
    ...entries,
    ...records.map(
      (record) =>
        ({
          ...template,
          request_id: (record.payload as { request_id?: string }).request_id ?? null,
          record: canonicalText(record),
        }) as never,
    ),
  ]);
}

/** Legal holds in the ledger (protocol §20.5), and a record of one alone. */
export function holds(): Vector[] {
  const expected = { tenant: 'acme', ledger: LEDGER_ID };
  const failing = (name: string, what: string, records: readonly SignedRecord[]): Vector =>
    refused(`hold-${name}`, what, behind(records), { code: 'range_holds' }, { expected, store });
  const passing = (name: string, what: string, of: readonly LedgerEntry[]): Vector =>
    accepted(
      `hold-${name}`,
      what,
      of,
      { code: 'range_holds', status: 'holds' },
      { expected, store },
    );
  return [
    passing('set', 'A hold that was set once.', behind([set()])),
    passing(
      'grown-and-lifted',
      'A hold grows by a request and is lifted by another custodian.',
      behind([set(), grown(), lifted({ set_by: 'custodian-3' })]),
    ),
    passing(
      'lifted-from-the-middle',
      'A hold is lifted that was set before this range.',
      behind([lifted()]).slice(3),
    ),
    passing(
      'discarded-after-the-lift',
      'Material is discarded once its hold was lifted.',
      behind([set(), lifted(), discarded('2026-05-02T10:00:01.000Z')]),
    ),
    passing(
      'discarded-at-the-end',
      'Material is discarded when its hold ends.',
      behind([set({ until: '2026-05-02T12:00:00.000Z' }), discarded('2026-05-02T11:59:59.990Z')]),
    ),
    failing('discarded-while-held', 'Material is discarded although a hold keeps it.', [
      set(),
      discarded('2026-05-02T09:30:00.000Z'),
    ]),
    failing('lifted-by-its-setter', 'The custodian who set a hold lifts it.', [
      set(),
      lifted({ lifted_by: FIRST.set_by }),
    ]),
    failing('lifted-from-another', 'A lift names a custodian who did not set the hold.', [
      set(),
      lifted({ set_by: 'custodian-4' }),
    ]),
    failing('lifted-twice', 'A hold is lifted twice.', [
      set(),
      lifted(),
      lifted({ lifted_at: '2026-05-02T11:00:00.000Z' }),
    ]),
    failing('lifted-without-a-hold', 'A hold is lifted that was never set.', [lifted()]),
    failing('shrunk', 'A hold loses a request.', [
      set(),
      grown({ requests: [{ ...FIRST.requests[0], id: SECOND_REQUEST } as never] }),
    ]),
    failing('other-digest', 'A hold names another request by the same id.', [
      set(),
      grown({
        requests: FIRST.requests.map((of) => ({
          ...of,
          digest: `sha256:${'9'.repeat(64)}` as const,
        })),
      }),
    ]),
    failing('shortened', 'A hold ends earlier than it said.', [
      set(),
      grown({ until: '2027-05-01T00:00:00.000Z' }),
    ]),
    failing('revision-left-out', 'A revision of a hold is left out.', [
      set(),
      grown({ revision: 3 }),
    ]),
    failing('set-after-its-end', 'A hold is set anew after it was lifted.', [
      set(),
      lifted(),
      grown({ set_at: '2026-05-02T11:00:00.000Z' }),
    ]),
    refused(
      'hold-for-an-operator',
      'A hold that is addressed to an operator.',
      forged(approvalRecords().holdSet.record, { protected: { audience: 'ops-1' } }),
      { code: 'record_header' },
      { expected: { tenant: 'acme' } },
    ),
    refused(
      'hold-of-another-time',
      'A hold that tells another time than its record.',
      forged(approvalRecords().holdSet.record, { payload: { set_at: '2026-05-01T09:00:00.000Z' } }),
      { code: 'record_time' },
      { expected: { tenant: 'acme' } },
    ),
    refused(
      'hold-without-requests',
      'A hold on nothing.',
      forged(approvalRecords().holdSet.record, { payload: { requests: [] } }),
      { code: 'record_payload' },
      { expected: { tenant: 'acme' } },
    ),
  ];
}
