import { ANYWHERE } from './around.js';
import { guardIn } from './guard.js';

export * from './parts.js';
export const guard = guardIn(ANYWHERE);
