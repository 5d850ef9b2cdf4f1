// An OpenID provider as it comes from its makers, with its own pages for login and consent, in a process of its own: node
// provider.mjs <port> <redirect address>. Every login succeeds under the given name, with any password.
import { generateKeyPairSync } from 'node:crypto';
import { Provider } from 'oidc-provider';

const [port, redirect] = process.argv.slice(2);
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const provider = new Provider(`http://localhost:${port}`, {
  clients: [
    {
      client_id: 'countersign-test',
      client_secret: 'a-secret-of-the-test',
      redirect_uris: [redirect],
      post_logout_redirect_uris: [new URL('/signed-out', redirect).href],
      response_types: ['code'],
      grant_types: ['authorization_code'],
      token_endpoint_auth_method: 'client_secret_post',
      id_token_signed_response_alg: 'ES256',
    },
  ],
  jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), alg: 'ES256', use: 'sig' }] },
  cookies: { keys: ['only-of-a-test'] },
  scopes: ['openid'],
  findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
});
provider.listen(Number(port), '127.0.0.1', () => console.log('ready'));
