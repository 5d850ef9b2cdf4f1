// Loaded into the processes of an instance (`NODE_OPTIONS=--import …`). At SIGUSR2 the event loop of the one process stands still
// for as long as the file HELD_LOOP is there.
import { existsSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const LOOK_EVERY_MS = 20;
if (isMainThread && process.argv.includes('--target=all')) {
  process.on('SIGUSR2', () => {
    const nothing = new Int32Array(new SharedArrayBuffer(4));
    while (existsSync(process.env.HELD_LOOP)) Atomics.wait(nothing, 0, 0, LOOK_EVERY_MS);
  });
}
