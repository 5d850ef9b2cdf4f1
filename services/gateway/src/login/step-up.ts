import type { LoginStrength } from './identity-provider.js';

/** Confirmations on one route of one tenant want a login of this strength. */
export interface StepUpRule extends LoginStrength {
  readonly tenant: string;
  readonly route: string;
}

/** The login of a person who adds a key (protocol §19.6). */
export const FRESH_LOGIN: LoginStrength = { maxAge: 300, acrValues: [] };

/** The rule of a tenant's route, or null when it has none. */
export function ruleFor(
  rules: readonly StepUpRule[],
  tenant: string,
  route: string,
): StepUpRule | null {
  return rules.find((rule) => rule.route === route && rule.tenant === tenant) ?? null;
}

export interface Proof {
  /** Seconds since the identity provider saw it; null when it did not say. */
  readonly provedAgo: number | null;
  readonly acr: string | null;
}

/** Whether a session's login is fresh and strong enough. A missing claim counts as not proved. */
export function isProved({ provedAgo, acr }: Proof, { maxAge, acrValues }: LoginStrength): boolean {
  const fresh = provedAgo !== null && provedAgo <= maxAge;
  return fresh && (acrValues.length === 0 || (acr !== null && acrValues.includes(acr)));
}

/** The challenge of the refusal (RFC 9470 §3). */
export function challenge({ maxAge, acrValues }: LoginStrength): string {
  const acr = acrValues.length === 0 ? '' : `, acr_values="${acrValues.join(' ')}"`;
  return `Bearer error="insufficient_user_authentication", max_age="${maxAge}"${acr}`;
}
