import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type pg from 'pg';
import { bootstrapTenant, createOwnerPool, migrate } from '@countersign/database';
import { freePort } from '@countersign/dev-servers';
import { Client } from './client.js';
import type { Instance } from './instance.js';
import { keyFilesOf } from './key-files.js';

const ROOT = resolve(__dirname, '../..');

/** The origin that callers of a production process use, through the proxy that is missing here. */
export const PRODUCTION_ORIGIN = 'https://review.example';

export interface Production {
  readonly operator: Client;
  stop(): Promise<void>;
}

/**
 * A process in production mode, all targets in one, on a database of its own beside that of `instance` and with its keys.
 * `database` is a connection of the schema's owner there.
 */
export async function startProduction(
  { dataDirectory }: Instance,
  database: pg.Client,
): Promise<Production> {
  const name = `production_${randomBytes(4).toString('hex')}`;
  await database.query(`CREATE DATABASE ${name}`);
  const stores = JSON.parse(readFileSync(join(dataDirectory, 'stores.json'), 'utf8'));
  const url = new URL(stores.urls.DATABASE_URL);
  url.pathname = `/${name}`;
  await migrate(url.href);
  const token = randomBytes(32).toString('base64url');
  const owner = createOwnerPool({ url: url.href, max: 1, application: 'test' });
  await bootstrapTenant(owner, { tenant: 'acme', operator: 'op-1', token, active: true });
  await owner.end();

  const trust = JSON.parse(readFileSync(join(dataDirectory, 'trust.json'), 'utf8'));
  const trustFile = join(dataDirectory, `${name}.trust.json`);
  writeFileSync(trustFile, JSON.stringify({ ...trust, issuer: PRODUCTION_ORIGIN }));
  const [port, sandboxPort] = await Promise.all([freePort(), freePort()]);
  const key = (of: string) => join(dataDirectory, 'keys', `${of}.pem`);
  const child = spawn(process.execPath, ['deploy/dist/main.js', '--target=all'], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      NATS_URL: '',
      REDIS_URL: '',
      DATABASE_URL: url.href,
      MODE: 'production',
      ORIGIN: PRODUCTION_ORIGIN,
      HOST: '127.0.0.1',
      PORT: String(port),
      SANDBOX_ORIGIN: 'https://{scope}.apps.example',
      SANDBOX_PORT: String(sandboxPort),
      OIDC_ISSUER: 'https://issuer.example',
      OIDC_CLIENT_ID: 'countersign',
      OIDC_CLIENT_SECRET: 'secret',
      TRUST_FILE: trustFile,
      // Its stores are those of an instance on this machine.
      ALLOW_PLAINTEXT_STORES: 'true',
      ...keyFilesOf(join(dataDirectory, 'keys')),
      ...Object.fromEntries(
        ['request', 'review', 'execution-authority', 'ledger', 'notifier'].map((service) => [
          `${service.toUpperCase().replaceAll('-', '_')}_SIGNING_KEY_FILE`,
          key(service),
        ]),
      ),
    },
  });
  const exited = new Promise<void>((settle) => child.once('exit', () => settle()));
  await new Promise<void>((serves, failed) => {
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes('"ready":true')) serves();
    });
    void exited.then(() => failed(new Error(`it ended:\n${output}`)));
  });
  return {
    operator: new Client(`http://127.0.0.1:${port}`, { token }),
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}
