import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** The settings with which an instance logs people in at the provider of that port. */
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
