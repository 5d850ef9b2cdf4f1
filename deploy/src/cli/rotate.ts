import { join } from 'node:path';
import { databaseNow, saveCommandEvent } from '@countersign/database';
import { INSTALLATION, parseStrictJson, readTrustManifest } from '@countersign/protocol';
import type { SigningService, TrustManifest } from '@countersign/protocol';
import { Argument } from 'commander';
import type { Command } from 'commander';
import { asOwner } from '../database.js';
import { SERVICES } from '../keys.js';
import { PlainError } from '../plain-error.js';
import { SETTLED, callerRotation, messageKeyRotation } from '../rotation-of-callers.js';
import { activate, prepare, retire } from '../rotation.js';
import type { Rotation } from '../rotation.js';
import { databaseOf, databaseUrl } from './database-of.js';
import { validDaysOption } from './keygen.js';
import { readTrustFile, writeTrustFile } from '../trust-file.js';

interface RotateOptions {
  readonly dir: string;
  readonly messages: boolean;
  readonly validDays: number;
  readonly trust?: string;
  readonly offline: boolean;
  readonly data?: string;
}

/** The result of a step: the key that it was about, if that was listed, and the text to print. */
interface Done {
  readonly keyId: string | null;
  readonly lines: readonly string[];
}

const HELP = `
The steps, in this order, and what is to be done after each:
  prepare    makes the next key and lists it. Hand trust.json out to all who verify, and restart all services with it.
  activate   refuses unless the running service serves the new key already; then the next key is <service>.pem.
             Restart the service that signs with it, and its workers: all replicas, one after the other.
  retire     ends the window of the old key in trust.json and deletes its private half. Hand trust.json out again.
\`caller\` instead of a service replaces the key of caller tokens, and --messages the key that the gateway and the service
share. Both are taken without a restart; each step prints what is to be handed out.
Each step is an entry in the security log of the installation when DATABASE_URL or --data names its database.
Keys in a transit engine are rotated there, and listed by \`countersign trust add --vault\` (docs/keys.md).`;

const SERVED_MS = 10_000;
/** A manifest of 128 keys is far smaller. */
const LARGEST = 1_048_576;

export function addRotateCommand(program: Command): void {
  program
    .command('rotate')
    .description('rotate a key in three steps, without losing a record or refusing a call')
    .addArgument(new Argument('<step>').choices(['prepare', 'activate', 'retire']))
    .addArgument(new Argument('<service>').choices([...SERVICES, 'caller']))
    .requiredOption('--dir <dir>', 'folder of the private keys')
    .option('--trust <file>', 'trust manifest; default: trust.json in the folder of the keys')
    .option('--messages', 'the key that the gateway and the service share', false)
    .addOption(validDaysOption())
    .option('--offline', 'activate without asking the running service for its manifest', false)
    .option('--data <dir>', 'instead of DATABASE_URL: data directory of an instance that runs here')
    .addHelpText('after', HELP)
    .action(async (step: Step, name: SigningService | 'caller', options: RotateOptions) => {
      const { lines } = await noted(step, name, options, () => take(step, name, options));
      for (const line of lines) console.log(line);
    });
}

async function take(
  step: Step,
  name: SigningService | 'caller',
  options: RotateOptions,
): Promise<Done> {
  if (name === 'caller' || options.messages) return withoutRestart(step, name, options.dir);
  const rotation = { service: name, directory: options.dir, now: Date.now() };
  const file = options.trust ?? join(options.dir, 'trust.json');
  return STEPS[step](rotation, file, options);
}

/** Takes the step with its entry for the security log (protocol R41): a database that is named has to answer first. */
async function noted(
  step: Step,
  name: SigningService | 'caller',
  options: RotateOptions,
  work: () => Promise<Done>,
): Promise<Done> {
  if (options.data === undefined && databaseUrl() === undefined) {
    console.error('This is not in the security log: set DATABASE_URL to record it.');
    return work();
  }
  return asOwner(databaseOf(options).url, 'rotate', async (pool) => {
    await databaseNow(pool);
    const done = await work();
    await saveCommandEvent(pool, {
      tenant: INSTALLATION,
      kind: 'key.rotated',
      subject: done.keyId,
      detail: { step, service: name, of_messages: options.messages },
    });
    return done;
  });
}

type Step = keyof typeof STEPS;

/** Of keys that are read again while everything runs. */
function withoutRestart(step: Step, name: SigningService | 'caller', dir: string): Done {
  const id = name === 'caller' ? callerRotation[step](dir) : messageKeyRotation[step](dir, name);
  const [ours, theirs] =
    name === 'caller'
      ? ['caller.pem', 'caller.pub.pem']
      : [`${name}.message-keys`, `${name}.message-keys`];
  const service = name === 'caller' ? 'the services' : name;
  const lines = {
    prepare: [
      `${id} is created; it is not used yet.`,
      `Next: give ${theirs} to ${service}, wait ${SETTLED}, then \`rotate activate\`.`,
    ],
    activate: [
      `${id} is used as soon as the gateway has ${ours}.`,
      `Next: give ${ours} to the gateway, wait ${SETTLED}, then \`rotate retire\`.`,
    ],
    retire: [
      `${id} is the only valid one as soon as ${service} has ${theirs}.`,
      `Next: give ${theirs} to ${service}${ours === theirs ? ' and the gateway' : ''}.`,
    ],
  };
  return { keyId: id, lines: lines[step] };
}

const STEPS = {
  prepare: async (rotation: Rotation, file: string, { validDays }: RotateOptions) => {
    const { manifest, keyId } = prepare(rotation, readTrustFile(file), validDays);
    writeTrustFile(file, manifest);
    const lines = [
      `${keyId} is listed in ${file}; it signs nothing yet.`,
      'Next: distribute the manifest, restart the services with it, then `rotate activate`.',
    ];
    return { keyId, lines };
  },
  activate: async (rotation: Rotation, file: string, { offline }: RotateOptions) => {
    const manifest = readTrustFile(file);
    const announced = offline ? [manifest] : [manifest, await servedBy(manifest.issuer)];
    const keyId = activate(rotation, announced);
    const lines = [
      `${keyId} signs from the next start of ${rotation.service} on.`,
      `Next: restart ${rotation.service} and its workers, all replicas, then \`rotate retire\`.`,
    ];
    return { keyId, lines };
  },
  retire: async (rotation: Rotation, file: string) => {
    const { manifest, keyId, forget } = retire(rotation, readTrustFile(file));
    writeTrustFile(file, manifest);
    forget();
    const lines = [
      `${keyId ?? 'The old key, which was not listed,'} signs nothing any more; its records stay valid.`,
      'Next: distribute the manifest, and restart the services with it.',
    ];
    return { keyId, lines };
  },
};

async function servedBy(issuer: string): Promise<TrustManifest> {
  const url = `${issuer}/.well-known/proto-trust`;
  const unseen = (why: string) =>
    new PlainError(
      `Whether ${url} lists the new key cannot be checked: ${why}. Start the service, or add --offline if you are sure.`,
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
