import { join } from 'node:path';
import { SIGNING_POLICY, parseStrictJson, readTrustManifest } from '@countersign/protocol';
import type { SigningService, TrustManifest } from '@countersign/protocol';
import { Argument } from 'commander';
import type { Command } from 'commander';
import { PlainError } from '../plain-error.js';
import { activate, prepare, retire } from '../rotation.js';
import type { Rotation } from '../rotation.js';
import { readTrustFile, writeTrustFile } from '../trust-file.js';

interface RotateOptions {
  readonly dir: string;
  readonly trust?: string;
  readonly offline: boolean;
}

const HELP = `
The steps, in this order, and what is to be done after each:
  prepare    makes the next key and lists it. Hand trust.json out to whoever verifies, and restart all services with it.
  activate   refuses unless the running service serves the new key already; then the next key is <service>.pem.
             Restart the service that signs with it, and its workers: all replicas, one after the other.
  retire     ends the window of the old key in trust.json and deletes its private half. Hand trust.json out again.
Keys in a transit engine are rotated there, and listed by \`countersign trust add --vault\` (docs/keys.md).`;

const SERVED_MS = 10_000;
/** A manifest of 128 keys is far smaller. */
const LARGEST = 1_048_576;

export function addRotateCommand(program: Command): void {
  program
    .command('rotate')
    .description('replace the signing key of a service, in three steps and without losing a record')
    .addArgument(new Argument('<step>').choices(['prepare', 'activate', 'retire']))
    .addArgument(new Argument('<service>').choices(Object.keys(SIGNING_POLICY)))
    .requiredOption('--dir <dir>', 'folder of the private keys')
    .option('--trust <file>', 'trust manifest; trust.json in the folder of the keys when not given')
    .option('--offline', 'activate without asking the running service what it serves', false)
    .addHelpText('after', HELP)
    .action(async (step: string, service: SigningService, options: RotateOptions) => {
      const rotation = { service, directory: options.dir, now: Date.now() };
      const file = options.trust ?? join(options.dir, 'trust.json');
      for (const line of await STEPS[step as keyof typeof STEPS](rotation, file, options)) {
        console.log(line);
      }
    });
}

const STEPS = {
  prepare: async (rotation: Rotation, file: string) => {
    const { manifest, keyId } = prepare(rotation, readTrustFile(file));
    writeTrustFile(file, manifest);
    return [
      `${keyId} is listed in ${file}; it signs nothing yet.`,
      'Next: hand the manifest out, restart the services with it, then `rotate activate`.',
    ];
  },
  activate: async (rotation: Rotation, file: string, { offline }: RotateOptions) => {
    const manifest = readTrustFile(file);
    const announced = offline ? [manifest] : [manifest, await servedBy(manifest.issuer)];
    const keyId = activate(rotation, announced);
    return [
      `${keyId} signs from the next start of ${rotation.service} on.`,
      `Next: restart ${rotation.service} and its workers, all replicas, then \`rotate retire\`.`,
    ];
  },
  retire: async (rotation: Rotation, file: string) => {
    const { manifest, keyId, forget } = retire(rotation, readTrustFile(file));
    writeTrustFile(file, manifest);
    forget();
    return [
      `${keyId ?? 'The old key, which was not listed,'} signs nothing any more; what it has signed stays good.`,
      'Next: hand the manifest out, and restart the services with it.',
    ];
  },
};

async function servedBy(issuer: string): Promise<TrustManifest> {
  const url = `${issuer}/.well-known/proto-trust`;
  const unseen = (why: string) =>
    new PlainError(
      `Whether ${url} lists the new key cannot be seen: ${why}. Start the service, or add --offline when you know it.`,
    );
  let served: unknown;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(SERVED_MS) });
    const text = await response.text();
    if (response.status !== 200 || text.length > LARGEST)
      throw unseen(`it answers ${response.status}`);
    served = parseStrictJson(Buffer.from(text));
  } catch (error) {
    throw error instanceof PlainError ? error : unseen('there is no usable answer');
  }
  const { faults } = readTrustManifest(served, issuer);
  if (faults.length > 0) throw unseen(faults.map(({ message }) => message).join(' '));
  return served as TrustManifest;
}
