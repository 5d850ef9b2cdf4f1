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

/** Breaks no rule and needs more memory than a worker has: each item misses each of many schemas, with an error each. */
export const HUNGRY_SCHEMA: JsonObject = {
  items: { allOf: Array.from({ length: 30 }, () => ({ type: 'string' })) },
};
export const HUNGRY_RESPONSE: JsonValue = Array.from({ length: 100_000 }, () => 1);
