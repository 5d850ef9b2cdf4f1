import { securityStreamSettings } from './security-settings.js';

const PEM = '-----BEGIN CERTIFICATE-----\n';
const faultsOf = (
  env: Record<string, string>,
  mode: 'development' | 'production' = 'production',
) => {
  try {
    securityStreamSettings(env, mode);
    return [];
  } catch (error) {
    return (error as { faults: { variable: string }[] }).faults.map(({ variable }) => variable);
  }
};

test('without a collector there is none, and the bounds are generous', () => {
  const { lines, otlp, syslog, bounds } = securityStreamSettings({}, 'production');
  expect([lines, otlp, syslog]).toEqual([null, null, null]);
  expect(bounds).toEqual({ entries: 1_000_000, hours: 168 });
});

test.each([
  ['tls://siem.example', { host: 'siem.example', port: 6514 }],
  ['tls://10.1.2.3:6515', { host: '10.1.2.3', port: 6515 }],
  ['tls://[fd00::1]:6514', { host: 'fd00::1', port: 6514 }],
])('a syslog collector is at %s', (url, place) => {
  const { syslog } = securityStreamSettings({ SECURITY_LOG_SYSLOG_URL: url }, 'production');
  expect(syslog).toEqual(place);
});

test('headers of a collector are percent-encoded', () => {
  const { otlp } = securityStreamSettings(
    {
      SECURITY_LOG_OTLP_URL: 'https://collector:4318/v1/logs',
      SECURITY_LOG_OTLP_HEADERS: 'authorization=Bearer%20abc=,x=1',
    },
    'production',
  );
  expect(otlp?.headers).toEqual({ authorization: 'Bearer abc=', x: '1' });
});

test.each([
  ['http://collector:4318/v1/logs', ['SECURITY_LOG_OTLP_URL']],
  ['http://localhost.example/v1/logs', ['SECURITY_LOG_OTLP_URL']],
  ['http://127.0.0.1.example/v1/logs', ['SECURITY_LOG_OTLP_URL']],
  ['http://localhost:4318/v1/logs', []],
  ['http://127.0.0.1:4318/v1/logs', []],
  ['http://[::1]:4318/v1/logs', []],
  ['https://collector:4318/v1/logs', []],
])('production checks %s', (url, faults) => {
  expect(faultsOf({ SECURITY_LOG_OTLP_URL: url })).toEqual(faults);
  expect(faultsOf({ SECURITY_LOG_OTLP_URL: url }, 'development')).toEqual([]);
});

test.each([
  ['syslog without TLS', { SECURITY_LOG_SYSLOG_URL: 'tcp://siem:514' }, 'SECURITY_LOG_SYSLOG_URL'],
  [
    'a path behind a syslog collector',
    { SECURITY_LOG_SYSLOG_URL: 'tls://siem/x' },
    'SECURITY_LOG_SYSLOG_URL',
  ],
  ['a relative path', { SECURITY_LOG_LINES: 'log.jsonl' }, 'SECURITY_LOG_LINES'],
  ['a certificate without its key', { SECURITY_LOG_CERT: PEM }, 'SECURITY_LOG_CERT'],
  ['a key without its certificate', { SECURITY_LOG_KEY: PEM }, 'SECURITY_LOG_CERT'],
])('refuses %s', (_, env, variable) => {
  expect(faultsOf(env as unknown as Record<string, string>)).toEqual([variable]);
});
