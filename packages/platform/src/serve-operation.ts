import { Refusal } from '@countersign/protocol';
import type { OperationName, ServiceName } from '@countersign/protocol';
import type { Bus, BusReply, BusRequest, LargeBody } from './bus/types.js';
import type { Caller } from './caller.js';
import type { MessageVerifier } from './messages/index.js';
import { subjectOf } from './subjects.js';

/** What an operation gets: an authenticated caller and a body that was read strictly and is in canonical form. */
export interface Call {
  readonly caller: Caller;
  /** Path and query parameters, checked by the gateway. */
  readonly params: Readonly<Record<string, string>>;
  /** `Idempotency-Key`, or null where the operation takes none. */
  readonly key: string | null;
  /** Canonical text of the body; '' when there is none or a large one. Its digest is what idempotency compares. */
  readonly text: string;
  /** A large body in canonical form, of an operation that fetches it itself ({@link withInput}). */
  readonly largeBody: LargeBody | null;
  readonly remainingMs: () => number;
  /**
   * Of an operation whose answer may be large (protocol R34). `ask`: the gateway wants {@link LARGE_ANSWER} instead, and
   * comes again with `taken` once it has a place for it. Null: it knows nothing of that, and takes any answer.
   */
  readonly large: LargeStep | null;
}

export const LARGE_STEPS = ['ask', 'taken'] as const;
export type LargeStep = (typeof LARGE_STEPS)[number];

const LARGE_HEADER = 'large';

/** Says that the answer would be large. */
export const LARGE_ANSWER: BusReply = { status: 200, body: '', headers: { [LARGE_HEADER]: 'yes' } };

export function isLargeAnswer({ headers }: BusReply): boolean {
  return headers?.[LARGE_HEADER] !== undefined;
}

/**
 * Reads for an answer that may be large: without what is large at first, whole when there is a place for it. Null stands
 * for {@link LARGE_ANSWER}.
 */
export async function readSized<Found extends { isLarge: boolean }>(
  { large }: Pick<Call, 'large'>,
  read: (whole: boolean) => Promise<Found>,
): Promise<Found | null> {
  if (large === 'taken') return read(true);
  const found = await read(false);
  if (!found.isLarge) return found;
  return large === 'ask' ? null : read(true);
}

export type Handler = ((call: Call) => Promise<BusReply>) & { readonly largeBodies?: true };

/** An answer whose body is JSON text already. */
export function answer(status: number, body: string, headers?: Record<string, string>): BusReply {
  return headers === undefined ? { status, body } : { status, body, headers };
}

/**
 * Puts a service's operations on the bus: verifies that the gateway sent just this for that caller (the bus is not
 * trusted), parses the envelope and hands over one {@link Call}.
 */
export async function serveOperations(
  bus: Bus,
  verifier: MessageVerifier,
  service: ServiceName,
  handlers: Partial<Record<OperationName, Handler>>,
  extra: Readonly<Record<string, Handler>> = {},
): Promise<void> {
  const named: [string, Handler][] = [...Object.entries(handlers), ...Object.entries(extra)] as [
    string,
    Handler,
  ][];
  for (const [name, handler] of named) {
    await bus.serve(
      subjectOf(name),
      service,
      async (request) => handler(await callOf(request, verifier)),
      { largeBodies: handler.largeBodies ?? false },
    );
  }
}

async function callOf(request: BusRequest, verifier: MessageVerifier): Promise<Call> {
  const { caller, large: largeBody } = await verifier.verify(request);
  if (caller === null) throw new Refusal('unauthenticated');
  return {
    caller,
    params: request.headers.params === undefined ? {} : JSON.parse(request.headers.params),
    key: request.headers.key ?? null,
    text: request.body,
    largeBody,
    remainingMs: () => request.remainingMs(),
    large: LARGE_STEPS.find((step) => step === request.headers['large']) ?? null,
  };
}

/** Protocol §6.3: per-request operations carry the request id in their scope. */
export function keyScope(name: OperationName, requestId?: string): string {
  return requestId === undefined ? name : `${name}:${requestId}`;
}
