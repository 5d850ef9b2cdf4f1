import type { Digest, OperationName } from '@countersign/protocol';
import type { OperationAnswer } from '../answer.js';
import type { OperationCall } from '../operation-call.js';
import type { OperationHandler } from '../serve-operation.js';
import type { BodyWorkers } from './body-workers.js';

/** The parsed body, whose digest idempotency compares. */
export interface ReadBody {
  readonly digest: Digest;
}

export interface InputReader<Input extends ReadBody> {
  readonly bodies: Pick<BodyWorkers, 'place'>;
  /** The worker's task for a large body. */
  readonly question: unknown;
  /** The same, of a small one. */
  readonly read: (text: string) => Input;
}

/**
 * An operation whose body may be large (`largeBody` of its row): that is read in a worker, once there is a place for it
 * (protocol R35). The place is kept until the call is answered: until then the step has the parsed body in memory.
 */
export function withInput<Name extends OperationName, Input extends ReadBody>(
  { bodies, question, read }: InputReader<Input>,
  step: (call: OperationCall<Name, Input>) => Promise<OperationAnswer<Name>>,
): OperationHandler<Name> {
  return async (call) => {
    const { body, largeBody, caller } = call;
    const stepOn = (input: Input) => step({ ...call, body: input, input });
    if (largeBody === null) return stepOn(read(body as string));
    const place = await bodies.place(caller, largeBody.bytes);
    try {
      return await stepOn(await place.run<Input>(question, await largeBody.take()));
    } finally {
      place.leave();
    }
  };
}
