import { WEB_RUNTIME } from './runtime.js';
import { guardIn } from './guard.js';

export * from './parts.js';
export const guard = guardIn(WEB_RUNTIME);
