import { flag } from '@countersign/platform';
import type { ConfigurationFault } from '@countersign/platform';
import { z } from 'zod';

/** A text in PEM form, perhaps. */
export const pem = (what: string) =>
  z.string().includes('-----BEGIN', 'expected a PEM text').optional().describe(what);

/**
 * Declarations of the certificates and keys for connections to NATS. Postgres takes `sslrootcert` and others in its URL.
 */
export const NATS_TRANSPORT = {
  ALLOW_PLAINTEXT_STORES: flag()
    .default(false)
    .describe(
      'true lets production reach Postgres, NATS and Redis without TLS, where the network itself is encrypted',
    ),
  NATS_CA: pem('the certificate authorities for NATS; by default the usual ones'),
  NATS_CERT: pem('the client certificate for NATS, if it requires one'),
  NATS_KEY: pem('the private key that belongs to NATS_CERT'),
} as const;

/** The fault of these addresses in production, unless ALLOW_PLAINTEXT_STORES allows it (protocol R40). */
export function plaintextRedis(urls: readonly string[] = []): ConfigurationFault[] {
  if (urls.every((url) => url.startsWith('rediss://'))) return [];
  return [plaintext('REDIS_URL', 'Use rediss://, with REDIS_CA where its authority is your own')];
}

/** The same of NATS. */
export function natsFaults(urls: string | undefined): ConfigurationFault[] {
  if (urls === undefined || urls.split(',').every((url) => url.startsWith('tls://'))) return [];
  return [plaintext('NATS_URL', 'Use tls://, with NATS_CA where its authority is your own')];
}

/** Of one URL of Postgres, which is of that variable. */
export function databaseFaults(variable: string, url: string): ConfigurationFault[] {
  if (isProtectedDatabase(url)) return [];
  return [
    plaintext(
      variable,
      'Add sslmode=verify-full, with sslrootcert=<file> where its authority is your own, or use a Unix socket',
    ),
  ];
}

function plaintext(variable: string, remedy: string): ConfigurationFault {
  return {
    variable,
    wrong: 'names a connection without verified TLS in production',
    remedy: `${remedy}; where the network itself is encrypted, set ALLOW_PLAINTEXT_STORES=true.`,
  };
}

/** Of a parameter that is given twice the client takes the last one. */
function isProtectedDatabase(url: string): boolean {
  const [withoutFragment = ''] = url.split('#');
  const [address = '', query = ''] = withoutFragment.split(/\?(.*)/s);
  const parameters = new URLSearchParams(query);
  const authority = address.replace(/^\w+:\/\//, '').split('/')[0] ?? '';
  const host = parameters.getAll('host').at(-1) || authority.slice(authority.lastIndexOf('@') + 1);
  return (
    parameters.getAll('sslmode').at(-1) === 'verify-full' ||
    host.startsWith('/') ||
    /^%2f/i.test(host)
  );
}
