declare const written: unique symbol;

/** JSON text of a value of that type: it keeps answers that are spliced from stored texts typed. */
export type JsonText<Value> = string & { readonly [written]: Value };

/** Writes a value. Members that are undefined are left out. */
export function jsonText<Value extends object>(value: Value): JsonText<Value> {
  return JSON.stringify(value) as JsonText<Value>;
}

/** A text that is known to be one of that type: stored as such, or spliced out of others. */
export function asJsonText<Value>(text: string): JsonText<Value> {
  return text as JsonText<Value>;
}
