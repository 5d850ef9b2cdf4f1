import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import { closed } from './primitives.js';

/** 32 bytes. */
const Coordinate = Type.String({ pattern: '^[A-Za-z0-9_-]{43}$' });

/** A person's public key as a JWK with its required members alone (RFC 7517). */
export const CredentialKey = Type.Union([
  closed({
    kty: Type.Literal('EC'),
    crv: Type.Literal('P-256'),
    x: Coordinate,
    y: Coordinate,
  }),
  closed({ kty: Type.Literal('OKP'), crv: Type.Literal('Ed25519'), x: Coordinate }),
]);
export type CredentialKey = Static<typeof CredentialKey>;
