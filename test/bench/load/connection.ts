import http from 'node:http';

export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** One client's keep-alive connection: one request at a time, and none of fetch's cost. */
export interface Connection {
  send(
    method: 'GET' | 'POST' | 'PUT',
    path: string,
    headers: http.OutgoingHttpHeaders,
    body?: string,
  ): Promise<Answer>;
  close(): void;
}

export function connect(origin: string): Connection {
  const { hostname, port } = new URL(origin);
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  return {
    send: (method, path, headers, body) =>
      new Promise((resolve, reject) => {
        const sent =
          body === undefined
            ? headers
            : {
                ...headers,
                'content-type': 'application/json',
                'content-length': Buffer.byteLength(body),
              };
        const request = http.request({ agent, hostname, port, method, path, headers: sent });
        request.once('error', reject);
        request.once('response', (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.once('error', reject);
          response.once('end', () =>
            resolve({ status: response.statusCode ?? 0, text: textOf(chunks) }),
          );
        });
        request.end(body);
      }),
    close: () => agent.destroy(),
  };
}

function textOf(chunks: Buffer[]): string {
  return (chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)).toString();
}
