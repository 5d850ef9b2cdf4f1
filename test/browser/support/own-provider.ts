import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

/** A port that nothing listens on just now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** What makes an instance log people in at the provider of that port. */
export function providerEnvironment(port: number): Record<string, string> {
  return {
    OIDC_ISSUER: `http://localhost:${port}`,
    OIDC_CLIENT_ID: 'countersign-test',
    OIDC_CLIENT_SECRET: 'a-secret-of-the-test',
  };
}

/** Starts the provider of provider.mjs and waits until it listens. */
export async function startProvider(port: number, origin: string): Promise<ChildProcess> {
  const args = [join(__dirname, 'provider.mjs'), String(port), `${origin}/auth/callback`];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  await once(child.stdout as NodeJS.ReadableStream, 'data');
  return child;
}
