/** 32 random bytes as a bearer token (protocol §8.1). */
export function newToken(): string {
  return encode(crypto.getRandomValues(new Uint8Array(32)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
}

/** 32 random bytes as a webhook secret of Standard Webhooks (R33). */
export function newWebhookSecret(): string {
  return `whsec_${encode(crypto.getRandomValues(new Uint8Array(32)))}`;
}

function encode(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}
