import type { Caller } from './caller.js';

/**
 * A text that marks private data: it is put into payloads, schemas, documents, answers, reports and apps, and no refusal
 * may repeat it (R3), nor any answer to another tenant.
 */
export const CANARY = 'canary-5e1f0c';

export function withCanary(text: string): string {
  return `${CANARY} ${text}`;
}

/** Another tenant's input: its own, which answers may repeat. */
export function withoutCanary<T>(input: T): T {
  const text = JSON.stringify(input) as string | undefined;
  return text === undefined ? input : (JSON.parse(text.replaceAll(CANARY, 'own')) as T);
}

/** The private data that an answer reveals, or null. */
export function secretIn(
  text: string,
  status: number,
  caller: Caller,
  own: readonly Caller[],
  ownTenant: string,
): string | null {
  const stranger = caller.tenant !== ownTenant;
  if ((status >= 400 || stranger) && text.includes(CANARY)) return 'private text';
  for (const { credentials, name } of own) {
    if (credentials === null) continue;
    const secrets =
      'token' in credentials
        ? [credentials.token]
        : [credentials.csrf, credentials.cookie.split('=')[1] ?? ''];
    if (secrets.some((secret) => secret !== '' && text.includes(secret))) {
      return `a secret of ${name}`;
    }
  }
  return null;
}
