import { Refusal } from '@countersign/protocol';
import type { OperationName, ServiceName } from '@countersign/protocol';
import type { Bus, BusReply, BusRequest } from './bus/types.js';
import type { Caller, CallerVerifier } from './caller.js';
import { subjectOf } from './subjects.js';

/** What an operation gets: an authenticated caller and a body that was read strictly and is in canonical form. */
export interface Call {
  readonly caller: Caller;
  /** Path and query parameters, checked by the gateway. */
  readonly params: Readonly<Record<string, string>>;
  /** `Idempotency-Key`, or null where the operation takes none. */
  readonly key: string | null;
  /** Canonical text of the body; '' when there is none. Its digest is what idempotency compares. */
  readonly text: string;
  readonly remainingMs: () => number;
}

export type Handler = (call: Call) => Promise<BusReply>;

/** An answer whose body is JSON text already. */
export function answer(status: number, body: string, headers?: Record<string, string>): BusReply {
  return headers === undefined ? { status, body } : { status, body, headers };
}

/**
 * Puts a service's operations on the bus: verifies the caller's token again (the bus is not trusted to have done it),
 * parses the envelope and hands over one {@link Call}.
 */
export async function serveOperations(
  bus: Bus,
  verifier: CallerVerifier,
  service: ServiceName,
  handlers: Partial<Record<OperationName, Handler>>,
  extra: Readonly<Record<string, Handler>> = {},
): Promise<void> {
  const named: [string, Handler][] = [...Object.entries(handlers), ...Object.entries(extra)] as [
    string,
    Handler,
  ][];
  for (const [name, handler] of named) {
    await bus.serve(subjectOf(name), service, async (request) =>
      handler(await callOf(request, verifier)),
    );
  }
}

async function callOf(request: BusRequest, verifier: CallerVerifier): Promise<Call> {
  const token = request.headers.caller;
  if (token === undefined) throw new Refusal('unauthenticated');
  const caller = await verifier.verify(token);
  return {
    caller,
    params: request.headers.params === undefined ? {} : JSON.parse(request.headers.params),
    key: request.headers.key ?? null,
    text: request.body,
    remainingMs: () => request.remainingMs(),
  };
}

/** Contract §6.3: per-request operations carry the request id in their scope. */
export function keyScope(name: OperationName, requestId?: string): string {
  return requestId === undefined ? name : `${name}:${requestId}`;
}
