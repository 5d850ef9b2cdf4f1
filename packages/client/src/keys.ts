const KEY = /^[!-~]{1,160}$/;

/** A key that no other call has: `cs1-` and 32 characters of 192 random bits. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(24));
  const letters = btoa(String.fromCharCode(...bytes));
  return `cs1-${letters.replaceAll('+', '-').replaceAll('/', '_')}`;
}

/** @throws TypeError for a text that is no Idempotency-Key (protocol §6.3) */
export function checkKey(key: string): string {
  if (!KEY.test(key)) throw new TypeError('the key has to be 1 to 160 visible ASCII characters');
  return key;
}
