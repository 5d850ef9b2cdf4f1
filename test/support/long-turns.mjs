// Loaded into the processes of an instance (`NODE_OPTIONS=--import …`). Each appends to the file `LONG_TURNS/<target>` a line
// `<epoch ms> <ms>` for every time that its main thread spent 10 ms or more on a processor between two looks, 5 ms apart.
// Time in which the machine did not let it run does not count.
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';

const LOOK_EVERY_MS = 5;
const LONG_MS = 10;
const target = process.argv.find((word) => word.startsWith('--target='))?.slice(9);
const folder = process.env.LONG_TURNS;
if (isMainThread && target !== undefined && folder !== undefined) {
  const file = `/proc/self/task/${process.pid}/schedstat`;
  const spent = () => Number(readFileSync(file, 'utf8').split(' ')[0]) / 1e6;
  let before = spent();
  setInterval(() => {
    const now = spent();
    if (now - before >= LONG_MS) {
      appendFileSync(join(folder, target), `${Date.now()} ${now - before}\n`);
    }
    before = spent();
  }, LOOK_EVERY_MS).unref();
}
