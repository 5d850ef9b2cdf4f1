/** The requirements of protocol §8.1 and R42 on a bearer token, in words. */
export const GOOD_TOKEN = 'A good one: openssl rand -hex 32';

/** Why a token may come from a keyboard instead of a random generator, as the end of a sentence; null when it may not. */
export function weaknessOf(token: string): string | null {
  if (token.length < 43 || token.length > 200) return 'must have 43 to 200 characters';
  const readings = [fromHex(token), fromBase64url(token)].filter((bytes) => bytes !== null);
  if (readings.length === 0) {
    return 'must be 32 bytes or more as hex or as unpadded canonical base64url';
  }
  return [...readings, Buffer.from(token)].some(isRepetition) ? 'repeats itself' : null;
}

function fromHex(token: string): Buffer | null {
  const bytes = Buffer.from(token, 'hex');
  return bytes.length >= 32 && bytes.toString('hex') === token ? bytes : null;
}

function fromBase64url(token: string): Buffer | null {
  const bytes = Buffer.from(token, 'base64url');
  return bytes.length >= 32 && bytes.toString('base64url') === token ? bytes : null;
}

/** Whether the bytes repeat with a period of 1 to 16. */
function isRepetition(bytes: Buffer): boolean {
  for (let period = 1; period <= 16; period += 1) {
    if (bytes.subarray(period).equals(bytes.subarray(0, bytes.length - period))) return true;
  }
  return false;
}
