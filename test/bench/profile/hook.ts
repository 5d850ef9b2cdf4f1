import { renameSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { isMainThread } from 'node:worker_threads';

// Loaded before everything else in all processes below the launcher (--cpu-prof is not allowed in NODE_OPTIONS, and
// would count the start too). In the one process of the product SIGUSR2 starts V8's profiler, and a second one ends it.
const file = process.env['BENCH_PROFILE'];
if (isMainThread && file !== undefined && process.argv.includes('--target=all')) profileOn(file);

const SAMPLE_MICROSECONDS = 500;

function profileOn(path: string): void {
  const session = new Session();
  session.connect();
  let running = false;
  process.on('SIGUSR2', () => {
    if (!running) {
      running = true;
      session.post('Profiler.enable');
      session.post('Profiler.setSamplingInterval', { interval: SAMPLE_MICROSECONDS });
      session.post('Profiler.start');
      return;
    }
    session.post('Profiler.stop', (error, result) => {
      if (error !== null) throw error;
      // Whole when it is there.
      writeFileSync(`${path}.part`, JSON.stringify(result.profile));
      renameSync(`${path}.part`, path);
    });
  });
}
