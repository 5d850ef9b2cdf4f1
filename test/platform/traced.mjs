// A process that traces to the collector of the URL given: makes spans, one of which fails, then ends tracing, with
// `complaint` as third argument once it has said that spans are lost. Prints how long either took. A process of its own, because the exporter loads modules in a way that Jest has none for.
import { Writable } from 'node:stream';
import { createLogger, inSpan, openCall } from '@countersign/platform';
import { startTracing } from '@countersign/platform/tracing';

const [url, many, until] = process.argv.slice(2);
let logged;
const complaint = new Promise((resolve) => (logged = resolve));
// Tracing by itself keeps no process running.
setInterval(() => {}, 1000);
const destination = new Writable({
  write(chunk, _encoding, done) {
    process.stdout.write(chunk);
    logged();
    done();
  },
});
const tracing = startTracing({
  exporter: 'otlp',
  url,
  headers: { authorization: 'Bearer for the collector' },
  sampler: 'parentbased_traceidratio',
  ratio: 1,
  serviceName: 'test',
  log: createLogger({ name: 'test', destination }),
});
const begin = performance.now();
for (let made = 0; made < Number(many); made += 1) {
  const { span } = openCall('00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01');
  await span
    .run(() => inSpan('failing', {}, () => Promise.reject(new RangeError('somebody’s words'))))
    .catch(() => {});
  span.end();
}
const madeMs = performance.now() - begin;
// Longer than a batch waits: the first is on its way.
await (until === 'complaint' ? complaint : new Promise((resolve) => setTimeout(resolve, 1500)));
const stopping = performance.now();
await tracing.stop();
console.log(JSON.stringify({ madeMs, stopMs: performance.now() - stopping }));
process.exit(0);
