import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Content {
  readonly status: number;
  readonly body: Uint8Array;
}

/** Changes an answer; `path` begins behind the prefix of the log. */
export type Tamper = (path: string, honest: Content) => Content;

export interface TreeProxy {
  /** Where the log is served, changed. */
  readonly prefix: string;
  tamper(how: Tamper): void;
  /** How often the checkpoint was asked for since the last change. */
  looks(): number;
  stop(): Promise<void>;
}

export const honest: Tamper = (_, content) => content;

/** Stands before a real log and changes its answers, as only the log's operator, or a thief of its key, could. */
export async function startTreeProxy(prefix: string): Promise<TreeProxy> {
  let how = honest;
  let looks = 0;
  const server = createServer((request, response) => {
    void (async () => {
      const path = (request.url ?? '').slice(1);
      if (path === 'checkpoint') looks += 1;
      const { authorization = '' } = request.headers;
      const answer = await fetch(`${prefix}/${path}`, { headers: { authorization } });
      const body = new Uint8Array(await answer.arrayBuffer());
      const content = how(path, { status: answer.status, body });
      response.writeHead(content.status).end(content.body);
    })();
  });
  await new Promise<void>((settle) => server.listen(0, '127.0.0.1', settle));
  return {
    prefix: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    tamper(next) {
      how = next;
      looks = 0;
    },
    looks: () => looks,
    stop: () =>
      new Promise((settle) => {
        server.close(() => settle());
        server.closeAllConnections();
      }),
  };
}
