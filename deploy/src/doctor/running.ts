import { connect } from 'node:tls';
import { readTrustManifest, SIGNING_POLICY } from '@countersign/protocol';
import type { Trust, TrustManifest } from '@countersign/protocol';
import { reach } from '../client/api.js';
import { check } from './finding.js';
import type { Finding } from './finding.js';

const DAY_MS = 86_400_000;
const SOON_DAYS = 30;
const LONGEST_DAYS = 400;

/** Checks a running service from outside, as a stranger sees it. `now` in epoch milliseconds. Throws if nothing answers. */
export async function checkRunning(origin: string, now: number): Promise<Finding[]> {
  const get = (path: string) => reach(origin + path, { redirect: 'manual' });
  const [discovery, manifest, anonymous, page, report, metrics] = await Promise.all([
    get('/.well-known/proto').then((answer) => answer.json() as Promise<{ mode?: string }>),
    get('/.well-known/proto-trust').then((answer) => answer.json() as Promise<TrustManifest>),
    get('/v2/requests'),
    get('/operator'),
    get('/.well-known/security.txt'),
    get('/metrics'),
  ]);
  const header = (name: string) => anonymous.headers.get(name) ?? '';
  return [
    ...(await checkTransport(origin, now)),
    check(
      'the service is in production mode',
      discovery.mode === 'production',
      'fail',
      'Set MODE=production.',
    ),
    check(
      'calls without a credential are refused',
      anonymous.status === 401 && page.status !== 200,
      'fail',
      'A proxy in front adds a credential: pass calls on unchanged.',
    ),
    check(
      'HSTS reaches the browser',
      header('strict-transport-security') !== '',
      'fail',
      'Let Strict-Transport-Security through your proxy; the service sends it in production.',
    ),
    check(
      'pages run no foreign script and cannot be framed',
      /default-src 'none'/.test(header('content-security-policy')) &&
        /frame-ancestors 'none'/.test(header('content-security-policy')) &&
        header('x-content-type-options') === 'nosniff',
      'fail',
      'Let Content-Security-Policy and X-Content-Type-Options through your proxy.',
    ),
    check(
      'metrics of the processes are not public',
      metrics.status === 404,
      'fail',
      'Do not route /metrics or port 9090 to the outside.',
    ),
    check(
      'researchers find an address to report weaknesses',
      report.status === 200,
      'warn',
      'Set SECURITY_CONTACT: it is published as /.well-known/security.txt.',
    ),
    ...checkTrust(manifest, origin, now),
  ];
}

/** Checks the manifest's keys: one or more of each service, none shared, none about to end. */
export function checkTrust(manifest: TrustManifest, origin: string, now: number): Finding[] {
  const { trust, faults } = readTrustManifest(manifest, origin);
  const readable = check(
    'the trust manifest is well formed and of this origin',
    trust !== null,
    'fail',
    faults.map(({ message }) => message).join(' '),
  );
  if (trust === null) return [readable];
  const current = currentKeys(trust, now);
  const lacking = Object.keys(SIGNING_POLICY).filter(
    (service) => !current.some(([id]) => id.startsWith(`${service}-`)),
  );
  const publics = manifest.keys.map(({ public_key }) => public_key.replaceAll(/\s/g, ''));
  const ending = lastEnds(current).filter(([, end]) => end - now < SOON_DAYS * DAY_MS);
  const lasting = current.filter(
    ([, { notBefore, notAfter }]) => notAfter - notBefore > LONGEST_DAYS * DAY_MS,
  );
  return [
    readable,
    check(
      'each service has a current key named after it',
      lacking.length === 0,
      'fail',
      `Make keys with \`countersign keygen\` or \`countersign rotate\`: none of ${lacking.join(', ')}. Only such names bind a key to its service.`,
    ),
    check(
      'no two key ids share a key',
      new Set(publics).size === publics.length,
      'fail',
      'Rotate: a shared key can be used in the name of another service.',
    ),
    check(
      `no service’s last key ends within ${SOON_DAYS} days`,
      ending.length === 0,
      'fail',
      `Run \`countersign rotate\` for ${ending.map(([service]) => service).join(', ')} (docs/keys.md).`,
    ),
    check(
      'keys are valid for about a year at most',
      lasting.length === 0,
      'warn',
      `Rotate ${lasting.map(([id]) => id).join(', ')}: the longer a key is valid, the longer a stolen one is.`,
    ),
  ];
}

type Key = Trust['keys'] extends ReadonlyMap<string, infer Value> ? [string, Value] : never;

function currentKeys({ keys }: Trust, now: number): Key[] {
  return [...keys].filter(
    ([, { notBefore, notAfter, revokedAt }]) =>
      notBefore <= now && now < notAfter && (revokedAt === null || now < revokedAt),
  );
}

/** Of each service that has a current key: when the last of them ends. */
function lastEnds(current: readonly Key[]): [string, number][] {
  return Object.keys(SIGNING_POLICY).flatMap((service) => {
    const ends = current.flatMap(([id, { notAfter }]) =>
      id.startsWith(`${service}-`) ? [notAfter] : [],
    );
    return ends.length === 0 ? [] : [[service, Math.max(...ends)] as [string, number]];
  });
}

async function checkTransport(origin: string, now: number): Promise<Finding[]> {
  const { protocol, hostname, port } = new URL(origin);
  const encrypted = check(
    'the origin has TLS',
    protocol === 'https:',
    'fail',
    'End TLS at your ingress and set ORIGIN to https://….',
  );
  if (protocol !== 'https:') return [encrypted];
  const at = { host: hostname, port: Number(port || 443) };
  const certificate = await handshake({ ...at });
  const outdated = await handshake({ ...at, maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' });
  return [
    encrypted,
    check(
      'the certificate is valid for at least two more weeks',
      certificate !== null && certificate - now > 14 * DAY_MS,
      'warn',
      'Renew the certificate of the origin.',
    ),
    check(
      'TLS 1.1 and older are refused',
      outdated === null,
      'fail',
      'Allow TLS 1.2 and 1.3 only at your ingress.',
    ),
  ];
}

/** When the peer's certificate ends, epoch milliseconds; null if there is no connection. */
function handshake(options: {
  host: string;
  port: number;
  maxVersion?: 'TLSv1.1';
  ciphers?: string;
}): Promise<number | null> {
  return new Promise((resolve) => {
    const minVersion = options.maxVersion === undefined ? {} : { minVersion: 'TLSv1' as const };
    // The certificate was verified by the calls above; this one asks for its end and for old versions.
    const socket = connect(
      { ...options, ...minVersion, servername: options.host, rejectUnauthorized: false },
      () => {
        const { valid_to: end } = socket.getPeerCertificate();
        socket.destroy();
        resolve(Date.parse(end));
      },
    );
    socket.setTimeout(5000, () => socket.destroy());
    socket.once('error', () => resolve(null));
    socket.once('close', () => resolve(null));
  });
}
