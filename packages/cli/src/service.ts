import { readFileSync } from 'node:fs';
import { approvals } from '@countersign/client/approvals';
import { ConfigurationInvalid, connect } from '@countersign/client/node';
import type { Client, ConnectionFile, TrustManifest } from '@countersign/client/node';

import type { Terminal } from './terminal.js';

export interface ConnectionOptions {
  readonly connection?: string;
}

/**
 * The client of a connection file, which verifies decisions of several people too. Nothing is sent.
 *
 * @throws ConfigurationInvalid
 */
export function clientOf({ connection }: ConnectionOptions): Promise<Client> {
  return connect(connection, { approvals: approvals() });
}

/** @throws ConfigurationInvalid */
function connectionIn(
  file = process.env['COUNTERSIGN_CONNECTION'] ?? 'countersign.json',
): ConnectionFile {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as ConnectionFile;
  } catch {
    throw new ConfigurationInvalid('connection', `${file} cannot be read as a connection file`);
  }
}

/** The manifest that a connection file pins. @throws ConfigurationInvalid */
export function trustIn({ connection }: ConnectionOptions): TrustManifest {
  return connectionIn(connection).trust;
}

/** The variable that holds the producer's token, where one does. @throws ConfigurationInvalid */
export function tokenVariableIn({ connection }: ConnectionOptions): string | undefined {
  return connectionIn(connection).token_env;
}

/**
 * Compares the pinned manifest with the one that the service serves, before anything is asked: answers that could not be
 * verified would come too late.
 *
 * @throws ConfigurationInvalid for a manifest of which the service has no key, and what `Client.call` throws
 */
export async function checkTrust(
  client: Client,
  options: ConnectionOptions,
  terminal: Terminal,
): Promise<void> {
  const drift = await client.trustDrift();
  if (drift === null) return;
  const { added, removed, changed } = drift;
  const others = new Set([...removed, ...changed]);
  if (trustIn(options).keys.every(({ key_id }) => others.has(key_id)))
    throw new ConfigurationInvalid(
      'trust',
      'has no key of this service: ask the operator for the connection file again, and compare `countersign trust fingerprint` with them over another way',
    );
  const parts = Object.entries({ added, removed, changed })
    .filter(([, keys]) => keys.length > 0)
    .map(([what, keys]) => `${keys.join(', ')} ${what}`);
  terminal.say(
    `Warning: the service's trust manifest is no longer the pinned one (${parts.join('; ')}). Ask the operator for a new connection file.`,
  );
}
