import { createPublicKey, verify } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { SignerUnavailable, askVault } from './vault-call.js';
import type { VaultAddress } from './vault-call.js';
import type { VaultToken } from './vault-login.js';

/** Where the transit engine is; the same of Vault and of OpenBao. */
export interface TransitSettings extends VaultAddress {
  /** Path of the engine. */
  readonly mount: string;
  /** Asked for every call: an agent beside us renews it in its file. */
  readonly token: VaultToken;
}

/** One version of an Ed25519 key of the engine. */
export interface TransitVersion {
  readonly version: number;
  /** SubjectPublicKeyInfo, label PUBLIC KEY. */
  readonly publicPem: string;
}

/** The bytes before the raw 32 bytes in the SubjectPublicKeyInfo of an Ed25519 key (RFC 8410). */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

/**
 * Keys that stay in the transit engine of Vault or OpenBao: we send bytes and get signatures. Every call is bounded, and
 * none is believed: a signature counts when it verifies under the key that the caller expects.
 *
 * Every method throws SignerUnavailable.
 */
export class TransitEngine {
  constructor(private readonly settings: TransitSettings) {}

  /** The versions of an Ed25519 key that can still sign, the newest first. */
  async versions(name: string): Promise<TransitVersion[]> {
    const { data } = (await this.#call('GET', `keys/${name}`)) as {
      data?: {
        type?: unknown;
        keys?: Record<string, { public_key?: unknown }>;
        min_encryption_version?: unknown;
      };
    };
    if (data?.type !== 'ed25519')
      throw new SignerUnavailable(`the key ${name} is not of type ed25519`);
    const least = Number(data.min_encryption_version ?? 0);
    return Object.entries(data.keys ?? {})
      .map(([version, { public_key }]) => ({
        version: Number(version),
        publicPem: pemOf(name, public_key),
      }))
      .filter(({ version }) => version >= least)
      .sort((a, b) => b.version - a.version);
  }

  /** 64 bytes of pure Ed25519 by exactly that version, verified under `publicKey`. */
  async sign(
    name: string,
    version: number,
    publicKey: KeyObject,
    preimage: Uint8Array,
  ): Promise<Buffer> {
    const { data } = (await this.#call('POST', `sign/${name}`, {
      input: Buffer.from(preimage).toString('base64'),
      key_version: version,
    })) as { data?: { signature?: unknown } };
    const [, , encoded = ''] = String(data?.signature).split(':');
    const signature = Buffer.from(encoded, 'base64');
    if (signature.length !== 64 || !verify(null, preimage, publicKey, signature)) {
      throw new SignerUnavailable(
        `the signature by ${name} does not verify under version ${version}`,
      );
    }
    return signature;
  }

  #call(method: 'GET' | 'POST', path: string, body?: object): Promise<unknown> {
    const { mount, token } = this.settings;
    return askVault(this.settings, method, `${mount}/${path}`, {
      token,
      ...(body === undefined ? {} : { body }),
    });
  }
}

function pemOf(name: string, raw: unknown): string {
  const bytes = Buffer.from(typeof raw === 'string' ? raw : '', 'base64');
  if (bytes.length !== 32) throw new SignerUnavailable(`the key ${name} shows no public key`);
  const der = Buffer.concat([SPKI_PREFIX, bytes]);
  return createPublicKey({ key: der, format: 'der', type: 'spki' })
    .export({ type: 'spki', format: 'pem' })
    .toString();
}
