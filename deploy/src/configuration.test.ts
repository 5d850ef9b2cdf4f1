import { ConfigurationError } from '@countersign/platform';
import {
  automaticReminderOf,
  busConfig,
  commonConfig,
  databaseUrlOf,
  smtpUrlOf,
  webhookRulesOf,
} from './configuration.js';

const ENV = {
  MODE: 'production',
  ORIGIN: 'https://review.example',
  DATABASE_URL: 'postgres://db.example/countersign?sslmode=verify-full',
  TRUST: '{}',
};

function faultsOf(env: NodeJS.ProcessEnv): string[] {
  try {
    commonConfig(env);
    return [];
  } catch (error) {
    return (error as { faults: { variable: string }[] }).faults.map(({ variable }) => variable);
  }
}

it('lets production lift neither quotas nor where webhooks may go', () => {
  expect(faultsOf(ENV)).toEqual([]);
  expect(faultsOf({ ...ENV, WEBHOOK_ALLOW_PRIVATE: 'false' })).toEqual([]);
  const lifted = { ...ENV, QUOTAS: 'off', WEBHOOK_ALLOW_PRIVATE: 'true' };
  expect(faultsOf(lifted)).toEqual(['QUOTAS', 'WEBHOOK_ALLOW_PRIVATE']);
  expect(faultsOf({ ...lifted, MODE: 'development' })).toEqual([]);
});

it('lets webhooks go nowhere and nobody be mailed or reminded unless told so', () => {
  const config = commonConfig(ENV);
  expect(webhookRulesOf(config)).toEqual({ hosts: [], anyPort: false });
  expect(config.MAIL_FROM).toBeUndefined();
  expect(automaticReminderOf(ENV)).toBe(0);
});

it('sends mail by SMTP only', () => {
  expect(smtpUrlOf({ SMTP_URL: 'smtps://mail.example' })).toBe('smtps://mail.example');
  expect(() => smtpUrlOf({ SMTP_URL: 'https://mail.example' })).toThrow('SMTP_URL');
  expect(() => smtpUrlOf({})).toThrow('SMTP_URL');
});

it('has one anchor store, which in production is no folder', () => {
  const [folder, bucket] = [{ ANCHOR_DIR: '/anchor' }, { ANCHOR_S3_BUCKET: 'anchors' }];
  expect(faultsOf({ ...ENV, ...bucket })).toEqual([]);
  expect(faultsOf({ ...ENV, ...folder })).toEqual(['ANCHOR_DIR']);
  expect(faultsOf({ ...ENV, ...folder, MODE: 'development' })).toEqual([]);
  expect(faultsOf({ ...ENV, ...folder, ...bucket, MODE: 'development' })).toEqual([
    'ANCHOR_S3_BUCKET',
  ]);
});

describe('connections to stores in production', () => {
  const NATS_URL = 'tls://nats-1.example:4222,tls://nats-2.example:4222';
  const REDIS_URL = 'rediss://redis.example:6379';
  const protectedStores = { ...ENV, NATS_URL, REDIS_URL };
  const PLAIN = {
    DATABASE_URL: 'postgres://db.example/countersign',
    NATS_URL: 'nats://nats.example:4222',
    REDIS_URL: 'redis://redis.example:6379',
  };

  it('are verified TLS, unless the installation says that its network is encrypted', () => {
    expect(faultsOf(protectedStores)).toEqual([]);
    for (const [variable, url] of Object.entries(PLAIN)) {
      expect(faultsOf({ ...protectedStores, [variable]: url })).toEqual([variable]);
    }
    expect(faultsOf({ ...ENV, ...PLAIN }).sort()).toEqual(Object.keys(PLAIN).sort());
    expect(faultsOf({ ...ENV, ...PLAIN, ALLOW_PLAINTEXT_STORES: 'false' })).toHaveLength(3);
    expect(faultsOf({ ...ENV, ...PLAIN, ALLOW_PLAINTEXT_STORES: 'true' })).toEqual([]);
    expect(faultsOf({ ...ENV, ...PLAIN, MODE: 'development' })).toEqual([]);
  });

  it.each([
    ['postgres://u:p@db.example/c?sslmode=verify-full&sslrootcert=/ca.pem', true],
    ['postgres://u@localhost/c?host=/run/postgresql', true],
    ['postgres://u@%2Frun%2Fpostgresql/c', true],
    ['postgres:///c?host=/run/postgresql', true],
    ['postgres://db.example/c', false],
    ['postgres://db.example/c?sslmode=require', false],
    ['postgres://db.example/c?sslmode=no-verify', false],
    ['postgres://db.example/c?sslmode=verify-full&sslmode=disable', false],
    ['postgres://db.example/c?host=/run/postgresql&host=db.example', false],
    ['postgres://db.example/?application_name=sslmode=verify-full', false],
    ['postgres://u:/run@db.example/c', false],
    ['postgres://db.example/c#?sslmode=verify-full', false],
  ])('judge %s as the client does', (url, good) => {
    expect(faultsOf({ ...ENV, DATABASE_URL: url })).toEqual(good ? [] : ['DATABASE_URL']);
  });

  it('judge the address of each role and each server', () => {
    const config = commonConfig(ENV);
    const roles = { DATABASE_URL_LEDGER: PLAIN.DATABASE_URL };
    expect(() => databaseUrlOf('ledger', config, roles)).toThrow('DATABASE_URL_LEDGER');
    const allowed = commonConfig({ ...ENV, ALLOW_PLAINTEXT_STORES: 'true' });
    expect(databaseUrlOf('ledger', allowed, roles)).toBe(PLAIN.DATABASE_URL);
    const mixed = `${NATS_URL},nats://nats-3.example:4222`;
    expect(faultsOf({ ...ENV, NATS_URL: mixed })).toEqual(['NATS_URL']);
  });

  it('say what to do', () => {
    expect(() => commonConfig({ ...ENV, REDIS_URL: PLAIN.REDIS_URL })).toThrow(
      /REDIS_URL names a connection without verified TLS.*rediss:\/\/.*ALLOW_PLAINTEXT_STORES=true/,
    );
  });

  it('have a certificate with its key, or none', () => {
    expect(faultsOf({ ...ENV, NATS_CERT: '-----BEGIN CERTIFICATE-----' })).toEqual(['NATS_CERT']);
  });
});

describe('a target with a place on the bus and nothing else', () => {
  it('needs no database, no keys and no trust', () => {
    const { MODE, NATS_URL } = busConfig({ MODE: 'production', NATS_URL: 'tls://nats:4222' });
    expect([MODE, NATS_URL]).toEqual(['production', 'tls://nats:4222']);
  });

  it('speaks plainly with NATS in development only, as all others', () => {
    const plain = { NATS_URL: 'nats://nats:4222' };
    expect(() => busConfig({ MODE: 'production', ...plain })).toThrow(ConfigurationError);
    expect(busConfig({ MODE: 'development', ...plain }).NATS_URL).toBe(plain.NATS_URL);
  });
});
