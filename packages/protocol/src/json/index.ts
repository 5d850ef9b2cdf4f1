export { canonicalObject, canonicalText, textDigest, valueDigest } from './canonical.js';
export { parseStrictJson } from './strict-body.js';
export type { JsonBounds } from './strict-reader.js';
export { isJsonObject } from './value.js';
export type { JsonObject, JsonValue } from './value.js';
export { asJsonText, jsonText } from './text.js';
export type { JsonText } from './text.js';
