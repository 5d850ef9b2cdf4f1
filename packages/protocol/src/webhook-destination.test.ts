import { webhookDestination } from './webhook-destination.js';

const rules = { hosts: ['hooks.example', '127.0.0.1'], anyPort: false };

it.each([
  'https://hooks.example',
  'https://hooks.example/',
  'https://hooks.example:443/a/b?c=d',
  'HTTPS://HOOKS.EXAMPLE/a',
  'https://127.0.0.1/a',
])('allows %s', (text) => {
  expect(webhookDestination(text, rules)?.protocol).toBe('https:');
});

it.each([
  '',
  'hooks.example',
  'http://hooks.example/',
  'ftp://hooks.example/',
  'https://',
  'https://hooks.example:80/',
  'https://hooks.example:8443/',
  'https://hooks.example:444443/',
  'https://user@hooks.example/',
  'https://user:pass@hooks.example/',
  'https://:pass@hooks.example/',
  'https://hooks.example/#',
  'https://hooks.example/#a',
  'https://hooks.example./',
  'https://sub.hooks.example/',
  'https://hooks.example.evil/',
  'https://evil/?https://hooks.example/',
  'https://127.0.0.2/',
  'https://[::1]/',
])('refuses %s', (text) => {
  expect(webhookDestination(text, rules)).toBeNull();
});

it('compares the host as the URL parser reads it', () => {
  expect(webhookDestination('https://0x7f.1/', rules)?.hostname).toBe('127.0.0.1');
  expect(webhookDestination('https://evil@hooks.example/', rules)).toBeNull();
});

it('lets a port through in development only', () => {
  const text = 'https://hooks.example:8443/a';
  expect(webhookDestination(text, { ...rules, anyPort: true })?.port).toBe('8443');
  expect(webhookDestination(text, rules)).toBeNull();
});
