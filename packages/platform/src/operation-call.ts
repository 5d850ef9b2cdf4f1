import { Refusal, isOfId, readQuery } from '@countersign/protocol';
import type {
  Digest,
  Operation,
  OperationName,
  OperationTypes,
  RecordName,
  RecordOf,
} from '@countersign/protocol';
import type { BusRequest, LargeBody } from './bus/types.js';
import type { Caller } from './caller.js';
import { isId } from './ids.js';
import type { MessageVerifier } from './messages/index.js';
import { sharing } from './sharing.js';
import { LARGE_STEPS } from './sized-answer.js';
import type { LargeStep } from './sized-answer.js';

/** The head of a call, without its body, typed by the operation's row. */
export interface OperationHead<Name extends OperationName> {
  readonly caller: Caller;
  /** Of a request, a key or a hold: a UUID. */
  readonly id: OperationTypes[Name]['id'];
  /** A UUID. */
  readonly request: OperationTypes[Name]['request'];
  readonly key: OperationTypes[Name]['key'];
  /** Of an operation without a key that the gateway may send again: the same for all tries of one call. */
  readonly call: string | null;
  /** In which the key is the caller's (protocol §6.3): the operation, and its request where it has one. */
  readonly scope: string;
}

/** The body of a call as canonical text, or its digest, which idempotency compares (protocol §6.3). */
export type CallBody = string | { readonly digest: Digest };

/** A call of an operation: an authenticated caller, and input that the gateway has checked. */
export interface OperationCall<
  Name extends OperationName,
  Input = OperationTypes[Name]['arriving'],
> extends OperationHead<Name> {
  readonly query: OperationTypes[Name]['query'];
  readonly input: Input;
  /** '' when there is no body, or a large one that `withInput` has not read yet. */
  readonly body: CallBody;
  /** A large body, of an operation that reads it itself (`withInput`). */
  readonly largeBody: LargeBody | null;
  /** Of an operation whose answer may be large (protocol R34). Null: any answer is taken. */
  readonly large: LargeStep | null;
}

/** A read or change beside the operations, as the tables of protocol/admin-reads.ts and protocol/security-log list them. */
export interface AdminRow {
  readonly name: string;
  readonly query: readonly string[];
  readonly input: RecordName | null;
}

export interface AdminCall<Row extends AdminRow> {
  readonly caller: Caller;
  readonly params: { readonly [Name in Row['query'][number]]?: string };
  readonly input: Row['input'] extends RecordName ? RecordOf<Row['input']> : null;
}

type Params = Readonly<Record<string, string>>;

/** A message of the gateway's, of any kind. */
export interface Envelope {
  readonly caller: Caller;
  readonly params: Params;
  readonly key: string | undefined;
  readonly text: string;
  readonly largeBody: LargeBody | null;
  readonly large: LargeStep | null;
}

/** Verifies that the gateway sent just this for that caller: the bus is not trusted. Throws `unauthenticated`. */
export async function openEnvelope(
  request: BusRequest,
  verifier: MessageVerifier,
): Promise<Envelope> {
  const { caller, large: largeBody } = await verifier.verify(request);
  if (caller === null) throw new Refusal('unauthenticated');
  sharing.note(caller.tenant);
  const { headers, body: text } = request;
  const params = JSON.parse(headers.params ?? '{}') as Params;
  const large = LARGE_STEPS.find((step) => step === headers['large']) ?? null;
  return { caller, params, key: headers.key, text, largeBody, large };
}

/** Throws `not_found` for a value that cannot be the id of a request, a key or a hold. */
export function headOf<Name extends OperationName>(
  row: Operation,
  { caller, params, key }: Envelope,
): OperationHead<Name> {
  const { id, request } = params;
  // No other text than an id comes near the database.
  if (isOfId(row) && !isId(id)) throw new Refusal('not_found');
  if (row.parameters.includes('request') && !isId(request)) throw new Refusal('not_found');
  if (row.key && key === undefined) throw new Refusal('idempotency_key_required');
  return {
    caller,
    id: id ?? null,
    request: request ?? null,
    key: row.key ? key : null,
    call: !row.key && isId(key) ? key : null,
    scope: isOfId(row) ? `${row.name}:${id}` : row.name,
  } as OperationHead<Name>;
}

/** As {@link headOf}. The gateway has checked the body against the record of the row. */
export function callOf<Name extends OperationName>(
  row: Operation,
  envelope: Envelope,
): OperationCall<Name> {
  const { params, text, largeBody, large } = envelope;
  const arrives = row.input !== null && !row.largeBody;
  return {
    ...headOf<Name>(row, envelope),
    query: readQuery(row, new URLSearchParams(params)) as OperationTypes[Name]['query'],
    input: (arrives ? JSON.parse(text) : null) as OperationTypes[Name]['arriving'],
    body: text,
    largeBody,
    large,
  };
}

/** The gateway has checked the parameters, and the body against the record of the row. */
export function adminCallOf<Row extends AdminRow>(
  row: Row,
  { caller, params, text }: Envelope,
): AdminCall<Row> {
  const input: unknown = row.input === null ? null : JSON.parse(text);
  return { caller, params, input } as AdminCall<Row>;
}
