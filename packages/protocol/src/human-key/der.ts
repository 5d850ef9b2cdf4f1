/** Order of the group of P-256. */
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/**
 * The 64 bytes r ‖ s of an ECDSA signature on P-256 out of its DER form. Strict: one sequence of two positive integers, each
 * as short as it can be and below the order of the group, and not a byte more. A high s is as good as a low one. Null for
 * anything else.
 */
export function rawSignature(der: Uint8Array): Buffer | null {
  // 0x30, the length of what follows in one byte.
  if (der[0] !== 0x30 || der[1] !== der.length - 2) return null;
  const r = integerAt(der, 2);
  if (r === null) return null;
  const s = integerAt(der, r.end);
  if (s === null || s.end !== der.length) return null;
  return Buffer.concat([r.bytes, s.bytes]);
}

function integerAt(
  der: Uint8Array,
  at: number,
): { readonly bytes: Uint8Array; readonly end: number } | null {
  const length = der[at + 1];
  if (der[at] !== 0x02 || length === undefined || length < 1 || length > 33) return null;
  const end = at + 2 + length;
  const content = der.subarray(at + 2, end);
  const [first = 0, second = 0] = content;
  if (content.length !== length || first > 0x7f) return null;
  // A leading zero is there only where the next bit would make the number negative.
  if (first === 0 && second < 0x80) return null;
  const digits = first === 0 ? content.subarray(1) : content;
  if (digits.length > 32) return null;
  const bytes = Buffer.concat([new Uint8Array(32 - digits.length), digits]);
  const value = BigInt(`0x${bytes.toString('hex')}`);
  return value > 0n && value < ORDER ? { bytes, end } : null;
}
