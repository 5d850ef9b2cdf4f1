// Loaded into every process and thread of an instance. Once the file is there that FAILING_THREAD names, `<file>:<thread>`,
// that thread stands still for as many milliseconds as the file says; of an empty one it fails, as by a fault of its code.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { isMainThread, workerData } from 'node:worker_threads';

const LOOK_EVERY_MS = 20;
const [file, thread] = (process.env.FAILING_THREAD ?? '').split(':');
if (!isMainThread && workerData?.thread === thread) {
  setInterval(() => {
    if (!existsSync(file)) return;
    const ms = Number(readFileSync(file, 'utf8'));
    rmSync(file);
    if (ms === 0) throw new Error('this thread was meant to fail');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  }, LOOK_EVERY_MS).unref();
}
