import { Problem, Unanswered } from '../api/problem.js';
import { endSession } from '../session/session.js';
import type { Answered, Asked, Question, Questions } from './messages.js';

/** The material of one request, held by a worker of its own. */
export interface MaterialStore {
  ask<Name extends Question>(
    question: Name,
    given: Questions[Name]['ask'],
  ): Promise<Questions[Name]['answer']>;
  close(): void;
}

interface Waiting {
  resolve(answer: never): void;
  reject(fault: unknown): void;
}

/** Starts a worker. Its questions fail with `Problem` and `Unanswered` like any call of the service. */
export function openMaterial(): MaterialStore {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
  const waiting = new Map<number, Waiting>();
  let number = 0;

  worker.onmessage = ({ data }: MessageEvent<Answered>) => {
    const one = waiting.get(data.number);
    if (!one) return;
    waiting.delete(data.number);
    if ('answer' in data) one.resolve(data.answer as never);
    else if ('problem' in data) {
      if (data.problem.code === 'unauthenticated') endSession();
      one.reject(new Problem(data.problem));
    } else if ('unanswered' in data) one.reject(new Unanswered('no answer'));
    else one.reject(new Error(data.broken));
  };
  worker.onerror = () => {
    // Its file did not come, or it died: nothing that was asked will be answered.
    for (const one of waiting.values()) one.reject(new Unanswered('the worker failed'));
    waiting.clear();
  };

  return {
    ask(question, given) {
      number += 1;
      const asked: Asked = { number, question, given };
      return new Promise((resolve, reject) => {
        waiting.set(asked.number, { resolve, reject });
        worker.postMessage(asked);
      });
    },
    close: () => worker.terminate(),
  };
}
