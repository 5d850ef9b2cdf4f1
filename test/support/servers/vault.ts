import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@countersign/dev-servers';
import { obtained } from '../programs/obtained.js';
import { startChild } from './child.js';

export interface VaultServer {
  readonly url: string;
  readonly port: number;
  /** A token with the rights on keys of the engine that a service needs, and no others. */
  readonly token: string;
  /** As root; throws unless it is answered well. */
  ask(method: string, path: string, body?: object): Promise<{ data: Record<string, unknown> }>;
  seal(): Promise<void>;
  unseal(): Promise<void>;
  stop(): Promise<void>;
}

/** The policy that docs/keys.md gives to operators. */
export const POLICY = `
path "transit/keys/+" { capabilities = ["read"] }
path "transit/sign/+" { capabilities = ["update"] }
`;

/** A real Vault, unsealed, with an empty transit engine. */
export async function startVault(): Promise<VaultServer> {
  const program = await obtained('vault-parts');
  const directory = mkdtempSync(join(tmpdir(), 'countersign-vault-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = await startChild(
    program,
    [`127.0.0.1:${port}`],
    { log: join(directory, 'log') },
    () => fetch(`${url}/v1/sys/health`),
  );
  let root = '';
  async function ask(method: string, path: string, body?: object) {
    const response = await fetch(`${url}/v1/${path}`, {
      method,
      headers: { 'X-Vault-Token': root },
      signal: AbortSignal.timeout(20_000),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === '' ? { data: {} } : JSON.parse(text);
  }
  const made = await ask('PUT', 'sys/init', { secret_shares: 1, secret_threshold: 1 });
  const unseal = (): Promise<void> => ask('PUT', 'sys/unseal', { key: made.keys[0] });
  await unseal();
  root = made.root_token;
  await ask('POST', 'sys/mounts/transit', { type: 'transit' });
  await ask('PUT', 'sys/policies/acl/countersign', { policy: POLICY });
  const { auth } = await ask('POST', 'auth/token/create', {
    policies: ['countersign'],
    no_default_policy: true,
  });
  return {
    url,
    port,
    token: auth.client_token,
    ask,
    seal: () => ask('PUT', 'sys/seal'),
    unseal,
    async stop() {
      await child.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
