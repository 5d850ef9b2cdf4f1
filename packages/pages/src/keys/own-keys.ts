import type { CredentialBound, CredentialList, CredentialStatus } from '@countersign/protocol';

import { read } from '../api/client.js';
import { reader } from '../session/session.js';
import type { Signer } from './statements.js';

/** How long a key waits for somebody who vouches for it (protocol §19.4). */
export const WAITS_MS = 24 * 3_600_000;

export function readOwnKeys(signal?: AbortSignal): Promise<CredentialList> {
  return read<CredentialList>('/v2/me/credentials', signal ? { signal } : {});
}

/** What the record of a key binds; null while it waits. */
export function boundOf({ bound }: CredentialStatus): CredentialBound | null {
  return bound === null ? null : (bound.payload as CredentialBound);
}

/** A key that counts. */
export interface ActiveKey {
  readonly label: string;
  readonly bound: CredentialBound;
}

export function activeAmong(keys: CredentialList): ActiveKey[] {
  return keys.flatMap((key) => {
    const bound = boundOf(key);
    return key.state === 'active' && bound !== null ? [{ label: key.label, bound }] : [];
  });
}

/** The reader of this page. */
export function signerHere(): Signer {
  const { tenant = '', subject = '' } = reader() ?? {};
  return { issuer: location.origin, tenant, subject };
}
