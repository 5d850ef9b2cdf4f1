import { once } from 'node:events';
import { issueToken, Server } from '@countersign/first-generation';
import type { ServerEvents, ServerOptions } from '@countersign/first-generation';
import { openClient } from '@countersign/first-generation/client';
import type { Client, ClientOptions, TransportKind } from '@countersign/first-generation/client';

export const SECRET = 'a secret for tests that is long enough';
export const TRANSPORTS: readonly TransportKind[] = ['websocket', 'sse', 'http'];

export interface Rig {
  readonly server: Server;
  readonly url: string;
  /** What was logged, as text. */
  readonly log: () => string;
  token(userId?: string): Promise<string>;
  /** A client that has not shaken hands. */
  open(options?: Partial<ClientOptions>): Promise<Client>;
  /** A client that has. */
  join(transport?: TransportKind, options?: Partial<ClientOptions>): Promise<Client>;
  stop(): Promise<void>;
}

export async function rig(
  options: ServerOptions = {},
  variables: Record<string, string> = {},
): Promise<Rig> {
  const lines: string[] = [];
  const clients: Client[] = [];
  const server = new Server(
    { port: 0, host: '127.0.0.1', jwtSecret: SECRET, ...options },
    { variables, write: (line) => lines.push(line) },
  );
  await server.start();
  const url = `http://127.0.0.1:${server.port}`;
  const token = (userId = 'ada') =>
    issueToken(userId, { secret: SECRET, expiresIn: '1h' }, Date.now());
  async function open(given: Partial<ClientOptions> = {}): Promise<Client> {
    const client = openClient({
      transport: 'websocket',
      url,
      token: given.token ?? (await token()),
      ...given,
    });
    clients.push(client);
    return client;
  }
  return {
    server,
    url,
    log: () => lines.join(''),
    token,
    open,
    async join(transport = 'websocket', given = {}) {
      const client = await open({ transport, ...given });
      await client.handshake();
      // Over SSE and HTTP the stream's handshake is done when its POST is answered; over WebSocket nobody says so.
      await until(() => server.getSession(client.session)?.handshakeCompleted === true);
      return client;
    },
    async stop() {
      for (const client of clients) client.close();
      await server.stop();
    },
  };
}

/** Resolves as soon as it holds; the test's own time-out is the only limit. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

/** The values of the next event of a name. */
export async function event<Name extends keyof ServerEvents>(
  server: Server,
  name: Name,
): Promise<ServerEvents[Name]> {
  return (await once(server, name)) as ServerEvents[Name];
}

/** Text as clients say it. */
export function say(
  client: Client,
  text: string,
  extras: object = {},
): Promise<number | undefined> {
  return client.send('TEXT_MESSAGE_START', 'USER', { message_id: 'm', text }, extras);
}

export function codeOf(message: { payload: Record<string, unknown> }): unknown {
  return message.payload['code'];
}
