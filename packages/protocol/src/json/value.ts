/** Any JSON value: the result of `parseStrictJson`, and the input of canonical forms and digests. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;

export interface JsonObject {
  [key: string]: JsonValue;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The deepest level at which a value may stand, the root being 0 (protocol §2.1). */
export const MAX_JSON_DEPTH = 64;

/** Matches a surrogate without its partner, which no UTF-8 text can hold. */
export const LONE_SURROGATE = /[\uD800-\uDFFF]/u;
