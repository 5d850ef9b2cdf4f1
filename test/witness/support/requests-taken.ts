import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Taken {
  readonly url: string;
  readonly bodies: readonly string[];
  stop(): Promise<void>;
}

/** A server that takes every POST and answers as `answer` says. */
export async function takeRequests(
  answer: (body: string) => Promise<{ status: number; type: string; text: string }>,
): Promise<Taken> {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = Buffer.concat(chunks).toString();
      bodies.push(body);
      const { status, type, text } = await answer(body);
      response.writeHead(status, { 'Content-Type': type }).end(text);
    })();
  });
  await new Promise<void>((settle) => server.listen(0, '127.0.0.1', settle));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies,
    stop: () =>
      new Promise((settle) => {
        server.close(() => settle());
        server.closeAllConnections();
      }),
  };
}
