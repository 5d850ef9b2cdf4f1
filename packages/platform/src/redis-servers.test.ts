import { loadConfig } from './config.js';
import { REDIS_SETTINGS, redisFaults, redisServers } from './redis-servers.js';

const read = (env: Record<string, string>) =>
  redisServers(loadConfig(REDIS_SETTINGS, env, redisFaults));
const A = 'rediss://a.example:6379';
const PEM = '-----BEGIN CERTIFICATE-----';
const B = 'rediss://b.example:6379';

it('names no servers without an address', () => {
  expect(read({ REDIS_PASSWORD: 'x' })).toBeUndefined();
});

it('names one server, Sentinels or nodes of a cluster', () => {
  expect(read({ REDIS_URL: A })).toMatchObject({ urls: [A], cluster: false });
  expect(read({ REDIS_URL: `${A}, ${B}`, REDIS_SENTINEL: 'main' })).toMatchObject({
    urls: [A, B],
    sentinel: 'main',
  });
  expect(read({ REDIS_URL: `${A},${B}`, REDIS_CLUSTER: 'true' })).toMatchObject({ cluster: true });
});

it.each([
  ['several servers of no kind', { REDIS_URL: `${A},${B}` }, /REDIS_URL names several/],
  [
    'Sentinels of a cluster',
    { REDIS_URL: A, REDIS_SENTINEL: 'main', REDIS_CLUSTER: 'true' },
    /REDIS_SENTINEL and REDIS_CLUSTER/,
  ],
  [
    'servers with and without TLS',
    { REDIS_URL: `${A},redis://b.example`, REDIS_CLUSTER: 'true' },
    /REDIS_URL mixes/,
  ],
  ['a database of a cluster', { REDIS_URL: `${A}/2`, REDIS_CLUSTER: 'true' }, /has only number 0/],
  ['a certificate without its key', { REDIS_URL: A, REDIS_CERT: PEM }, /REDIS_KEY is missing/],
  ['a key without its certificate', { REDIS_URL: A, REDIS_KEY: PEM }, /REDIS_CERT is missing/],
  ['no address', { REDIS_URL: 'redis.example:6379' }, /REDIS_URL/],
])('refuses %s', (_, env, wrong) => {
  expect(() => read(env)).toThrow(wrong);
});
