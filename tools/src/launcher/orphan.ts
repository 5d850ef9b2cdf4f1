import { readFileSync } from 'node:fs';
import { commandOf } from './data-directory.js';
import type { StoresFile } from '@countersign/deploy/stores-file';

// Loaded before main.js in every process that the launcher starts. When the launcher is killed, the channel to it closes:
// the process ends as if it had been asked to, and stops the stores that the launcher left behind.
process.once('disconnect', () => {
  const stores = process.env['COUNTERSIGN_STORES_FILE'];
  if (stores !== undefined) process.once('exit', () => endStores(stores));
  process.kill(process.pid, 'SIGTERM');
});
process.channel?.unref();

function endStores(file: string): void {
  const { started } = JSON.parse(readFileSync(file, 'utf8')) as StoresFile;
  for (const { pid, command } of started) {
    // The quick and clean end for PostgreSQL, NATS and Redis alike.
    if (commandOf(pid) === command) process.kill(pid, 'SIGINT');
  }
}
