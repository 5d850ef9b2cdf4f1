import type { Grade } from './finding.js';
import { findingsText } from './finding.js';
import { checkValues } from './values.js';

/** A production installation with nothing left to do. */
const GOOD = {
  mode: 'production',
  image: { digest: `sha256:${'0'.repeat(64)}` },
  networkPolicy: { enabled: true, ingress: [{ namespaceSelector: {} }] },
  ingress: { enabled: true },
  anchor: { s3: { bucket: 'anchors' } },
  keys: {
    services: { request: {}, review: {}, 'execution-authority': {}, ledger: {}, notifier: {} },
  },
  postgres: { existingSecret: 'urls', migration: { existingSecret: 'owner' } },
  nats: { url: 'tls://nats:4222' },
  settings: {
    TRUSTED_PROXIES: '10.0.0.0/8',
    APP_CONFINEMENT: 'strict',
    STEP_UP: '[]',
    SECURITY_CONTACT: 'mailto:security@example.org',
    SECURITY_LOG_OTLP_URL: 'https://collector:4318/v1/logs',
  },
  monitoring: { prometheusRule: { enabled: true } },
  defaults: { replicas: 2 },
};

function merged(path: string, value: unknown): Record<string, unknown> {
  const values = structuredClone(GOOD) as Record<string, any>;
  const names = path.split('.');
  const last = names.pop() as string;
  let at = values;
  for (const name of names) at = at[name] ??= {};
  at[last] = value;
  return values;
}

test('values with nothing left to do pass', () => {
  const findings = checkValues(GOOD);
  expect(findings.filter(({ grade }) => grade !== 'pass')).toEqual([]);
  expect(findingsText(findings)).toContain(`${findings.length} pass, 0 warn, 0 fail`);
});

test.each<[string, unknown, Grade, RegExp]>([
  ['mode', 'development', 'fail', /production mode|mode is production/],
  ['image.digest', '', 'warn', /digest/],
  ['networkPolicy.enabled', false, 'fail', /network policies/],
  ['networkPolicy.ingress', [], 'warn', /only the ingress/],
  ['settings.TRUSTED_PROXIES', '', 'fail', /client addresses/],
  ['anchor.s3.bucket', '', 'fail', /Object Lock/],
  ['keys.services', {}, 'warn', /signing key/],
  ['postgres.migration.existingSecret', 'urls', 'fail', /owner/],
  ['nats.url', 'nats://nats:4222', 'fail', /NATS/],
  ['settings.ALLOW_PLAINTEXT_STORES', true, 'fail', /without TLS/],
  ['settings.QUOTAS', 'off', 'fail', /quotas/],
  ['settings.WEBHOOK_ALLOW_PRIVATE', 'true', 'fail', /webhooks/],
  ['settings.APP_CONFINEMENT', 'standard', 'warn', /confinement/],
  ['settings.STEP_UP', '', 'warn', /fresh login/],
  ['settings.SECURITY_CONTACT', '', 'warn', /report weaknesses/],
  ['settings.SECURITY_LOG_OTLP_URL', '', 'warn', /sent to a collector/],
  ['monitoring.prometheusRule.enabled', false, 'warn', /alerts/],
  ['allInOne', true, 'warn', /one pod/],
])('%s = %j is a %s', (path, value, grade, title) => {
  const findings = checkValues(merged(path, value)).filter((found) => found.grade !== 'pass');
  expect(findings).toEqual([
    { grade, title: expect.stringMatching(title), remedy: expect.stringMatching(/\S/) },
  ]);
});

test('a key service replaces Secrets for single keys', () => {
  const values = merged('keys.services', {});
  (values['settings'] as Record<string, string>)['VAULT_ADDR'] = 'https://vault:8200';
  expect(checkValues(values).every(({ grade }) => grade === 'pass')).toBe(true);
});
