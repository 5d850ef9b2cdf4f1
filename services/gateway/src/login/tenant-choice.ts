import { Refusal } from '@countersign/protocol';

import type { Call } from '../call.js';
import { readForm } from '../form-body.js';
import { languageFor } from '../pages/language.js';
import { tenantPage } from '../pages/tenant-page.js';
import { sameSecret } from '../secrets.js';
import type { PendingChoice, LoginEntry } from '../store/logins.js';

/** The value that the choice page sends back for an entry. */
export function choiceValue({ tenant, principal }: LoginEntry): string {
  return JSON.stringify([tenant, principal]);
}

export function choicePage(
  { request }: Call,
  people: readonly LoginEntry[],
  pending: PendingChoice,
): string {
  return tenantPage({
    language: languageFor(request.headers),
    token: pending.token,
    toReview: pending.returnTo !== '/inbox',
    entries: people.map((person) => ({ ...person, value: choiceValue(person) })),
  });
}

/**
 * The entry that a person chose. The form carries a secret of this one attempt, which no other site can know. Throws
 * `csrf`, `directory_identity_unavailable`.
 */
export async function readChoice(
  { request }: Call,
  origin: string,
  people: readonly LoginEntry[],
  pending: PendingChoice,
): Promise<LoginEntry> {
  const form = await readForm(request);
  const { origin: from, 'sec-fetch-site': site } = request.headers;
  // Our own referrer policy lets browsers send no origin with a form.
  const foreign =
    (from !== undefined && from !== 'null' && from !== origin) || site === 'cross-site';
  if (foreign || !sameSecret(form.get('token') ?? '', pending.token)) throw new Refusal('csrf');
  const chosen = people.find((person) => choiceValue(person) === form.get('tenant'));
  if (!chosen) throw new Refusal('directory_identity_unavailable');
  return chosen;
}
