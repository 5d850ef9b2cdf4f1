// `npm run bench -w @countersign/first-generation`: what a connection costs, and how messages compare with a bare ws
// echo in the same run. Each server is a process of its own, so its memory and time are nobody else's.
import { cpus, loadavg } from 'node:os';
import { measureConnections } from './connections.js';
import { measureThroughput } from './throughput.js';

const CONNECTIONS = 1000;

const load = () => loadavg()[0]?.toFixed(1);
console.log(`node ${process.versions.node}, ${cpus().length} cores, load ${load()}`);
for (const transport of ['websocket', 'sse', 'http'] as const) {
  const { opened, seconds, rss, heap } = await measureConnections(transport, CONNECTIONS);
  console.log(
    `${opened} connections at once over ${transport} in ${seconds.toFixed(1)} s: ` +
      `${(rss / 1024).toFixed(1)} KiB each (heap ${(heap / 1024).toFixed(1)} KiB)`,
  );
}
const { bare, ours } = await measureThroughput();
console.log(`bare ws echo: ${text(bare)}`);
console.log(`first generation: ${text(ours)}`);
console.log(
  `ratio: ${(ours.rate / bare.rate).toFixed(2)} of the messages per second, ` +
    `${(bare.cost / ours.cost).toFixed(2)} of the messages per second of processor time; load ${load()}`,
);

function text({ rate, cost }: { rate: number; cost: number }): string {
  return `${Math.round(rate)} messages/s, ${cost.toFixed(1)} µs of the server's processor each`;
}
