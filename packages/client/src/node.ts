import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

import { fileAnchorStore } from './anchor-files.js';
import { countersign } from './client.js';
import type { Client, ClientOptions } from './client.js';
import { ConfigurationInvalid } from './errors.js';
import type { TrustManifest } from './generated/records.js';

export * from './index.js';
export { fileAnchorStore } from './anchor-files.js';
export type { FileAnchorStore } from './anchor-files.js';

/** The file that `countersign connection` writes (docs/operations.md). */
export interface ConnectionFile {
  readonly origin: string;
  readonly tenant: string;
  readonly producer: string;
  readonly trust: TrustManifest;
  /** The environment variable that holds the token. */
  readonly token_env?: string;
  /** Or the file that does; relative paths begin at the folder of this file. */
  readonly token_file?: string;
  /** The folder of the anchor store's copy; likewise. */
  readonly anchor_store?: string;
}

export type ConnectOptions = Partial<
  Pick<ClientOptions, 'anchorStore' | 'approvals' | 'budget' | 'fetch' | 'onAttempt' | 'token'>
>;

/** The file that `connect()` reads when no other is named. */
const USUAL = 'countersign.json';
const MEMBERS: ReadonlySet<string> = new Set([
  ...['origin', 'tenant', 'producer', 'trust', 'token_env', 'token_file', 'anchor_store'],
]);

/**
 * A client as a connection file says, which verifies all answers by the manifest in it. The file is `countersign.json` of the
 * working directory, or the one that `COUNTERSIGN_CONNECTION` names, or `file`. Nothing is sent.
 *
 * @throws ConfigurationInvalid, which names the member of the file and the remedy
 */
export async function connect(
  file: string = process.env['COUNTERSIGN_CONNECTION'] ?? USUAL,
  options: ConnectOptions = {},
): Promise<Client> {
  const connection = await readConnection(file);
  const { origin, tenant, producer, trust, anchor_store: store } = connection;
  const beside = (path: string) => resolve(dirname(file), path);
  const token = options.token ?? (await tokenOf(connection, beside));
  return countersign({
    ...(store !== undefined && { anchorStore: fileAnchorStore(beside(store)) }),
    ...options,
    ...{ origin, tenant, producer, trust, token },
  });
}

async function readConnection(file: string): Promise<ConnectionFile> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw new ConfigurationInvalid(
      'connection',
      `${file} cannot be read (${(error as NodeJS.ErrnoException).code}): ask the operator for the file that \`countersign connection\` writes`,
    );
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ConfigurationInvalid('connection', `${file} is no JSON`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ConfigurationInvalid('connection', `${file} is no JSON object`);
  const members = value as Record<string, unknown>;
  for (const name of Object.keys(members))
    // Its name may be the token.
    if (!MEMBERS.has(name))
      throw new ConfigurationInvalid('connection', `${file} has an unknown member`);
  for (const name of ['origin', 'tenant', 'producer'] as const)
    if (typeof members[name] !== 'string' || members[name] === '')
      throw new ConfigurationInvalid(name, `is missing in ${file}`);
  for (const name of ['token_env', 'token_file', 'anchor_store'] as const)
    if (members[name] !== undefined && typeof members[name] !== 'string')
      throw new ConfigurationInvalid(name, `has to be a text in ${file}`);
  if (typeof members['trust'] !== 'object' || members['trust'] === null)
    throw new ConfigurationInvalid('trust', `is missing in ${file}: it is the whole manifest`);
  return members as unknown as ConnectionFile;
}

type Token = () => string | Promise<string>;

/** Read at each attempt, so that a token may change; once now, so that a missing one is known before anything is asked. */
async function tokenOf(
  { token_env: name, token_file: file }: ConnectionFile,
  beside: (path: string) => string,
): Promise<Token> {
  if ((name === undefined) === (file === undefined))
    throw new ConfigurationInvalid('token_env', 'or token_file has to be there, and not both');
  const read: Token = () => {
    const text = file === undefined ? process.env[name ?? ''] : readText(beside(file));
    const token = text?.trim() ?? '';
    if (token !== '') return token;
    throw file === undefined
      ? new ConfigurationInvalid(
          'token_env',
          `names ${name}, which is not set: set it to the token`,
        )
      : new ConfigurationInvalid('token_file', 'names an empty file: write the token into it');
  };
  await read();
  return read;
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigurationInvalid(
      'token_file',
      `names a file that cannot be read (${(error as NodeJS.ErrnoException).code}): write the token into it`,
    );
  }
}
