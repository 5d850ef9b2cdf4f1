import { ConfigurationError, loadConfig } from '@countersign/platform';
import { anchorStoreConfig } from './anchor-settings.js';
import {
  busConfig,
  commonConfig,
  databaseUrlOf,
  offeredCapabilities,
  offeredProfiles,
} from './configuration.js';
import type { BusConfig } from './configuration.js';
import { redisConfig } from './redis-settings.js';
import {
  MAIL,
  REMINDER,
  SMTP,
  chatChannelsOf,
  hasQuotas,
  webhookRulesOf,
} from './service-settings.js';

const ENV = {
  MODE: 'production',
  ORIGIN: 'https://review.example',
  DATABASE_URL: 'postgres://db.example/countersign?sslmode=verify-full',
  TRUST: '{}',
};

function faultsOf(env: NodeJS.ProcessEnv, read: (env: NodeJS.ProcessEnv) => unknown): string[] {
  try {
    read(env);
    return [];
  } catch (error) {
    return (error as { faults: { variable: string }[] }).faults.map(({ variable }) => variable);
  }
}

describe('a capability', () => {
  const targets: [string, NodeJS.ProcessEnv, (env: NodeJS.ProcessEnv) => BusConfig][] = [
    ['a database', ENV, commonConfig],
    ['none', { MODE: 'production', NATS_URL: 'tls://nats.example:4222' }, busConfig],
  ];

  it.each(targets)(
    'is offered by its name, in development, in a target with %s',
    (_, env, read) => {
      const offered = (CAPABILITIES?: string) =>
        offeredProfiles(read({ ...env, MODE: 'development', CAPABILITIES }));
      expect(offered(' proto.approval, ')).toEqual({ 'proto.approval': '1-draft.1' });
      for (const none of [undefined, '', ' ', ',']) expect(offered(none)).toEqual({});
    },
  );

  it.each(targets)('is refused in production, in a target with %s', (_, env, read) => {
    expect(faultsOf({ ...env, CAPABILITIES: 'proto.approval' }, read)).toEqual(['CAPABILITIES']);
    for (const CAPABILITIES of [undefined, '', ' '])
      expect(faultsOf({ ...env, CAPABILITIES }, read)).toEqual([]);
  });

  it('of keys of people is offered beside approvals', () => {
    const given = { ...ENV, MODE: 'development', CAPABILITIES: 'proto.approval,proto.human-key' };
    const config = commonConfig(given);
    expect(offeredProfiles(config)).toEqual({
      'proto.approval': '1-draft.1',
      'proto.human-key': '1-draft.1',
    });
    expect(faultsOf({ ...given, MODE: 'production' }, commonConfig)).toEqual(['CAPABILITIES']);
    const alone = { ...given, CAPABILITIES: 'proto.human-key' };
    expect(faultsOf(alone, commonConfig)).toEqual(['CAPABILITIES']);
  });

  it('of legal holds is offered beside approvals, and is no profile', () => {
    const given = { ...ENV, MODE: 'development', CAPABILITIES: 'proto.approval,proto.legal-hold' };
    const config = commonConfig(given);
    expect(offeredCapabilities(config)).toEqual({
      'proto.approval': '1-draft.1',
      'proto.legal-hold': '1-draft.1',
    });
    expect(offeredProfiles(config)).toEqual({ 'proto.approval': '1-draft.1' });
    const alone = { ...given, CAPABILITIES: 'proto.legal-hold' };
    expect(faultsOf(alone, commonConfig)).toEqual(['CAPABILITIES']);
  });

  it.each(['x', 'proto.execution', 'toString'])(
    'is refused while no release knows it: %s',
    (CAPABILITIES) => {
      const env = { ...ENV, MODE: 'development', CAPABILITIES };
      expect(faultsOf(env, commonConfig)).toEqual(['CAPABILITIES']);
    },
  );
});

it('lets production lift neither quotas nor where webhooks may go', () => {
  const quotas = (mode: 'development' | 'production', QUOTAS?: string) =>
    faultsOf({ QUOTAS }, (env) => hasQuotas(env, mode));
  expect([quotas('production'), quotas('production', 'on'), quotas('development', 'off')]).toEqual([
    ...[[], [], []],
  ]);
  expect(quotas('production', 'off')).toEqual(['QUOTAS']);
  const webhooks = (mode: 'development' | 'production', WEBHOOK_ALLOW_PRIVATE: string) =>
    faultsOf({ WEBHOOK_ALLOW_PRIVATE }, (env) => webhookRulesOf(env, mode));
  expect([webhooks('production', 'false'), webhooks('development', 'true')]).toEqual([[], []]);
  expect(webhooks('production', 'true')).toEqual(['WEBHOOK_ALLOW_PRIVATE']);
});

it('takes channels of Slack and Teams, and repeats no address in a fault', () => {
  const secret = 'T0SECRET';
  const channel = {
    ...{ name: 'ops', kind: 'slack', tenant: 'acme' },
    url: `https://hooks.slack.example/services/${secret}`,
  };
  const read = (list: unknown, anyPort = false) =>
    chatChannelsOf({ CHAT_WEBHOOKS: JSON.stringify(list) }, { anyPort });
  expect(chatChannelsOf({}, { anyPort: false })).toEqual([]);
  expect(read([channel])).toEqual([{ ...channel, routes: null, language: 'en' }]);
  const other = { ...channel, kind: 'teams', routes: ['a'], language: 'de', tenant: 'other' };
  expect(read([channel, other])).toHaveLength(2);
  const port = { ...channel, url: `https://hooks.slack.example:8443/${secret}` };
  expect(read([port], true)).toHaveLength(1);
  const wrong: [unknown, RegExp][] = [
    [[port], /ops of acme/],
    [[{ ...channel, url: `http://hooks.slack.example/${secret}` }], /0\.url/],
    [[{ ...channel, url: `${channel.url}#x` }], /ops of acme/],
    [[{ ...channel, kind: 'irc' }], /0\.kind/],
    [[{ ...channel, name: 'No Name' }], /0\.name/],
    [[{ ...channel, [secret]: 1 }], /0 is missing or wrong/],
    [[channel, channel], /a name twice/],
    [{ secret }, /the list/],
  ];
  for (const [list, why] of wrong) {
    let message = '';
    try {
      read(list);
    } catch (error) {
      message = `${(error as Error).message} ${JSON.stringify(error)}`;
    }
    expect(message).toMatch(why);
    expect(message).not.toContain(secret);
  }
});

it('sends no webhooks, mails or reminders by default', () => {
  expect(webhookRulesOf({}, 'production')).toEqual({ hosts: [], anyPort: false });
  expect(loadConfig(MAIL, {}).MAIL_FROM).toBeUndefined();
  expect(loadConfig(REMINDER, {}).AUTO_REMINDER_SECONDS).toBe(0);
  expect(hasQuotas({}, 'development')).toBe(true);
});

it('sends mail by SMTP only', () => {
  const smtpUrl = (env: NodeJS.ProcessEnv) => loadConfig(SMTP, env).SMTP_URL;
  expect(smtpUrl({ SMTP_URL: 'smtps://mail.example' })).toBe('smtps://mail.example');
  expect(() => smtpUrl({ SMTP_URL: 'https://mail.example' })).toThrow('SMTP_URL');
  expect(() => smtpUrl({})).toThrow('SMTP_URL');
});

it('has one anchor store, which in production is no folder', () => {
  const [folder, bucket] = [{ ANCHOR_DIR: '/anchor' }, { ANCHOR_S3_BUCKET: 'anchors' }];
  const faults = (env: NodeJS.ProcessEnv, mode: 'development' | 'production') =>
    faultsOf(env, (given) => anchorStoreConfig(given, mode));
  expect(faults(bucket, 'production')).toEqual([]);
  expect(faults(folder, 'production')).toEqual(['ANCHOR_DIR']);
  expect(faults(folder, 'development')).toEqual([]);
  expect(faults({ ...folder, ...bucket }, 'development')).toEqual(['ANCHOR_S3_BUCKET']);
});

describe('connections to stores in production', () => {
  const NATS_URL = 'tls://nats-1.example:4222,tls://nats-2.example:4222';
  const REDIS_URL = 'rediss://redis.example:6379';
  const protectedStores = { ...ENV, NATS_URL, REDIS_URL };
  /** All that is read of stores. */
  const readStores = (env: NodeJS.ProcessEnv) => redisConfig(commonConfig(env), env);
  const faultsOfStores = (env: NodeJS.ProcessEnv) => faultsOf(env, readStores);
  const PLAIN = {
    DATABASE_URL: 'postgres://db.example/countersign',
    NATS_URL: 'nats://nats.example:4222',
    REDIS_URL: 'redis://redis.example:6379',
  };

  it('are verified TLS, unless the installation says that its network is encrypted', () => {
    expect(faultsOfStores(protectedStores)).toEqual([]);
    for (const [variable, url] of Object.entries(PLAIN)) {
      expect(faultsOfStores({ ...protectedStores, [variable]: url })).toEqual([variable]);
    }
    const together = ['NATS_URL', 'DATABASE_URL'];
    expect(faultsOfStores({ ...ENV, ...PLAIN })).toEqual(together);
    expect(faultsOfStores({ ...ENV, ...PLAIN, ALLOW_PLAINTEXT_STORES: 'false' })).toEqual(together);
    expect(faultsOfStores({ ...ENV, ...PLAIN, ALLOW_PLAINTEXT_STORES: 'true' })).toEqual([]);
    expect(faultsOfStores({ ...ENV, ...PLAIN, MODE: 'development' })).toEqual([]);
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
    expect(faultsOfStores({ ...ENV, DATABASE_URL: url })).toEqual(good ? [] : ['DATABASE_URL']);
  });

  it('judge the address of each role and each server', () => {
    const config = commonConfig(ENV);
    const roles = { ...ENV, DATABASE_URL_LEDGER: PLAIN.DATABASE_URL };
    expect(() => databaseUrlOf('ledger', config, roles)).toThrow('DATABASE_URL_LEDGER');
    const allowed = commonConfig({ ...ENV, ALLOW_PLAINTEXT_STORES: 'true' });
    expect(databaseUrlOf('ledger', allowed, roles)).toBe(PLAIN.DATABASE_URL);
    const mixed = `${NATS_URL},nats://nats-3.example:4222`;
    expect(faultsOfStores({ ...ENV, NATS_URL: mixed })).toEqual(['NATS_URL']);
  });

  it('name the remedy', () => {
    expect(() => readStores({ ...ENV, REDIS_URL: PLAIN.REDIS_URL })).toThrow(
      /REDIS_URL names a connection without verified TLS.*rediss:\/\/.*ALLOW_PLAINTEXT_STORES=true/,
    );
  });

  it('have credentials in the URL or beside it, those of a role before the common ones', () => {
    const config = commonConfig(ENV);
    const url = 'postgres://db.example/countersign?sslmode=verify-full';
    const login = (more: NodeJS.ProcessEnv) => {
      const { searchParams } = new URL(databaseUrlOf('ledger', config, { ...ENV, ...more }));
      return [searchParams.get('user'), searchParams.get('password'), searchParams.get('sslmode')];
    };
    const common = { DATABASE_USERNAME: 'all', DATABASE_PASSWORD: 'a b/c@d?e#f%41+&=' };
    expect(login(common)).toEqual(['all', common.DATABASE_PASSWORD, 'verify-full']);
    const own = { DATABASE_USERNAME_LEDGER: 'ledger', DATABASE_PASSWORD_LEDGER: 'own' };
    expect(login({ ...common, ...own })).toEqual(['ledger', 'own', 'verify-full']);
    // The common credentials are for the common URL.
    expect(login({ ...common, DATABASE_URL_LEDGER: url })).toEqual([null, null, 'verify-full']);
  });

  it('have a certificate with its key, or none', () => {
    expect(faultsOfStores({ ...ENV, NATS_CERT: '-----BEGIN CERTIFICATE-----' })).toEqual([
      'NATS_CERT',
    ]);
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
