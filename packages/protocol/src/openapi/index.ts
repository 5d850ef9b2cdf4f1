export { DECLARED_ERRORS, declaredErrors, openApiDocument } from './document.js';
export { refusalCodes } from './refusals.js';
