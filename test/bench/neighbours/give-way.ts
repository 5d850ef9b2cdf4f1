import { existsSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';

const AUTOGROUP = '/proc/self/autogroup';

/**
 * Has this process give way to all others where they want the same processor: a caller's machine takes none from the service.
 * Where Linux shares the processors between sessions, the session has to give way, so the process must lead its own.
 */
export function giveWay(): void {
  setPriority(19);
  if (existsSync(AUTOGROUP)) writeFileSync(AUTOGROUP, '19');
}
