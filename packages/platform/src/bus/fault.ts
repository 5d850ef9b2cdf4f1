import { Refusal } from '@countersign/protocol';
import type { BusFault, BusFaultKind } from './types.js';

const TEXT: Record<BusFaultKind, string> = {
  no_responder: 'no service answers it',
  timeout: 'no answer in time',
  overloaded: 'too many requests are waiting',
  unconnected: 'the message server cannot be reached',
  disconnected: 'the connection to the message server broke',
  closed: 'the bus is closed',
  body_lost: 'the body could not be carried',
  handler_failed: 'the service failed',
};

/** `service_unavailable` because of the bus itself. */
export function busRefusal(fault: BusFaultKind, subject: string, cause?: unknown): Refusal {
  const text = `${subject}: ${TEXT[fault]}`;
  const error = cause === undefined ? new Error(text) : new Error(text, { cause });
  return new Refusal('service_unavailable', {
    cause: Object.assign(error, { name: 'BusFault', fault, subject }) satisfies BusFault,
  });
}

/** Which fault of the bus made this refusal, or null. */
export function busFaultOf(error: unknown): BusFaultKind | null {
  const cause = error instanceof Refusal ? error.cause : null;
  return cause instanceof Error && 'fault' in cause && isBusFaultKind(cause.fault)
    ? cause.fault
    : null;
}

export function isBusFaultKind(value: unknown): value is BusFaultKind {
  return typeof value === 'string' && Object.hasOwn(TEXT, value);
}
