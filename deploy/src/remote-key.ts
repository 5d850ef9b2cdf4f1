import { createPublicKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { SignerUnavailable, startLoop } from '@countersign/platform';
import type { Logger, Loop, Module, TransitEngine } from '@countersign/platform';
import { startUpFaults } from '@countersign/protocol';
import type { KeyWindow, RemoteSigner, SigningService, TrustManifest } from '@countersign/protocol';
import { listedAs, windowOf } from './service-signer.js';

interface Known {
  readonly version: number;
  readonly publicKey: KeyObject;
  readonly keyId: string;
  readonly window: KeyWindow | undefined;
}

const LEARN_MS = 1000;
/** No record, and nothing that could become one: it is not JSON. */
const PROBE = Buffer.from('countersign: is this key ready?');

/**
 * The key of a service that stays in a key service. The manifest decides which version of it signs: the newest that it
 * lists as valid now, so that a version that was made a moment ago signs nothing before every verifier can know it. While
 * the key service does not answer nothing is signed, and the service says that it is not ready.
 */
export class RemoteKey implements RemoteSigner, Module {
  readonly name: string;
  #known: Known | undefined;
  #loop: Loop | undefined;

  constructor(
    private readonly options: {
      readonly service: SigningService;
      readonly engine: TransitEngine;
      /** Its name in the key service. */
      readonly key: string;
      readonly manifest: TrustManifest;
      readonly origin: string;
      readonly log: Logger;
      readonly now: () => number;
    },
  ) {
    this.name = `signing key of ${options.service}`;
  }

  get keyId(): string {
    return this.#must().keyId;
  }

  get window(): KeyWindow | undefined {
    return this.#must().window;
  }

  /** @throws SignerUnavailable when there is no signature, or one that does not verify */
  async signLater(preimage: Uint8Array): Promise<Buffer> {
    const { version, publicKey } = this.#must();
    return this.options.engine.sign(this.options.key, version, publicKey, preimage);
  }

  /** @throws Error when the key service has an answer, and it is no key that may sign */
  async start(): Promise<void> {
    await this.#learnIfItAnswers();
    this.#loop = startLoop(LEARN_MS, async () => {
      if (this.#known === undefined)
        await this.#learnIfItAnswers().catch((error: unknown) => this.#say(error));
    });
  }

  async stop(): Promise<void> {
    await this.#loop?.stop();
  }

  async ready(): Promise<void> {
    await this.signLater(PROBE);
  }

  async #learnIfItAnswers(): Promise<void> {
    try {
      await this.#learn();
    } catch (error) {
      if (!(error instanceof SignerUnavailable)) throw error;
      this.#say(error);
    }
  }

  #say(error: unknown): void {
    this.options.log.error(
      { err: error },
      `the ${this.name} cannot be used, and nothing is signed with it`,
    );
  }

  async #learn(): Promise<void> {
    const { engine, key, manifest, origin, service, now } = this.options;
    const versions = await engine.versions(key);
    const faults: string[] = [];
    for (const { version, publicPem } of versions) {
      const keyId = listedAs(manifest, publicPem);
      const found = startUpFaults(
        manifest,
        origin,
        [{ service, keyId: keyId ?? `${key} version ${version}`, publicPem }],
        now(),
      );
      if (keyId !== null && found.length === 0) {
        this.#known = {
          version,
          publicKey: createPublicKey(publicPem),
          keyId,
          window: windowOf(manifest, keyId),
        };
        return;
      }
      faults.push(...found.map(({ message }) => message));
    }
    throw new Error(
      `The signing key of ${service} cannot be used: ${faults.join(' ') || `${key} has no version that signs.`} ` +
        'List its public key with `countersign trust add` (docs/keys.md).',
    );
  }

  #must(): Known {
    if (this.#known === undefined) {
      throw new SignerUnavailable(`the ${this.name} is not known yet`);
    }
    return this.#known;
  }
}
