import type {
  Evidence,
  RequestChangedEvent,
  RequestStatus,
  SignedRecord,
} from '@countersign/protocol';

/** The members of a status that a page shows and that the evidence of its request proves. */
export type Member =
  | 'request'
  | 'request_digest'
  | 'decision_state'
  | 'audit_state'
  | 'grant_state'
  | 'execution_state'
  | 'receipt'
  | 'claim'
  | 'outcome';

export type Comparison =
  | { readonly kind: 'same' }
  /** The evidence was made before the state that the page shows. */
  | { readonly kind: 'behind' }
  /** A state that came about without a record. */
  | { readonly kind: 'unproven'; readonly member: Member }
  /** The request was deleted at its audit expiry: there is nothing to compare with. */
  | { readonly kind: 'remains' }
  /** `path` is a JSON Pointer within the member. */
  | { readonly kind: 'differs'; readonly member: Member; readonly path: string };

/** Records of the status, the reason of the event that tells of each, and their types. */
const RECORDS = [
  ['receipt', 'decision', ['DecisionReceipt']],
  ['claim', 'claimed', ['ExecutionClaim']],
  ['outcome', 'outcome', ['ExecutionOutcome', 'ExecutionReconciliation']],
] as const satisfies readonly (readonly [Member, string, readonly string[]])[];

const STATES = [
  ['decision_state', 'decision'],
  ['audit_state', 'audit'],
  ['grant_state', 'grant'],
  ['execution_state', 'execution'],
] as const satisfies readonly (readonly [Member, keyof RequestChangedEvent['state']])[];

/** Whether the evidence is that of another request than the page shows. */
export function isOfAnother({ request }: RequestStatus, { export: proven }: Evidence): boolean {
  return proven !== null && proven.request.id !== request.id;
}

/** A status as the page shows it against evidence in which nothing fails: each member as of the event of its revision. */
export function compare(shown: RequestStatus, { export: proven }: Evidence): Comparison {
  if (proven === null) return { kind: 'remains' };
  for (const member of ['request', 'request_digest'] as const) {
    const path = firstDifference(shown[member], proven[member]);
    if (path !== null) return { kind: 'differs', member, path };
  }

  const events = eventsIn(proven.audit);
  const newest = events.at(-1)?.revision ?? 0;
  if (newest < shown.revision) return { kind: 'behind' };
  const told = events.filter(({ revision }) => revision <= shown.revision);
  for (const [member, reason, types] of RECORDS) {
    const amount = told.filter((event) => event.reason === reason).length;
    const records = proven.records.filter((record) =>
      (types as readonly string[]).includes(record.protected.type),
    );
    const path = firstDifference(shown[member], records[amount - 1] ?? null);
    if (path !== null) return { kind: 'differs', member, path };
  }
  return compareStates(shown, proven.records, told.at(-1), events);
}

/** A recovery and an audit conflict make no event (protocol §3.5), so no evidence shows what they lead to. */
const WITHOUT_EVENT: RequestChangedEvent['state'] = {
  decision: 'cancelled',
  audit: 'conflict',
  grant: 'revoked',
  execution: 'uncertain',
};

const MAY_EXPIRE: readonly unknown[] = ['pending', 'pending_anchor', 'available'];

function compareStates(
  shown: RequestStatus,
  records: readonly SignedRecord[],
  at: RequestChangedEvent | undefined,
  events: readonly RequestChangedEvent[],
): Comparison {
  let found: Comparison = { kind: 'same' };
  for (const [member, machine] of STATES) {
    const state = shown[member];
    const proven = at?.state[machine];
    if (state === proven) continue;
    if (state === 'admitted' && proven === 'claimed') {
      // An admission is a record without an event.
      const isRecorded = records.some((record) => record.protected.type === 'AdmissionStatus');
      if (!isRecorded) found = { kind: 'behind' };
    } else if (state === 'expired' && MAY_EXPIRE.includes(proven)) {
      // A deadline shows as passed before its event is written (protocol §11.1).
      if (events.some((event) => event.state[machine] === 'expired')) continue;
      if (events.at(-1)?.state[machine] !== proven) return { kind: 'differs', member, path: '' };
      found = { kind: 'behind' };
    } else if (state === WITHOUT_EVENT[machine]) found = { kind: 'unproven', member };
    else return { kind: 'differs', member, path: '' };
  }
  return found;
}

/** In the order of the ledger. */
function eventsIn(
  audit: readonly { readonly record: string | null }[],
): readonly RequestChangedEvent[] {
  return audit.flatMap(({ record }) => {
    const { protected: header, payload } = JSON.parse(record ?? '{}') as {
      protected?: { type: string };
      payload: RequestChangedEvent;
    };
    return header?.type === 'RequestChangedEvent' ? [payload] : [];
  });
}

/** JSON Pointer of the first member in which two values differ; null when they are equal. */
function firstDifference(one: unknown, other: unknown, path = ''): string | null {
  if (!isTree(one) || !isTree(other) || Array.isArray(one) !== Array.isArray(other)) {
    return one === other ? null : path;
  }
  for (const name of new Set([...Object.keys(one), ...Object.keys(other)])) {
    const below = `${path}/${name}`;
    if (!Object.hasOwn(one, name) || !Object.hasOwn(other, name)) return below;
    const found = firstDifference(one[name], other[name], below);
    if (found !== null) return found;
  }
  return null;
}

function isTree(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
