export { DECLARED_ERRORS, declaredErrors, openApiDocument } from './document.js';
