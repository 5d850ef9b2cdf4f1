import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';

export interface ReceivedLog {
  readonly timeUnixNano: string;
  readonly severityNumber: number;
  readonly eventName: string;
  readonly body: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** How the receiver answers: with a status and a body, or `hang`: not at all. */
export type ReceiverAnswer =
  | { readonly status: number; readonly body?: object; readonly retryAfter?: string }
  | 'hang';

/** A collector that takes OTLP logs over HTTP in JSON, at /v1/logs and nowhere else. */
export interface OtlpReceiver {
  readonly port: number;
  readonly logs: ReceivedLog[];
  readonly headers: IncomingHttpHeaders[];
  /** Calls that it got, with any answer. */
  calls(): number;
  /** Resource attributes of the last message. */
  resource(): Readonly<Record<string, string>>;
  /** From now on; messages count as received when the answer is 200. */
  answer(answer: ReceiverAnswer): void;
  close(): Promise<void>;
}

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: string };
}
interface Message {
  readonly resourceLogs: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeLogs: readonly { readonly logRecords: readonly LogRecord[] }[];
  }[];
}
interface LogRecord {
  readonly timeUnixNano: string;
  readonly severityNumber: number;
  readonly eventName: string;
  readonly body: { readonly stringValue: string };
  readonly attributes: readonly Attribute[];
}

export async function startOtlpReceiver(
  tls: { readonly cert: string; readonly key: string } | null = null,
): Promise<OtlpReceiver> {
  const logs: ReceivedLog[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const sockets = new Set<Socket>();
  let calls = 0;
  let resource: Readonly<Record<string, string>> = {};
  let answer: ReceiverAnswer = { status: 200 };
  const server = tls === null ? createServer() : createTlsServer(tls);
  server.on('request', (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.once('end', () => {
      calls += 1;
      headers.push(request.headers);
      if (answer === 'hang') return;
      const right = request.method === 'POST' && request.url === '/v1/logs';
      const { status, body, retryAfter } = right ? answer : { status: 404 };
      if (status === 200) {
        const { resourceLogs } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Message;
        for (const { resource: of, scopeLogs } of resourceLogs) {
          resource = valuesOf(of.attributes);
          logs.push(...scopeLogs.flatMap(({ logRecords }) => logRecords.map(logOf)));
        }
      }
      response.statusCode = status;
      if (retryAfter !== undefined) response.setHeader('Retry-After', retryAfter);
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify(body ?? {}));
    });
  });
  server.on(tls === null ? 'connection' : 'secureConnection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    logs,
    headers,
    calls: () => calls,
    resource: () => resource,
    answer: (next) => {
      answer = next;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function logOf({ body, attributes, ...rest }: LogRecord): ReceivedLog {
  return { ...rest, body: body.stringValue, attributes: valuesOf(attributes) };
}

function valuesOf(attributes: readonly Attribute[]): Record<string, string> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? '']),
  );
}
