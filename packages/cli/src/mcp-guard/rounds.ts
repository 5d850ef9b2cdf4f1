import { randomBytes } from 'node:crypto';
import type { JsonObject, JsonValue } from '@countersign/client/node';

/** What a tool wants to know in the middle of an authorised call. */
export interface Question {
  /** What the client gives back to go on. It holds nothing: the server's own state stays with the guard. */
  readonly state: string;
  /** As the server asks; undefined where it only wants to be called again. */
  readonly requests: JsonValue | undefined;
}

export interface Answer {
  readonly responses: JsonValue | undefined;
  /** `_meta` of the call that brings them. */
  readonly meta: JsonObject | undefined;
}

/** The questions of one run, one after the other. */
export interface Rounds {
  /** Asks the client. @throws the signal's reason */
  ask(requests: JsonValue | undefined, signal: AbortSignal): Promise<Answer>;
  /** The question that is open, now or later. */
  next(): Promise<Question>;
  /** Whether the open question has this state. */
  isOpen(state: JsonValue | undefined): boolean;
  /** Answers the open question, once; false for a state that is not its own. */
  answer(state: string, answer: Answer): boolean;
}

export function newRounds(): Rounds {
  let open: { readonly question: Question; settle(answer: Answer): void } | null = null;
  let told: ((question: Question) => void)[] = [];
  return {
    ask(requests, signal) {
      const question = { state: randomBytes(32).toString('base64url'), requests };
      return new Promise((settle, fail) => {
        const stop = () => {
          open = null;
          fail(new Error(`stopped: ${String(signal.reason)}`));
        };
        if (signal.aborted) return stop();
        signal.addEventListener('abort', stop, { once: true });
        open = {
          question,
          settle(answer) {
            signal.removeEventListener('abort', stop);
            open = null;
            settle(answer);
          },
        };
        for (const tell of told) tell(question);
        told = [];
      });
    },
    next: () =>
      open === null ? new Promise((tell) => told.push(tell)) : Promise.resolve(open.question),
    isOpen: (state) => open !== null && open.question.state === state,
    answer(state, answer) {
      if (open === null || open.question.state !== state) return false;
      open.settle(answer);
      return true;
    },
  };
}
