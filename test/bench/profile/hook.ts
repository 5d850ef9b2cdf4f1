import { renameSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { BroadcastChannel, isMainThread, workerData } from 'node:worker_threads';

// Loaded before everything else in all processes and threads below the launcher (--cpu-prof is not allowed in NODE_OPTIONS,
// and would count the start too). In the one process of the product SIGUSR2 starts V8's profiler in every thread that has a
// name, and a second one ends it.
const folder = process.env['BENCH_PROFILE'];
const thread = isMainThread
  ? process.argv.includes('--target=all') && 'edge'
  : (workerData as { thread?: string } | null)?.thread;
if (folder !== undefined && thread) profileOn(`${folder}/${thread}`);

const SAMPLE_MICROSECONDS = 500;

function profileOn(path: string): void {
  const turns = new BroadcastChannel('bench-profile');
  const turn = profiler(path);
  turns.onmessage = turn;
  turns.unref();
  if (!isMainThread) return;
  process.on('SIGUSR2', () => {
    turns.postMessage(null);
    turn();
  });
}

/** Starts the profiler at the first call and ends it at the second. */
function profiler(path: string): () => void {
  const session = new Session();
  session.connect();
  let running = false;
  return () => {
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
  };
}
