import type { Reading } from './blocks.js';
import { readingOf } from './blocks.js';

// Apart from the page and from the material's own worker: a text on which the parser is slow stops neither.

/** `ready` once, when the parser has come; then the reading of each text. */
export type FromWorker = 'ready' | Reading;

interface Scope {
  onmessage: ((event: MessageEvent<string>) => void) | null;
  postMessage(message: FromWorker): void;
}
const scope = globalThis as unknown as Scope;

scope.onmessage = ({ data }) => scope.postMessage(readingOf(data));
scope.postMessage('ready');
