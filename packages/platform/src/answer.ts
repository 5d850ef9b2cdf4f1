import type { JsonText, OperationName, OperationTypes } from '@countersign/protocol';
import type { BusReply } from './bus/types.js';

declare const output: unique symbol;

/** An answer whose body is JSON text of a value of that type. */
export interface Answer<Output, Status extends number = number> extends BusReply {
  readonly status: Status;
  readonly [output]: Output;
}

/** The answer of an operation: a status and a record of its row. */
export type OperationAnswer<Name extends OperationName> = Answer<
  OperationTypes[Name]['output'],
  OperationTypes[Name]['status']
>;

/** An answer whose body is JSON text already. */
export function answer<Output, Status extends number>(
  status: Status,
  body: JsonText<Output>,
  headers?: Record<string, string>,
): Answer<Output, Status> {
  const reply: BusReply = headers === undefined ? { status, body } : { status, body, headers };
  return reply as Answer<Output, Status>;
}

/** An answer that was stored as the operation's own (protocol §6.3). */
export function storedReply({ status, body }: BusReply): Answer<never, never> {
  return { status, body } as Answer<never, never>;
}
