import { readingOf } from './blocks.js';

// Apart from the page and from the material's own worker: a text on which the parser is slow stops neither.

interface Scope {
  onmessage: ((event: MessageEvent<string>) => void) | null;
  postMessage(reading: unknown): void;
}
const scope = globalThis as unknown as Scope;

scope.onmessage = ({ data }) => scope.postMessage(readingOf(data));
