import { writeFileSync } from 'node:fs';
import type { ConnectionFile } from '@countersign/deploy/cli/connection';
import type { TrustManifest } from '@countersign/protocol';
import type { OwnDirectory } from './data-directory.js';
import type { DemoTenant } from './demo-tenants.js';

/** The file that `COUNTERSIGN_CONNECTION` names so that a program asks a development instance. */
export const CONNECTION_FILE = 'countersign.json';

const TOKEN_FILE = 'producer-token';

/** Writes what `countersign connection` writes, for the demo producer of a tenant, and the token beside it. */
export function writeConnectionFile(
  data: OwnDirectory,
  origin: string,
  { tenant, producer }: DemoTenant,
): void {
  writeFileSync(data.at(TOKEN_FILE), `${producer.token}\n`, { mode: 0o600 });
  const content: ConnectionFile = {
    origin,
    tenant,
    producer: producer.id,
    trust: data.read<TrustManifest>('trust.json')!,
    token_file: TOKEN_FILE,
  };
  data.write(CONNECTION_FILE, content);
}
