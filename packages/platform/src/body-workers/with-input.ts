import type { OperationName } from '@countersign/protocol';
import type { OperationAnswer } from '../answer.js';
import type { OperationCall } from '../operation-call.js';
import type { OperationHandler } from '../serve-operation.js';
import type { BodyWorkers } from './body-workers.js';

export interface InputReader<Input> {
  readonly bodies: Pick<BodyWorkers, 'place'>;
  /** What the worker does with a large body. */
  readonly question: unknown;
  /** The same, of a small one. */
  readonly read: (text: string) => Input;
}

/** An operation whose input may be large: that is read in a worker, once there is a place for it (protocol R35). */
export function withInput<Name extends OperationName, Input>(
  { bodies, question, read }: InputReader<Input>,
  step: (call: OperationCall<Name, Input>) => Promise<OperationAnswer<Name>>,
): OperationHandler<Name> {
  const handler: OperationHandler<Name> = async (call) => {
    const { largeBody, caller } = call;
    if (largeBody === null) return step({ ...call, input: read(call.text) });
    const place = await bodies.place(caller, largeBody.bytes);
    try {
      const input = await place.run<Input>(question, await largeBody.take());
      return await step({ ...call, input });
    } finally {
      place.leave();
    }
  };
  return Object.assign(handler, { largeBodies: true as const });
}
