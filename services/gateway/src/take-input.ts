import type { IncomingMessage } from 'node:http';

import type { BodyOwner, BodyWorkers, BusBody } from '@countersign/platform';
import type { Operation } from '@countersign/protocol';
import { Refusal, invalidRecordCode } from '@countersign/protocol';

import { readBody } from './body.js';
import type { Call } from './call.js';
import { readInput } from './input.js';
import { CallerGone } from './refusals.js';

/** The input of a call for a service, in canonical form. */
export interface Input {
  readonly body: BusBody;
  /** Gives back the memory that it has taken; after the answer at the latest. */
  leave(): void;
}

const nothing = (): void => {};

export const NO_INPUT: Input = { body: '', leave: nothing };

/**
 * Reads a call's body as the record its operation takes (protocol §6.1 steps 6 and 7, R35): a small one here, a
 * large one in a worker, once there is a place for it. The record is left to the service where that answers first for
 * other things (`request.register-bundle`, `request.create`, `request.supersede`).
 */
export async function takeInput(
  { request }: Call,
  owner: BodyOwner,
  { input, preflight, bodyLimit }: Operation,
  bodies: Pick<BodyWorkers, 'place'>,
  { begin, large }: { begin: () => void; large: () => void },
): Promise<Input> {
  const record = preflight ? null : input;
  // Small bodies, which are nearly all, do without.
  let gone: AbortController | undefined;
  const signal = (): AbortSignal => {
    gone ??= abortedWithout(request);
    return gone.signal;
  };
  const place = (bytes: number) => bodies.place(owner, bytes, signal());
  const body = await readBody(request, { limit: bodyLimit, begin, large, place, signal });
  if (body.kind === 'small') return { body: readInput(record, body.bytes), leave: nothing };
  if (body.kind === 'no object') {
    if (record !== null) throw new Refusal(invalidRecordCode(record));
    // To the service, which checks other things first, one is as good as another.
    return { body: 'null', leave: nothing };
  }
  const { leave, run } = body.place;
  try {
    return { body: await run<Uint8Array>(record, body.bytes), leave };
  } catch (error) {
    leave();
    throw error;
  }
}

function abortedWithout(request: IncomingMessage): AbortController {
  const gone = new AbortController();
  const abort = (): void => gone.abort(new CallerGone());
  request.once('close', abort);
  if (request.destroyed) abort();
  return gone;
}
