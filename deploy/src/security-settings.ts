import type { CollectorTls, StreamBounds } from '@countersign/ledger';
import { loadConfig, wholeNumber } from '@countersign/platform';
import type { ConfigurationFault } from '@countersign/platform';
import { z } from 'zod';
import { HEADERS, headersOf } from './headers-setting.js';
import { pem } from './store-transport.js';

/** Variables of the target that signs the security log. Each may also be given as `<name>_FILE`. */
export const SECURITY_LOG = {
  SECURITY_CHECKPOINT_SECONDS: wholeNumber(1, 300)
    .default(300)
    .describe(
      'the longest wait of an entry of the security log for a signed checkpoint, in seconds',
    ),
} as const;

/** Variables of the target that sends the security log to collectors (docs/security-log.md). */
export const SECURITY_STREAM = {
  SECURITY_LOG_LINES: z
    .string()
    .regex(/^(stdout|\/.+)$/, 'expected stdout or an absolute path')
    .optional()
    .describe('stdout, or the path of a file or named pipe, for the security log as JSON lines'),
  SECURITY_LOG_OTLP_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe(
      'the address of a collector for the security log as OTLP over HTTP, such as https://collector:4318/v1/logs',
    ),
  SECURITY_LOG_OTLP_HEADERS: HEADERS.optional().describe(
    'name=value,name=value: headers for that collector, such as its credentials',
  ),
  SECURITY_LOG_SYSLOG_URL: z
    .string()
    .regex(/^tls:\/\/(\[[0-9a-fA-F:]+\]|[\w.-]+)(:\d{1,5})?$/, 'expected tls://host:port')
    .optional()
    .describe(
      'the address of a collector for the security log as syslog over TLS, such as tls://siem:6514',
    ),
  SECURITY_LOG_CA: pem(
    'the certificate authorities for collectors of the security log; by default the usual ones',
  ),
  SECURITY_LOG_CERT: pem(
    'the client certificate for collectors of the security log, if they require one',
  ),
  SECURITY_LOG_KEY: pem('the private key that belongs to SECURITY_LOG_CERT'),
  SECURITY_LOG_BACKLOG_ENTRIES: wholeNumber(1, 1_000_000_000)
    .default(1_000_000)
    .describe('entries of one chain that a collector may be behind before some are dropped'),
  SECURITY_LOG_BACKLOG_HOURS: wholeNumber(1, 87_600)
    .default(168)
    .describe('hours after which an entry that a collector does not have is dropped'),
} as const;

/** Which collectors there are, null for those that are not named. */
export interface SecurityStreamSettings {
  /** `stdout`, or a path. */
  readonly lines: string | null;
  readonly otlp: {
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
  } | null;
  readonly syslog: { readonly host: string; readonly port: number } | null;
  readonly tls: CollectorTls;
  readonly bounds: StreamBounds;
}

export function securityStreamSettings(
  env: NodeJS.ProcessEnv,
  mode: 'development' | 'production',
): SecurityStreamSettings {
  const config = loadConfig(SECURITY_STREAM, env, (read) => [
    ...((read.SECURITY_LOG_CERT === undefined) === (read.SECURITY_LOG_KEY === undefined)
      ? []
      : [HALF_A_PAIR]),
    ...(mode === 'production' && isExposed(read.SECURITY_LOG_OTLP_URL) ? [UNPROTECTED] : []),
  ]);
  const { SECURITY_LOG_OTLP_URL: otlp, SECURITY_LOG_SYSLOG_URL: syslog } = config;
  return {
    lines: config.SECURITY_LOG_LINES ?? null,
    otlp:
      otlp === undefined
        ? null
        : { url: otlp, headers: headersOf(config.SECURITY_LOG_OTLP_HEADERS) },
    syslog: syslog === undefined ? null : placeOf(syslog),
    tls: {
      ca: config.SECURITY_LOG_CA,
      cert: config.SECURITY_LOG_CERT,
      key: config.SECURITY_LOG_KEY,
    },
    bounds: {
      entries: config.SECURITY_LOG_BACKLOG_ENTRIES,
      hours: config.SECURITY_LOG_BACKLOG_HOURS,
    },
  };
}

/** Of IANA for syslog over TLS. */
const SYSLOG_TLS = 6514;

function placeOf(url: string): { host: string; port: number } {
  const { hostname, port } = new URL(url);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? SYSLOG_TLS : Number(port) };
}

/** Plain HTTP leaves the machine. */
function isExposed(url: string | undefined): boolean {
  if (url === undefined || !url.startsWith('http:')) return false;
  return !/^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(url).hostname);
}

const HALF_A_PAIR: ConfigurationFault = {
  variable: 'SECURITY_LOG_CERT',
  wrong: 'and SECURITY_LOG_KEY belong together, and one of them is missing',
  remedy: 'Set both, or none of them.',
};

const UNPROTECTED: ConfigurationFault = {
  variable: 'SECURITY_LOG_OTLP_URL',
  wrong: 'begins with http: in production',
  remedy: 'Use https, or a collector on the same host by http://localhost.',
};
