import { renameSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { isMainThread } from 'node:worker_threads';

// Loaded before everything else in all processes below the launcher (--cpu-prof is not allowed in NODE_OPTIONS, and would count
// the start too). In the one process of the product SIGUSR2 starts V8's profiler, and a second one ends it and writes
// `BENCH_PROFILE`.
const file = process.env['BENCH_PROFILE'];
const SAMPLE_MICROSECONDS = 500;

if (file !== undefined && isMainThread && process.argv.includes('--target=all')) profileTo(file);

function profileTo(path: string): void {
  const session = new Session();
  session.connect();
  process.once('SIGUSR2', () => {
    session.post('Profiler.enable');
    session.post('Profiler.setSamplingInterval', { interval: SAMPLE_MICROSECONDS });
    session.post('Profiler.start');
    process.once('SIGUSR2', () =>
      session.post('Profiler.stop', (error, result) => {
        if (error !== null) throw error;
        // Whole when it is there.
        writeFileSync(`${path}.part`, JSON.stringify(result.profile));
        renameSync(`${path}.part`, path);
      }),
    );
  });
}
