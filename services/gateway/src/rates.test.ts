import { DEFAULT_RATES } from '@countersign/protocol';

import { createRates, principalKey, rateHeaders, unlimitedRates } from './rates.js';

const log = { warn: () => undefined };

describe('rates', () => {
  test('refuse what exceeds a window, for that key alone', async () => {
    const rates = createRates({ ...DEFAULT_RATES, principal: 2 }, undefined, log);
    const key = principalKey('acme', 'bot');
    expect(await rates.take('principal', key)).toBeNull();
    expect(await rates.take('principal', key)).toBeNull();
    const excess = await rates.take('principal', key);
    expect(excess).toMatchObject({ policy: 'principal', limit: 2 });
    expect(excess?.seconds).toBeGreaterThanOrEqual(1);
    expect(excess?.seconds).toBeLessThanOrEqual(60);
    expect(await rates.take('principal', principalKey('acme', 'other'))).toBeNull();
    await rates.close();
  });

  test('keep their buckets apart', async () => {
    const rates = createRates({ ...DEFAULT_RATES, login: 1 }, undefined, log);
    expect(await rates.take('login')).toBeNull();
    expect(await rates.take('health')).toBeNull();
    expect(await rates.take('login')).not.toBeNull();
    await rates.close();
  });

  test('count in the process while Redis is not there', async () => {
    const rates = createRates({ ...DEFAULT_RATES, health: 1 }, 'redis://127.0.0.1:1', log);
    expect(await rates.take('health')).toBeNull();
    expect(await rates.take('health')).toMatchObject({ policy: 'health' });
    await rates.close();
  });

  test('are never exceeded when switched off', async () => {
    expect(await unlimitedRates.take('login')).toBeNull();
  });

  test('use keys that no other pair of names can spell', () => {
    expect(principalKey('a:b', 'c')).not.toBe(principalKey('a', 'b:c'));
    expect(principalKey('a","b', 'c')).not.toBe(principalKey('a', 'b","c'));
  });

  test('tell the caller the policy and when to come back', () => {
    expect(rateHeaders({ policy: 'principal', limit: 1200, seconds: 7 })).toEqual({
      'RateLimit-Policy': '"principal";q=1200;w=60',
      RateLimit: '"principal";r=0;t=7',
    });
  });
});
