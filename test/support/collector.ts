import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** '' for a span without one. */
  readonly parentSpanId: string;
  readonly name: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Of the process that made it. */
  readonly service: string;
}

/** A trace collector: takes OTLP over HTTP, in JSON, and keeps all that it gets. */
export interface Collector {
  readonly url: string;
  /** Every body as it came. */
  readonly bodies: Buffer[];
  spans(): CollectedSpan[];
  /** From now on it takes connections and calls, and answers none. */
  hang(): void;
  close(): Promise<void>;
}

interface Sent {
  resourceSpans: {
    resource: { attributes: Attribute[] };
    scopeSpans: { spans: (Omit<CollectedSpan, 'attributes'> & { attributes: Attribute[] })[] }[];
  }[];
}
interface Attribute {
  key: string;
  value: Record<string, unknown>;
}

export async function startCollector(): Promise<Collector> {
  const bodies: Buffer[] = [];
  const sockets = new Set<Socket>();
  let hanging = false;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.once('end', () => {
      if (hanging) return;
      if (request.url === '/v1/traces') bodies.push(Buffer.concat(chunks));
      response.setHeader('Content-Type', 'application/json');
      response.end('{}');
    });
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    bodies,
    spans: () => bodies.flatMap((body) => spansOf(JSON.parse(body.toString('utf8')) as Sent)),
    hang: () => {
      hanging = true;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function spansOf({ resourceSpans }: Sent): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(valuesOf(resource.attributes)['service.name']);
    return scopeSpans.flatMap(({ spans }) =>
      spans.map(({ traceId, spanId, parentSpanId = '', name, attributes }) => ({
        ...{ traceId, spanId, parentSpanId, name, service },
        attributes: valuesOf(attributes),
      })),
    );
  });
}

function valuesOf(attributes: readonly Attribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
