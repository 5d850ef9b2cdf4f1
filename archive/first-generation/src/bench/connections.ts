import { openClient } from '../client/index.js';
import type { Client, TransportKind } from '../client/index.js';
import { issueToken } from '../tokens.js';
import { SECRET, startChild } from './processes.js';

const AT_ONCE = 50;

/** Opens so many connections that shake hands and stay; what each costs the server, in bytes. */
export async function measureConnections(transport: TransportKind, count: number) {
  const child = await startChild('server');
  const url = `http://127.0.0.1:${child.port}`;
  const token = await issueToken('bench', { secret: SECRET, expiresIn: '1h' }, Date.now());
  // One for each user: posts without a known session are matched by token.
  const tokens = await Promise.all(
    Array.from({ length: count }, (_, each) =>
      issueToken(`bench-${each}`, { secret: SECRET, expiresIn: '1h' }, Date.now()),
    ),
  );
  const first = openClient({ transport, url, token, patience: 60_000 });
  await first.handshake();
  first.close();
  const before = await child.figures();
  const began = performance.now();
  const clients: Client[] = [];
  for (let from = 0; from < count; from += AT_ONCE) {
    const group = tokens.slice(from, from + AT_ONCE).map(async (each) => {
      const client = openClient({ transport, url, token: each, patience: 60_000 });
      await client.handshake();
      clients.push(client);
    });
    await Promise.all(group);
  }
  const seconds = (performance.now() - began) / 1000;
  const stats = (await (await fetch(`${url}/stats`)).json()) as { activeConnections: number };
  const after = await child.figures();
  await child.stop();
  return {
    opened: stats.activeConnections,
    seconds,
    rss: (after.rss - before.rss) / count,
    heap: (after.heap - before.heap) / count,
  };
}
