import { join } from 'node:path';
import { parseStrictJson, readTrustManifest } from '@countersign/protocol';
import type { SigningService, TrustManifest } from '@countersign/protocol';
import { Argument } from 'commander';
import type { Command } from 'commander';
import { SERVICES } from '../launcher/keys.js';
import { PlainError } from '../plain-error.js';
import { SETTLED, callerRotation, messageKeyRotation } from '../rotation-of-callers.js';
import { activate, prepare, retire } from '../rotation.js';
import type { Rotation } from '../rotation.js';
import { validDaysOption } from './keygen.js';
import { readTrustFile, writeTrustFile } from '../trust-file.js';

interface RotateOptions {
  readonly dir: string;
  readonly messages: boolean;
  readonly validDays: number;
  readonly trust?: string;
  readonly offline: boolean;
}

const HELP = `
The steps, in this order, and what is to be done after each:
  prepare    makes the next key and lists it. Hand trust.json out to whoever verifies, and restart all services with it.
  activate   refuses unless the running service serves the new key already; then the next key is <service>.pem.
             Restart the service that signs with it, and its workers: all replicas, one after the other.
  retire     ends the window of the old key in trust.json and deletes its private half. Hand trust.json out again.
\`caller\` instead of a service replaces the key of caller tokens, and --messages the key that the gateway and the service
share. Both are taken without a restart; each step prints what is to be handed out.
Keys in a transit engine are rotated there, and listed by \`countersign trust add --vault\` (docs/keys.md).`;

const SERVED_MS = 10_000;
/** A manifest of 128 keys is far smaller. */
const LARGEST = 1_048_576;

export function addRotateCommand(program: Command): void {
  program
    .command('rotate')
    .description('replace a key in three steps, without losing a record or refusing a call')
    .addArgument(new Argument('<step>').choices(['prepare', 'activate', 'retire']))
    .addArgument(new Argument('<service>').choices([...SERVICES, 'caller']))
    .requiredOption('--dir <dir>', 'folder of the private keys')
    .option('--trust <file>', 'trust manifest; trust.json in the folder of the keys when not given')
    .option('--messages', 'the key that the gateway and the service share', false)
    .addOption(validDaysOption())
    .option('--offline', 'activate without asking the running service what it serves', false)
    .addHelpText('after', HELP)
    .action(async (step: Step, name: SigningService | 'caller', options: RotateOptions) => {
      if (name === 'caller' || options.messages) {
        for (const line of withoutRestart(step, name, options.dir)) console.log(line);
        return;
      }
      const service = name;
      const rotation = { service, directory: options.dir, now: Date.now() };
      const file = options.trust ?? join(options.dir, 'trust.json');
      for (const line of await STEPS[step](rotation, file, options)) {
        console.log(line);
      }
    });
}

type Step = keyof typeof STEPS;

/** Of keys that are read again while everything runs. */
function withoutRestart(step: Step, name: SigningService | 'caller', dir: string): string[] {
  const id = name === 'caller' ? callerRotation[step](dir) : messageKeyRotation[step](dir, name);
  const [ours, theirs] =
    name === 'caller'
      ? ['caller.pem', 'caller.pub.pem']
      : [`${name}.message-keys`, `${name}.message-keys`];
  const service = name === 'caller' ? 'the services' : name;
  switch (step) {
    case 'prepare':
      return [
        `${id} is made; it is not used yet.`,
        `Next: hand ${theirs} to ${service}, wait ${SETTLED}, then \`rotate activate\`.`,
      ];
    case 'activate':
      return [
        `${id} is used as soon as the gateway has ${ours}.`,
        `Next: hand ${ours} to the gateway, wait ${SETTLED}, then \`rotate retire\`.`,
      ];
    case 'retire':
      return [
        `${id} is the only one that counts as soon as ${service} has ${theirs}.`,
        `Next: hand ${theirs} to ${service}${ours === theirs ? ' and the gateway' : ''}.`,
      ];
  }
}

const STEPS = {
  prepare: async (rotation: Rotation, file: string, { validDays }: RotateOptions) => {
    const { manifest, keyId } = prepare(rotation, readTrustFile(file), validDays);
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
