import { guardIn } from './guard.js';
import { NODE } from './journals/process.js';

export * from './parts.js';
export { fileJournal } from './journals/files.js';
/** `guard` with a monotonic clock that all processes of this machine share, so that a later one can take over a launch. */
export const guard = guardIn(NODE);
