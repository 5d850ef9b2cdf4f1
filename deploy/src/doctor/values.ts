import { check } from './finding.js';
import type { Finding } from './finding.js';

type Values = Readonly<Record<string, unknown>>;

/** The values of missing keys: the chart's defaults, for the keys that checks read. */
const DEFAULTS: Readonly<Record<string, unknown>> = {
  mode: 'production',
  'networkPolicy.enabled': true,
  'nats.auth': 'password',
  'defaults.replicas': 2,
};

/**
 * Checks values of the chart, as `helm get values --all` prints them or as a file of one's own.
 */
export function checkValues(values: Values): Finding[] {
  const at = (path: string): unknown => {
    let found: unknown = values;
    for (const name of path.split('.')) found = (found as Values | undefined)?.[name];
    return found ?? DEFAULTS[path];
  };
  const filled = (path: string): boolean => {
    const found = at(path);
    return Array.isArray(found) ? found.length > 0 : Boolean(found);
  };
  const setting = (name: string): string => String(at(`settings.${name}`) ?? '');
  const exposed = at('ingress.enabled') === true || at('httpRoute.enabled') === true;
  const keySecrets = Object.keys((at('keys.services') as object | undefined) ?? {});

  return [
    check('mode is production', at('mode') === 'production', 'fail', 'Set mode: production.'),
    check(
      'the image is named by digest',
      filled('image.digest'),
      'warn',
      'Set image.digest: a tag can be moved to another image.',
    ),
    check(
      'network policies are on',
      at('networkPolicy.enabled') !== false,
      'fail',
      'Set networkPolicy.enabled: true, and use a network plug-in that enforces policies.',
    ),
    check(
      'only the ingress reaches the gateway',
      filled('networkPolicy.ingress'),
      'warn',
      'Name the pods of your ingress in networkPolicy.ingress: without it every pod of the cluster reaches the gateway.',
    ),
    check(
      'client addresses are known behind a proxy',
      !exposed || setting('TRUSTED_PROXIES') !== '',
      'fail',
      'Set settings.TRUSTED_PROXIES to the addresses of your ingress: without it all unauthenticated clients share the rates of one address.',
    ),
    check(
      'anchors are in a bucket with Object Lock',
      filled('anchor.s3.bucket'),
      'fail',
      'Set anchor.s3.bucket (docs/anchoring.md): without it no grant becomes available.',
    ),
    check(
      'each service has a signing key of its own Secret, or of a key service',
      setting('VAULT_ADDR') !== '' || keySecrets.length >= SIGNERS,
      'warn',
      'Name a Secret for each service in keys.services, or keep keys in Vault (docs/keys.md).',
    ),
    check(
      'the database’s owner is in another Secret than the services',
      at('postgres.migration.existingSecret') !== at('postgres.existingSecret') ||
        !filled('postgres.existingSecret'),
      'fail',
      'Put the owner’s URL into a Secret of its own: postgres.migration.existingSecret.',
    ),
    check(
      'NATS is reached with TLS',
      at('allInOne') === true || /^(tls|wss):/.test(String(at('nats.url') ?? '')),
      'fail',
      'Set nats.url to tls://… (docs/operations.md, Install).',
    ),
    check(
      'stores without TLS are refused',
      setting('ALLOW_PLAINTEXT_STORES') !== 'true',
      'fail',
      'Remove settings.ALLOW_PLAINTEXT_STORES and give Postgres, NATS and Redis TLS addresses.',
    ),
    check(
      'quotas and rates are on',
      setting('QUOTAS') !== 'off',
      'fail',
      'Remove settings.QUOTAS.',
    ),
    check(
      'webhooks stay outside private networks',
      setting('WEBHOOK_ALLOW_PRIVATE') !== 'true',
      'fail',
      'Remove settings.WEBHOOK_ALLOW_PRIVATE.',
    ),
    check(
      'apps run only in browsers that prove their confinement',
      setting('APP_CONFINEMENT') === 'strict',
      'warn',
      'Set settings.APP_CONFINEMENT: strict, unless publishers may see the payload (docs/security.md).',
    ),
    check(
      'important confirmations require a fresh login',
      setting('STEP_UP') !== '',
      'warn',
      'Name routes in settings.STEP_UP (docs/pages.md).',
    ),
    check(
      'researchers find an address to report weaknesses',
      setting('SECURITY_CONTACT') !== '',
      'warn',
      'Set settings.SECURITY_CONTACT: it is published as /.well-known/security.txt.',
    ),
    check(
      'the security log is sent to a collector',
      SINKS.some((name) => filled(`secretSettings.${name}`) || setting(name) !== ''),
      'warn',
      'Set settings.SECURITY_LOG_OTLP_URL or SECURITY_LOG_SYSLOG_URL, and targets.worker-security-log.enabled: true (docs/security-log.md).',
    ),
    check(
      'alerts are installed',
      at('monitoring.prometheusRule.enabled') === true,
      'warn',
      'Set monitoring.prometheusRule.enabled: true, or load files/alerts.yaml into your Prometheus.',
    ),
    check(
      'the end of one pod interrupts no caller',
      at('allInOne') !== true && Number(at('defaults.replicas')) >= 2,
      'warn',
      'Set allInOne: false and defaults.replicas: 2 or more.',
    ),
  ];
}

/** The log of the process counts: the cluster collects it. */
const SINKS = ['SECURITY_LOG_OTLP_URL', 'SECURITY_LOG_SYSLOG_URL', 'SECURITY_LOG_LINES'];

/** request, review, execution-authority, ledger, notifier. */
const SIGNERS = 5;
