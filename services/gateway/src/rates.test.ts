import { DEFAULT_RATES } from '@countersign/protocol';

import type { RateName } from './rates.js';
import { createRates, principalKey, rateHeaders, unlimitedRates } from './rates.js';

const log = { warn: () => undefined };
const ratesOf = (changes: Partial<Record<RateName, number>>, redis?: string) =>
  createRates(
    { ...DEFAULT_RATES, ...changes },
    redis === undefined ? redis : { urls: [redis] },
    log,
  );

describe('rates', () => {
  test('refuse calls that exceed a window, for that key only', async () => {
    const rates = ratesOf({ principal: 2 });
    const key = principalKey('acme', 'bot');
    const take = (whose = key) => rates.take([{ bucket: 'principal', key: whose }]);
    expect(await take()).toBeNull();
    expect(await take()).toBeNull();
    expect(rates.isEmpty('principal', key)).toBe(false);
    const excess = await take();
    expect(excess).toMatchObject({ policy: 'principal', limit: 2 });
    expect(excess?.seconds).toBeGreaterThanOrEqual(1);
    expect(excess?.seconds).toBeLessThanOrEqual(60);
    expect(rates.isEmpty('principal', key)).toBe(true);
    expect(await take(principalKey('acme', 'other'))).toBeNull();
    await rates.close();
  });

  test('keep their buckets apart', async () => {
    const rates = ratesOf({ login: 1 });
    expect(await rates.take([{ bucket: 'login', key: 'a' }])).toBeNull();
    expect(await rates.take([{ bucket: 'health', key: 'a' }])).toBeNull();
    expect(await rates.take([{ bucket: 'login', key: 'a' }])).not.toBeNull();
    await rates.close();
  });

  test('let no refused call of one principal use up its tenant’s rate', async () => {
    const rates = ratesOf({ principal: 2, tenant: 10 });
    const take = (key: string) =>
      rates.take([
        { bucket: 'principal', key },
        { bucket: 'tenant', key: 'acme' },
      ]);
    for (let call = 0; call < 50; call += 1) await take('greedy');
    // Two that were taken, and the one with which the bucket turned out to be empty.
    for (let call = 0; call < 7; call += 1) expect(await take(`other ${call}`)).toBeNull();
    expect(await take('one more')).toMatchObject({ policy: 'tenant', limit: 10 });
    expect(await take('greedy')).toMatchObject({ policy: 'principal' });
    await rates.close();
  });

  test('count a large call as many', async () => {
    const rates = ratesOf({ principal: 20 });
    const take = (calls?: number) => rates.take([{ bucket: 'principal', key: 'a', calls }]);
    expect(await take(18)).toBeNull();
    expect(await take()).toBeNull();
    expect(await take(18)).toMatchObject({ policy: 'principal' });
    expect(await take()).toMatchObject({ policy: 'principal' });
    await rates.close();
  });

  test('count in the process while Redis is not there', async () => {
    const rates = ratesOf({ health: 1 }, 'redis://127.0.0.1:1');
    expect(await rates.take([{ bucket: 'health' }])).toBeNull();
    expect(await rates.take([{ bucket: 'health' }])).toMatchObject({ policy: 'health' });
    await rates.close();
  });

  test('are never exceeded when switched off', async () => {
    expect(await unlimitedRates.take([{ bucket: 'login' }])).toBeNull();
    expect(unlimitedRates.isEmpty('login', '')).toBe(false);
  });

  test('use keys that no other pair of names can spell', () => {
    expect(principalKey('a:b', 'c')).not.toBe(principalKey('a', 'b:c'));
    expect(principalKey('a","b', 'c')).not.toBe(principalKey('a', 'b","c'));
  });

  test('give the caller the policy and the time to come back', () => {
    expect(rateHeaders({ policy: 'principal', limit: 1200, seconds: 7 })).toEqual({
      'RateLimit-Policy': '"principal";q=1200;w=60',
      RateLimit: '"principal";r=0;t=7',
    });
  });
});
