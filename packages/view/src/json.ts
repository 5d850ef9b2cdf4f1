/** Freezes a JSON value and all that is in it. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(deepFreeze);
  }
  return value;
}

/**
 * A copy of `value` that is nothing but JSON.
 *
 * @throws TypeError when it has none, or holds half a character (a lone surrogate)
 * @throws RangeError when its text has more than `bytes`, or it is nested deeper than `depth`
 */
export function plainJson(value: unknown, bytes: number, depth: number): unknown {
  const text = JSON.stringify(value, (key: string, member: unknown) => {
    if (typeof member === 'function' || typeof member === 'symbol') {
      throw new TypeError('a function is no JSON');
    }
    if (!key.isWellFormed() || (typeof member === 'string' && !member.isWellFormed())) {
      throw new TypeError('a text ends or begins in the middle of a character');
    }
    return member;
  });
  if (new TextEncoder().encode(text).length > bytes) {
    throw new RangeError(`the message has more than ${bytes} bytes`);
  }
  const copy: unknown = JSON.parse(text);
  if (depthOf(copy) > depth) throw new RangeError(`the message is nested deeper than ${depth}`);
  return copy;
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((most, each) => Math.max(most, 1 + depthOf(each)), 0);
}
