import { parentPort } from 'node:worker_threads';
import { Refusal } from '@countersign/protocol';
import type { ErrorCode, ErrorStatus } from '@countersign/protocol';

/** The result of a job, its refusal, or its fault (never a word of the body). */
export type JobAnswer =
  | { readonly result: unknown }
  | { readonly refusal: { code: ErrorCode; status: ErrorStatus; detail?: string } }
  | { readonly failed: string };

/** The result of a job, with the buffers in it that are moved instead of copied. */
export interface JobResult {
  readonly result: unknown;
  readonly buffers: readonly Uint8Array[];
}

/** Makes this thread answer `BodyThreads`, one body after the other. */
export function answerJobs(work: (question: never, bytes: Uint8Array) => JobResult): void {
  parentPort?.on('message', ({ question, bytes }: { question: never; bytes: Uint8Array }) => {
    const buffers: ArrayBuffer[] = [];
    let answer: JobAnswer;
    try {
      const done = work(question, bytes);
      buffers.push(...done.buffers.map(({ buffer }) => buffer as ArrayBuffer));
      answer = { result: done.result };
    } catch (error) {
      answer = failureOf(error);
    }
    parentPort?.postMessage(answer, buffers);
  });
}

/** Makes this thread read bodies in canonical form, for `withInput` with the question null. */
export function answerReadings(read: (body: string) => unknown): void {
  answerJobs((_question: null, bytes) => ({ result: read(textOf(bytes)), buffers: [] }));
}

export function textOf({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString('utf8');
}

function failureOf(error: unknown): JobAnswer {
  if (!(error instanceof Refusal)) return { failed: (error as Error).name };
  const { code, status, detail } = error;
  return { refusal: { code, status, ...(detail === undefined ? {} : { detail }) } };
}
