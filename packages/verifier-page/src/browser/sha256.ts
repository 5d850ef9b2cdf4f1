/** The first 32 bits of the fractional parts of the cube roots of the first 64 primes (FIPS 180-4 §4.2.2). */
const ROUNDS = new Uint32Array(64);
/** Of the square roots of the first eight (§5.3.3). */
const START = new Uint32Array(8);

for (let prime = 2, at = 0; at < 64; prime += 1) {
  if (!isPrime(prime)) continue;
  if (at < 8) START[at] = fraction(Math.sqrt(prime));
  ROUNDS[at] = fraction(Math.cbrt(prime));
  at += 1;
}

function isPrime(value: number): boolean {
  for (let factor = 2; factor * factor <= value; factor += 1) {
    if (value % factor === 0) return false;
  }
  return true;
}

function fraction(root: number): number {
  return Math.floor((root - Math.floor(root)) * 2 ** 32);
}

/**
 * SHA-256 (FIPS 180-4) as 64 hexadecimal digits. Browsers have it only as something to wait for, and the verifier waits
 * for nothing: it is the same function that the command runs.
 */
export function sha256(message: Uint8Array): string {
  const length = message.length;
  const padded = new Uint8Array(Math.ceil((length + 9) / 64) * 64);
  padded.set(message);
  padded[length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(length / 2 ** 29));
  view.setUint32(padded.length - 4, (length * 8) % 2 ** 32);
  const state = Uint32Array.from(START);
  const words = new Uint32Array(64);
  for (let block = 0; block < padded.length; block += 64) compress(state, words, view, block);
  return Array.from(state, (word) => word.toString(16).padStart(8, '0')).join('');
}

function compress(state: Uint32Array, w: Uint32Array, view: DataView, block: number): void {
  for (let t = 0; t < 16; t += 1) w[t] = view.getUint32(block + 4 * t);
  for (let t = 16; t < 64; t += 1) {
    const [far, near] = [at(w, t - 15), at(w, t - 2)];
    const s0 = turn(far, 7) ^ turn(far, 18) ^ (far >>> 3);
    const s1 = turn(near, 17) ^ turn(near, 19) ^ (near >>> 10);
    w[t] = at(w, t - 16) + s0 + at(w, t - 7) + s1;
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as Eight;
  for (let t = 0; t < 64; t += 1) {
    const s1 = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
    const one = (h + s1 + ((e & f) ^ (~e & g)) + at(ROUNDS, t) + at(w, t)) | 0;
    const s0 = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22);
    const two = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
  }
  for (const [i, word] of [a, b, c, d, e, f, g, h].entries()) state[i] = at(state, i) + word;
}

type Eight = [number, number, number, number, number, number, number, number];

const at = (words: Uint32Array, index: number): number => words[index] as number;
const turn = (word: number, by: number): number => (word >>> by) | (word << (32 - by));
