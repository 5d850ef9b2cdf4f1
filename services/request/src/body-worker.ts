import { answerJobs, textOf } from '@countersign/platform/body-job';
import { readBundle } from './bundle-input.js';
import { readCreation } from './creation-input.js';

// Reads large bodies, as the service's own thread reads small ones. Texts leave as bytes, which go without a copy.
export type BodyQuestion = 'creation' | 'bundle';

answerJobs((question: BodyQuestion, bytes) => {
  const utf8 = new TextEncoder();
  const buffers: Uint8Array[] = [];
  const keep = (text: string): Uint8Array => {
    const kept = utf8.encode(text);
    buffers.push(kept);
    return kept;
  };
  const body = textOf(bytes);
  const result = question === 'bundle' ? readBundle(body, keep) : readCreation(body, keep);
  return { result, buffers };
});
