import type { BusReply } from '../bus/types.js';
import type { Call, Handler } from '../serve-operation.js';
import type { BodyWorkers } from './body-workers.js';

/** A handler that fetches large bodies itself. */
export type LargeHandler = Handler & { readonly largeBodies: true };

export interface InputReader<Input> {
  readonly bodies: Pick<BodyWorkers, 'place'>;
  /** What the worker does with a large body. */
  readonly question: unknown;
  /** The same, of a small one. */
  readonly read: (text: string) => Input;
}

/** An operation whose input may be large: that is read in a worker, once there is a place for it (protocol R35). */
export function withInput<Input>(
  { bodies, question, read }: InputReader<Input>,
  step: (call: Call, input: Input) => Promise<BusReply>,
): LargeHandler {
  const handler: Handler = async (call) => {
    const { largeBody, caller } = call;
    if (largeBody === null) return step(call, read(call.text));
    const place = await bodies.place(caller, largeBody.bytes);
    try {
      const input = await place.run<Input>(question, await largeBody.take());
      return await step(call, input);
    } finally {
      place.leave();
    }
  };
  return Object.assign(handler, { largeBodies: true as const });
}
