import { StaleRead } from '@countersign/database';
import type { Caller } from '@countersign/platform';
import { Refusal } from '@countersign/protocol';
import type { RequestDeps } from './deps.js';

interface Keyed {
  readonly caller: Caller;
  readonly scope: string;
  readonly key: string | null;
}

/**
 * A step that is refused for a quota, while another try of the same call has taken the last place of it: that try's answer
 * is the answer of both (protocol R5), so the step is tried anew and finds it. The quota is read after the key was, and
 * cannot tell such a place from one of another call.
 */
export function unlessAnswered<Call extends Keyed, Answer>(
  deps: RequestDeps,
  step: (call: Call) => Promise<Answer>,
): (call: Call) => Promise<Answer> {
  return async (call) => {
    try {
      return await step(call);
    } catch (error) {
      const { caller, scope, key } = call;
      const refused = error instanceof Refusal && error.status === 429;
      if (!refused || !(await deps.answers.exists(caller, scope, key))) throw error;
      throw new StaleRead(scope, { cause: error });
    }
  };
}
