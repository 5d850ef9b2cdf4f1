import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer, request as httpRequest } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { SignJWT, exportJWK, generateKeyPair } from 'jose';
import type { Installed } from '../../cli/support/packed.js';
import { TOKEN_VARIABLE } from '../../cli/support/packed.js';
import type { Instance } from '../../support/instance.js';
import { until } from '../../support/requests.js';

/** `countersign mcp` over HTTP, behind a proxy that adds the token which the suite cannot have. */
export async function startAsker(
  { demo }: Instance,
  cli: Installed,
): Promise<{ readonly url: string; stop(): void }> {
  const pair = await generateKeyPair('ES256', { extractable: true });
  const jwk = { ...(await exportJWK(pair.publicKey)), kid: 'k', alg: 'ES256' };
  const issuer = await listening(
    createServer(({ url }, response) => {
      const isMetadata = url === '/.well-known/oauth-authorization-server';
      const body = isMetadata
        ? { issuer: issuerUrl, jwks_uri: `${issuerUrl}/keys` }
        : { keys: [jwk] };
      response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
    }),
  );
  const issuerUrl = addressOf(issuer);
  writeFileSync(
    join(cli.folder, 'suite-subjects.yaml'),
    `- iss: ${issuerUrl}\n  sub: suite\n  connection: countersign.json\n`,
  );
  const probe = await listening(createServer());
  const { port } = probe.address() as AddressInfo;
  await new Promise((settle) => probe.close(settle));
  const resource = `http://127.0.0.1:${port}/mcp`;
  const token = await new SignJWT({ scope: 'countersign:ask countersign:read' })
    .setProtectedHeader({ alg: 'ES256', kid: 'k' })
    .setIssuer(issuerUrl)
    .setAudience(resource)
    .setSubject('suite')
    .setExpirationTime('1h')
    .sign(pair.privateKey);

  const server = spawn(
    cli.program,
    [
      ...['mcp', '--route', demo.routes.review, '--listen', `127.0.0.1:${port}`],
      ...['--resource', resource, '--issuer', issuerUrl, '--subjects', 'suite-subjects.yaml'],
    ],
    {
      cwd: cli.folder,
      env: { PATH: process.env['PATH'], HOME: cli.folder, [TOKEN_VARIABLE]: demo.producer.token },
    },
  );
  let said = '';
  server.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  await until(
    async () => said,
    (text) => text.includes('listens on'),
  );
  const proxy = await listening(
    createServer((incoming, outgoing) => {
      const headers = { ...incoming.headers, authorization: `Bearer ${token}` };
      const { method, url } = incoming;
      const passed = httpRequest(
        { host: '127.0.0.1', port, method, path: url, headers },
        (answer) => {
          outgoing.writeHead(answer.statusCode as number, answer.headers);
          answer.pipe(outgoing);
        },
      );
      passed.on('error', () => outgoing.destroy());
      incoming.pipe(passed);
    }),
  );
  return {
    url: `${addressOf(proxy)}/mcp`,
    stop() {
      server.kill('SIGKILL');
      for (const each of [proxy, issuer]) {
        each.closeAllConnections();
        each.close();
      }
    },
  };
}

async function listening(server: Server): Promise<Server> {
  await new Promise<void>((settle) => server.listen(0, '127.0.0.1', () => settle()));
  return server;
}

function addressOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
