export { DECLARED_ERRORS, declaredErrors, openApiDocument, openApiExtensions } from './document.js';
export { refusalCodes } from './refusals.js';
export { extensionSchemas } from './schemas.js';
