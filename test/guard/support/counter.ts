import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The outside world of the tests: counts, for each action, how often it began and how often it ended. */
export interface Counter {
  readonly origin: string;
  /** How often the function of an occurrence started, whatever process started it. */
  starts(occurrence: string): number;
  ends(occurrence: string): number;
  stop(): Promise<void>;
}

/** A server of its own: it survives the processes that it counts. */
export async function startCounter(): Promise<Counter> {
  const counts = new Map<string, number>();
  const server = createServer((request, response) => {
    const what = decodeURIComponent((request.url ?? '').slice(1));
    const count = counts.get(what) ?? 0;
    if (request.method === 'POST') counts.set(what, count + 1);
    response.end(String(count));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const count = (what: string) => counts.get(what) ?? 0;
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    starts: (occurrence) => count(`start ${occurrence}`),
    ends: (occurrence) => count(`end ${occurrence}`),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
