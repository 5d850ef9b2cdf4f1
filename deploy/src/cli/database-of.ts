import { z } from 'zod';
import { loadConfig } from '@countersign/platform';
import { DEFAULT_DATA, dataDirectory } from '../data-directory.js';
import { PlainError } from '../plain-error.js';
import { LOGIN, withCredentials } from '../configuration.js';
import { NATS_TRANSPORT, databaseFaults } from '../store-transport.js';
import { STORES_FILE } from '../stores-file.js';
import type { StoresFile } from '../stores-file.js';

export interface DatabaseOptions {
  data?: string;
}

/** The database that DATABASE_URL names, else that of the instance which `npm start` runs on this machine. */
export function databaseOf({ data }: DatabaseOptions): { url: string; development: boolean } {
  const named = data === undefined ? databaseUrl() : undefined;
  if (named) return { url: named, development: false };
  const directory = data ?? DEFAULT_DATA;
  const url = dataDirectory(directory).read<StoresFile>(STORES_FILE)?.urls.DATABASE_URL;
  if (url !== undefined) return { url, development: true };
  throw new PlainError(
    `DATABASE_URL is not set, and no instance runs on ${directory}. Set it to postgres://user@host:port/database, ` +
      'or start an instance with `npm start` and name its data directory with --data DIR.',
  );
}

/** `DATABASE_URL` with `DATABASE_USERNAME` and `DATABASE_PASSWORD`, each also as the file that `…_FILE` names. */
export function databaseUrl(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const shape = {
    DATABASE_URL: z.string().optional().describe('postgres://user:password@host:port/database'),
    DATABASE_USERNAME: LOGIN.DATABASE_USERNAME,
    DATABASE_PASSWORD: LOGIN.DATABASE_PASSWORD,
    // Where commands run beside targets, as the chart's migration does, they are as strict.
    MODE: z.enum(['development', 'production']).default('development').describe('as the targets'),
    ALLOW_PLAINTEXT_STORES: NATS_TRANSPORT.ALLOW_PLAINTEXT_STORES,
  };
  const given = loadConfig(shape, env, ({ DATABASE_URL, MODE, ALLOW_PLAINTEXT_STORES }) =>
    DATABASE_URL === undefined || MODE !== 'production' || ALLOW_PLAINTEXT_STORES
      ? []
      : databaseFaults('DATABASE_URL', DATABASE_URL),
  );
  const { DATABASE_URL: url, DATABASE_USERNAME: username, DATABASE_PASSWORD: password } = given;
  return url === undefined ? undefined : withCredentials(url, username, password);
}
