export { isBoundBundle } from './bundle-integrity.js';
export { SCOPE, labelOf, sandboxOriginOf } from './sandbox-origin.js';
export { storedAppAround, storedAppText } from './stored-app.js';
