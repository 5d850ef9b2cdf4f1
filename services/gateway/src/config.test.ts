import { BlockList } from 'node:net';

import { ConfigurationError } from '@countersign/platform';
import { DEFAULT_CONCURRENCY, DEFAULT_RATES } from '@countersign/protocol';

import { developmentProviderConfig, gatewayConfig } from './config.js';

const production = {
  MODE: 'production',
  ORIGIN: 'https://review.example',
  SANDBOX_ORIGIN: 'https://{scope}.apps.test',
  OIDC_ISSUER: 'https://id.example/realms/all',
  OIDC_CLIENT_ID: 'countersign',
  OIDC_CLIENT_SECRET: 's',
};
const development = {
  MODE: 'development',
  ORIGIN: 'http://localhost:8080',
  SANDBOX_ORIGIN: 'http://localhost:8081',
  OIDC_ISSUER: 'http://localhost:8082',
  DEVELOPMENT_PROVIDER_PORT: '8082',
  DEVELOPMENT_PEOPLE: '[{"subject":"ruth","name":"Ruth"}]',
};

function faults(read: () => unknown): string[] {
  try {
    read();
    return [];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.faults.map(({ variable }) => variable);
  }
}

describe('the configuration', () => {
  test('is complete with the settings of production', () => {
    expect(gatewayConfig(production)).toEqual({
      mode: 'production',
      origin: 'https://review.example',
      host: '0.0.0.0',
      port: 8080,
      sandboxOrigin: 'https://{scope}.apps.test',
      sandboxPort: 8081,
      appConfinement: 'standard',
      oidc: {
        issuer: 'https://id.example/realms/all',
        clientId: 'countersign',
        clientSecret: 's',
        clientAuthentication: 'body',
      },
      stepUp: [],
      sessionIdleSeconds: 1800,
      quotas: true,
      rates: {},
      concurrency: DEFAULT_CONCURRENCY,
      redis: undefined,
      securityContact: null,
      shared: { calls: 4, pages: 2 },
      serviceTimeoutMs: 10_000,
      requestTimeoutMs: 60_000,
      lingerMs: 6_000,
      trustedProxies: new BlockList(),
      connections: { most: 5000, perAddress: Infinity },
    });
  });

  test('takes a list of addresses for reports of vulnerabilities, and nothing else', () => {
    const contact = 'mailto:security@example.org, https://example.org/report';
    expect(gatewayConfig({ ...production, SECURITY_CONTACT: contact }).securityContact).toEqual({
      contacts: ['mailto:security@example.org', 'https://example.org/report'],
      policy: undefined,
    });
    for (const wrong of ['security@example.org', 'mailto:a@b\nContact: mailto:c@d']) {
      expect(() => gatewayConfig({ ...production, SECURITY_CONTACT: wrong })).toThrow();
    }
  });

  test('is production when nothing is said, and then knows no shortcuts', () => {
    const { MODE: _mode, ...rest } = development;
    expect(faults(() => gatewayConfig({ ...rest, QUOTAS: 'off' }))).toEqual([
      'SANDBOX_ORIGIN',
      'OIDC_ISSUER',
      'QUOTAS',
      'OIDC_CLIENT_ID',
      'OIDC_CLIENT_SECRET',
    ]);
    expect(faults(() => developmentProviderConfig(rest))).toEqual(['MODE']);
  });

  test('names everything that is missing at once', () => {
    expect(faults(() => gatewayConfig({}))).toEqual(['ORIGIN', 'SANDBOX_ORIGIN', 'OIDC_ISSUER']);
  });

  test('takes other rates, each by its variable', () => {
    const names = Object.keys(DEFAULT_RATES);
    const given = names.map((name, index) => [`RATE_${name.toUpperCase()}`, `${index + 1}`]);
    const config = gatewayConfig({ ...production, ...Object.fromEntries(given) });
    expect(config.rates).toEqual(Object.fromEntries(names.map((name, index) => [name, index + 1])));
    expect(faults(() => gatewayConfig({ ...production, RATE_LOGIN: '0' }))).toEqual(['RATE_LOGIN']);
  });

  test('trusts the proxies that it names', () => {
    const { trustedProxies } = gatewayConfig({ ...production, TRUSTED_PROXIES: '10.0.0.0/8,::1' });
    expect(['10.9.9.9', '11.0.0.1'].map((one) => trustedProxies.check(one))).toEqual([true, false]);
    for (const wrong of ['10.0.0.0/64', 'proxy']) {
      const env = { ...production, TRUSTED_PROXIES: wrong };
      expect(faults(() => gatewayConfig(env))).toEqual(['TRUSTED_PROXIES']);
    }
  });

  test('refuses an issuer over plain HTTP that is not on this machine', () => {
    for (const issuer of ['http://id.example', 'id.example', 'https://id.example/?x', 'ftp://x']) {
      const env = { ...development, OIDC_ISSUER: issuer };
      expect(faults(() => gatewayConfig(env))).toEqual(['OIDC_ISSUER']);
    }
  });

  test('lets both ends of the development login agree without a setting', () => {
    const provider = developmentProviderConfig(development);
    const { oidc, host } = gatewayConfig(development);
    expect(host).toBe('127.0.0.1');
    expect(provider).toMatchObject({ port: 8082, people: [{ subject: 'ruth', name: 'Ruth' }] });
    expect([provider.clientId, provider.clientSecret]).toEqual([oidc.clientId, oidc.clientSecret]);
  });

  test.each(['', 'x', '{}', '[]', '[{"subject":"x"}]'])('refuses the people %s', (people) => {
    const env = { ...development, DEVELOPMENT_PEOPLE: people };
    expect(faults(() => developmentProviderConfig(env))).toEqual(['DEVELOPMENT_PEOPLE']);
  });
});
