export { isBoundBundle } from './bundle-integrity.js';
export { SCOPE, labelOf, sandboxOriginOf, scopeOf } from './sandbox-origin.js';
export { storedAppAround, storedAppText } from './stored-app.js';
export type { AppSource } from './stored-app.js';
