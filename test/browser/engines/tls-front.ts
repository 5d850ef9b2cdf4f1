import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { request } from 'node:http';
import type { Server } from 'node:https';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { selfSigned } from '../../e2e/deliveries/support/certificate.js';

/** Origins of an instance, each with the one behind TLS that stands for it. */
export type Fronts = ReadonlyMap<string, string>;

/**
 * Puts TLS before the origins of a development instance, as WebKit keeps no secure cookies of `http://localhost`. The origins are
 * exchanged in addresses, headers, documents and forms; other bodies pass as they are.
 */
export async function startFronts(
  origins: readonly string[],
): Promise<{ readonly fronts: Fronts; stop(): Promise<void> }> {
  const fronts = new Map<string, string>();
  const certificate = selfSigned(['localhost', '127.0.0.1']);
  const servers = await Promise.all(origins.map((origin) => front(origin, fronts, certificate)));
  return {
    fronts,
    async stop() {
      for (const server of servers) server.closeAllConnections();
      await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
    },
  };
}

async function front(
  origin: string,
  fronts: Map<string, string>,
  certificate: { readonly cert: string; readonly key: string },
): Promise<Server> {
  const server = createServer(certificate, (incoming, outgoing) => {
    void (async () => {
      const own = back(fronts);
      const headers: OutgoingHttpHeaders = {
        ...changed(incoming.headers, own),
        host: new URL(origin).host,
      };
      // Documents have to be read; and a body may have another length behind.
      for (const name of ['accept-encoding', 'content-length']) delete headers[name];
      const url = new URL(exchange(incoming.url ?? '/', own), origin);
      const body = await bodyOf(incoming, own);
      const sent = request(url, { method: incoming.method, headers }, (answer) => {
        void (async () => {
          const answered = changed(answer.headers, fronts);
          delete answered['content-length'];
          outgoing.writeHead(answer.statusCode ?? 500, answered);
          outgoing.end(await bodyOf(answer, fronts));
        })();
      });
      sent.once('error', () => outgoing.destroy());
      sent.end(body);
    })();
  });
  await new Promise<void>((listens) => server.listen(0, 'localhost', listens));
  fronts.set(origin, `https://localhost:${(server.address() as AddressInfo).port}`);
  return server;
}

/** The body, exchanged where it is a document or a form. */
async function bodyOf(message: IncomingMessage, by: Fronts): Promise<Buffer | string> {
  const parts: Buffer[] = [];
  for await (const part of message) parts.push(part as Buffer);
  const body = Buffer.concat(parts);
  const exchanged = /^(text\/html|application\/x-www-form-urlencoded)/;
  return exchanged.test(message.headers['content-type'] ?? '')
    ? exchange(body.toString(), by)
    : body;
}

const back = (fronts: Fronts): Fronts =>
  new Map([...fronts].map(([origin, before]) => [before, origin]));

function exchange(text: string, by: Fronts): string {
  let made = text;
  for (const [from, to] of by) {
    made = made.replaceAll(from, to).replaceAll(encodeURIComponent(from), encodeURIComponent(to));
  }
  return made;
}

function changed(headers: IncomingHttpHeaders, by: Fronts): OutgoingHttpHeaders {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      typeof value === 'string' ? exchange(value, by) : value?.map((each) => exchange(each, by)),
    ]),
  );
}
