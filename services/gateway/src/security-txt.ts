/** The contact for reports by security researchers (RFC 9116). */
export interface SecurityContact {
  /** `mailto:`, `https:` or `tel:` addresses, the preferred one first. */
  readonly contacts: readonly string[];
  /** Address of the disclosure policy. */
  readonly policy: string | undefined;
}

/** Readers fetch the file again by then; the RFC recommends less than a year. */
const VALID_DAYS = 180;
const DAY_MS = 86_400_000;

/** The text of `/.well-known/security.txt`. `now` in epoch milliseconds. */
export function securityText({ contacts, policy }: SecurityContact, origin: string, now: number) {
  const expires = new Date((Math.floor(now / DAY_MS) + VALID_DAYS) * DAY_MS).toISOString();
  return [
    ...contacts.map((contact) => `Contact: ${contact}`),
    `Expires: ${expires}`,
    ...(policy === undefined ? [] : [`Policy: ${policy}`]),
    `Canonical: ${origin}/.well-known/security.txt`,
    'Preferred-Languages: en',
    '',
  ].join('\n');
}
