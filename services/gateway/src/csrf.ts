import { Refusal } from '@countersign/protocol';

import { sameSecret } from './secrets.js';

const harmless: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

export interface CsrfProof {
  readonly method: string;
  readonly origin: string | undefined;
  readonly token: string | readonly string[] | undefined;
}

/** Protocol §8.4: a change by a session needs the exact origin and the session's token, on every path. Throws `csrf`. */
export function checkCsrf(proof: CsrfProof, serviceOrigin: string, sessionToken: string): void {
  if (harmless.has(proof.method)) return;
  const token = typeof proof.token === 'string' ? proof.token : '';
  const known = sameSecret(token, sessionToken);
  if (!known || proof.origin !== serviceOrigin) throw new Refusal('csrf');
}
