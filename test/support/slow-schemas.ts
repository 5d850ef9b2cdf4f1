import type { JsonObject, JsonValue } from '@countersign/protocol';

/**
 * A schema and a response that break no rule of protocol §10 and still keep a processor busy for many seconds: each item is
 * compared with each choice, and neither number is bounded. `salt` makes a new one.
 */
export function slowSchema(salt: string): JsonObject {
  const choices = Array.from({ length: 25_000 }, (_, place) => [place]);
  return { title: salt, type: 'array', items: { enum: choices } };
}

export function slowResponse(salt: string): JsonValue {
  return [...Array.from({ length: 10_000 }, () => [-1]), [salt]];
}

/** Slow by itself: the evaluated members of each of many parts are computed again for the next one. */
export function slowToCompile(salt: string): JsonObject {
  const parts = Array.from({ length: 2400 }, (_, place) => ({
    properties: { [`p${place}`]: { type: 'string' } },
  }));
  return { title: salt, allOf: parts, unevaluatedProperties: false };
}

/**
 * Breaks no rule and soon needs more memory than a process has: each item is an error with a path of its own, in which the
 * long name is copied because it has a character to escape.
 */
export const HUNGRY_SCHEMA: JsonObject = { additionalProperties: { items: { type: 'string' } } };
export const HUNGRY_RESPONSE: JsonValue = {
  [`~${'a'.repeat(200_000)}`]: Array.from({ length: 1000 }, () => 1),
};
