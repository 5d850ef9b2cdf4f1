export { canonicalObject, canonicalText, textDigest, valueDigest } from './canonical.js';
export { BODY_BOUNDS, parseStrictJson } from './strict-reader.js';
export type { JsonBounds } from './strict-reader.js';
export { isJsonObject, MAX_JSON_DEPTH } from './value.js';
export type { JsonObject, JsonValue } from './value.js';
export { asJsonText, jsonText } from './text.js';
export type { JsonText } from './text.js';
