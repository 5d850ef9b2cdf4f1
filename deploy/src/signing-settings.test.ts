import { generateSigningKey } from '@countersign/protocol';
import { signingKeyOf, transitOf } from './signing-settings.js';

const transit = (env: NodeJS.ProcessEnv) => () =>
  transitOf({ MODE: 'production' }, { VAULT_TOKEN: 't', ...env });

it('knows a private key and the name of one elsewhere apart', () => {
  const { privatePem } = generateSigningKey('review');
  expect(signingKeyOf('review', { REVIEW_SIGNING_KEY: privatePem })).toEqual({ pem: privatePem });
  expect(
    signingKeyOf('execution-authority', { EXECUTION_AUTHORITY_SIGNING_KEY: 'vault:cs-exec' }),
  ).toEqual({ vaultKey: 'cs-exec' });
  for (const wrong of ['', 'vault:', 'vault:../sys', 'review.pem']) {
    expect(() => signingKeyOf('review', { REVIEW_SIGNING_KEY: wrong })).toThrow(
      'REVIEW_SIGNING_KEY',
    );
  }
});

it('sends no token over an unprotected way in production, but to an agent on this machine', () => {
  expect(transit({ VAULT_ADDR: 'http://vault:8200' })).toThrow('VAULT_ADDR');
  expect(transit({ VAULT_ADDR: 'https://vault:8200/' })().url).toBe('https://vault:8200');
  expect(transit({ VAULT_ADDR: 'http://127.0.0.1:8100' })().url).toBe('http://127.0.0.1:8100');
});

it('needs an address and a token', () => {
  expect(transit({})).toThrow('VAULT_ADDR');
  expect(transit({ VAULT_ADDR: 'https://vault:8200', VAULT_TOKEN: '' })).toThrow('VAULT_TOKEN');
});

it('needs a token or a role of Kubernetes, and not both', () => {
  const VAULT_ADDR = 'https://vault:8200';
  const VAULT_KUBERNETES_ROLE = 'review';
  expect(transit({ VAULT_ADDR, VAULT_KUBERNETES_ROLE })).toThrow('beside VAULT_TOKEN');
  expect(transit({ VAULT_ADDR, VAULT_KUBERNETES_ROLE, VAULT_TOKEN: '' })).toThrow(
    'VAULT_KUBERNETES_JWT_FILE',
  );
  expect(
    transit({ VAULT_ADDR, VAULT_KUBERNETES_ROLE, VAULT_TOKEN: '', VAULT_KUBERNETES_JWT: 'j' })(),
  ).toMatchObject({ url: 'https://vault:8200', mount: 'transit' });
});
