import { createPublicKey, verify } from 'node:crypto';
import type { KeyObject } from 'node:crypto';

/** Where the transit engine is; the same of Vault and of OpenBao. */
export interface TransitSettings {
  /** Origin, such as https://vault.example:8200. */
  readonly url: string;
  /** Path of the engine. */
  readonly mount: string;
  readonly namespace?: string;
  /** Read again when it is refused: an agent beside us renews it in its file. */
  readonly token: () => Promise<string>;
  /** The longest that one call may take, its answer's last byte included. */
  readonly timeoutMs: number;
}

/** One version of an Ed25519 key of the engine. */
export interface TransitVersion {
  readonly version: number;
  /** SubjectPublicKeyInfo, label PUBLIC KEY. */
  readonly publicPem: string;
}

/** The reason of a key service's failure; its words are fit for a log, and do not quote the text to sign. */
export class SignerUnavailable extends Error {
  override readonly name = 'SignerUnavailable';
}

/** Answers are small; a larger one is invalid. */
const LARGEST = 65_536;
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

  async #call(method: 'GET' | 'POST', path: string, body?: object): Promise<unknown> {
    const signal = AbortSignal.timeout(this.settings.timeoutMs);
    const { status, text } = await this.#answer(signal, method, path, body);
    if (status !== 200) {
      throw new SignerUnavailable(`${method} ${path} was answered with ${wordsOf(status)}`);
    }
    try {
      return JSON.parse(text) ?? {};
    } catch {
      throw new SignerUnavailable(`${method} ${path} was not answered with JSON`);
    }
  }

  /** The second answer where the first was none or a refusal: asking twice for a signature does no harm. */
  async #answer(signal: AbortSignal, method: string, path: string, body?: object) {
    try {
      const first = await this.#ask(signal, method, path, body);
      // Perhaps the token was renewed since.
      return first.status === 403 ? await this.#ask(signal, method, path, body) : first;
    } catch (error) {
      // A kept connection that the other side has ended meanwhile looks like this.
      if (signal.aborted || error instanceof SignerUnavailable)
        throw this.#fault(error, signal, path);
    }
    try {
      return await this.#ask(signal, method, path, body);
    } catch (error) {
      throw this.#fault(error, signal, path);
    }
  }

  #fault(error: unknown, signal: AbortSignal, path: string): SignerUnavailable {
    if (error instanceof SignerUnavailable) return error;
    const { code } = ((error as Error).cause ?? error) as { code?: unknown };
    const why = signal.aborted
      ? `no answer within ${this.settings.timeoutMs} ms`
      : typeof code === 'string'
        ? code
        : 'no connection';
    return new SignerUnavailable(`${path}: ${why}`);
  }

  async #ask(signal: AbortSignal, method: string, path: string, body?: object) {
    const { url, mount, namespace, token } = this.settings;
    const response = await fetch(`${url}/v1/${mount}/${path}`, {
      method,
      signal,
      redirect: 'error',
      headers: {
        'X-Vault-Token': await token(),
        'X-Vault-Request': 'true',
        ...(namespace === undefined ? {} : { 'X-Vault-Namespace': namespace }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, text: await limited(response) };
  }
}

async function limited(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk as Uint8Array);
    size += (chunk as Uint8Array).length;
    if (size > LARGEST) throw new SignerUnavailable('the answer is too large');
  }
  return Buffer.concat(chunks).toString('utf8');
}

function pemOf(name: string, raw: unknown): string {
  const bytes = Buffer.from(typeof raw === 'string' ? raw : '', 'base64');
  if (bytes.length !== 32) throw new SignerUnavailable(`the key ${name} shows no public key`);
  const der = Buffer.concat([SPKI_PREFIX, bytes]);
  return createPublicKey({ key: der, format: 'der', type: 'spki' })
    .export({ type: 'spki', format: 'pem' })
    .toString();
}

function wordsOf(status: number): string {
  if (status === 503) return '503: it is sealed, or in standby';
  if (status === 403) return '403: the token may not do that';
  if (status === 404) return '404: there is no such key or engine';
  return String(status);
}
