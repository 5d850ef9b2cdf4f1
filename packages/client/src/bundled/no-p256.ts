function missing(): never {
  throw new TypeError('keys of P-256 are not part of this build');
}

/**
 * In place of P-256, which would add 5 kB to a program that only makes calls. Only signatures of people are of that kind
 * (protocol §19), and stand in exports alone. The verifier of exports has the real one.
 */
export const p256 = { Point: { fromBytes: missing }, verify: missing };
