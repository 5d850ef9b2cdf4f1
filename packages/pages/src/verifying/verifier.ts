import type { Answered, Answers, Question } from './messages.js';

/** The verifier could not answer, and why. */
export class NotVerified extends Error {
  override readonly name = 'NotVerified';
}

export interface Verifier {
  ask<Name extends keyof Answers>(
    question: Extract<Question, { ask: Name }>,
    transfer?: Transferable[],
  ): Promise<Answers[Name]>;
  close(): void;
}

/** Starts the verifier of packages/protocol in a worker: the page stays responsive for any input. */
export function startVerifier(): Verifier {
  const worker = new Worker(new URL('./verifying-worker.ts', import.meta.url), { type: 'module' });
  const waiting = new Map<number, { give: (value: never) => void; fail: (fault: Error) => void }>();
  let last = 0;
  let started = true;
  worker.onmessage = ({ data }: MessageEvent<Answered>) => {
    const asked = waiting.get(data.number);
    waiting.delete(data.number);
    if ('fault' in data) asked?.fail(new NotVerified(data.fault));
    else asked?.give(data.value as never);
  };
  worker.onerror = () => {
    started = false;
    for (const { fail } of waiting.values()) fail(notStarted());
    waiting.clear();
  };
  return {
    ask: (question, transfer = []) =>
      new Promise((give, fail) => {
        if (!started) return fail(notStarted());
        const number = ++last;
        waiting.set(number, { give, fail });
        worker.postMessage({ ...question, number }, transfer);
      }),
    close: () => worker.terminate(),
  };
}

function notStarted(): NotVerified {
  return new NotVerified('The verifier did not start.');
}
