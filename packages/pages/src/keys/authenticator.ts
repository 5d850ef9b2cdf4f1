import type {
  CredentialBound,
  CredentialKey,
  EnrolmentOffer,
  SignedBy,
} from '@countersign/protocol';

import { fromBase64url, toBase64url } from './base64url.js';
import { keyOf } from './public-key.js';
import { challengeOf } from './statements.js';

/**
 * Why a key was not made or did not sign: the person left the browser's dialog, or it ended (`dismissed`); the device has a key of
 * this person already (`known`); no kind of key that it has can be taken (`unsupported`); this page may not ask for keys
 * (`elsewhere`); the service offers something else than this page shows (`differs`); no key was chosen (`no_key`).
 */
export type KeyFaultReason =
  | 'dismissed'
  | 'known'
  | 'unsupported'
  | 'elsewhere'
  | 'differs'
  | 'no_key';

export class KeyFault extends Error {
  override readonly name = 'KeyFault';
  constructor(
    readonly reason: KeyFaultReason,
    options?: ErrorOptions,
  ) {
    super(reason, options);
  }
}

/** By the names that browsers give (WebAuthn, 5.1.3 and 5.1.4). */
const REASONS: Readonly<Record<string, KeyFaultReason>> = {
  NotAllowedError: 'dismissed',
  AbortError: 'dismissed',
  InvalidStateError: 'known',
  NotSupportedError: 'unsupported',
  ConstraintError: 'unsupported',
  SecurityError: 'elsewhere',
};

export function reasonOf(fault: unknown): KeyFaultReason | null {
  return fault instanceof DOMException ? (REASONS[fault.name] ?? null) : null;
}

export function browserHasKeys(): boolean {
  return 'PublicKeyCredential' in globalThis;
}

export interface MadeKey {
  /** As the service takes it (protocol §19.6). */
  readonly registration: {
    readonly id: string;
    readonly type: string;
    readonly response: { readonly clientDataJSON: string; readonly attestationObject: string };
  };
  readonly publicKey: CredentialKey;
  readonly credentialId: string;
}

/** Has the browser make a key. Throws `KeyFault`. */
export async function makeKey(
  options: EnrolmentOffer['options'],
  signal: AbortSignal,
): Promise<MadeKey> {
  const { challenge, user, excludeCredentials, ...rest } = options;
  const made = await asked(() =>
    navigator.credentials.create({
      signal,
      publicKey: {
        ...rest,
        challenge: fromBase64url(challenge),
        user: { ...user, id: fromBase64url(user.id) },
        excludeCredentials: excludeCredentials.map(descriptor),
      },
    }),
  );
  const response = made.response as AuthenticatorAttestationResponse;
  const info = response.getPublicKey();
  const publicKey = info && keyOf(info);
  if (publicKey === null) throw new KeyFault('unsupported');
  return {
    registration: {
      id: made.id,
      type: made.type,
      response: {
        clientDataJSON: toBase64url(response.clientDataJSON),
        attestationObject: toBase64url(response.attestationObject),
      },
    },
    publicKey,
    credentialId: made.id,
  };
}

/** A key that is to sign: the service's name of it, and the authenticator's. */
export type SigningKey = Pick<CredentialBound, 'credential' | 'credential_id' | 'rp_id'>;

/** As long as an offer is good for (protocol §19.6). */
const SIGN_WITHIN_MS = 300_000;

/** Has one key sign a statement that this page made. Throws `KeyFault`. */
export async function signWith(
  { credential, credential_id, rp_id }: SigningKey,
  statement: object,
  signal: AbortSignal,
): Promise<SignedBy> {
  const challenge = await challengeOf(statement);
  const given = await asked(() =>
    navigator.credentials.get({
      signal,
      publicKey: {
        challenge,
        rpId: rp_id,
        allowCredentials: [descriptor({ id: credential_id })],
        userVerification: 'required',
        timeout: SIGN_WITHIN_MS,
      },
    }),
  );
  const response = given.response as AuthenticatorAssertionResponse;
  return {
    credential,
    client_data_json: toBase64url(response.clientDataJSON),
    authenticator_data: toBase64url(response.authenticatorData),
    signature: toBase64url(response.signature),
  };
}

const descriptor = ({ id }: { readonly id: string }) => ({
  type: 'public-key' as const,
  id: fromBase64url(id),
});

async function asked(ask: () => Promise<Credential | null>): Promise<PublicKeyCredential> {
  if (!browserHasKeys()) throw new KeyFault('unsupported');
  let given: Credential | null;
  try {
    given = await ask();
  } catch (cause) {
    const reason = reasonOf(cause);
    if (reason === null) throw cause;
    throw new KeyFault(reason, { cause });
  }
  if (given === null) throw new KeyFault('dismissed');
  return given as PublicKeyCredential;
}
