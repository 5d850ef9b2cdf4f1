import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a copy, in a new directory, of a cluster that `npm test` made once: of the one with all that an installation migrates,
 * or of the one with the schema alone; both have no rows. Says whether there is one. Initialising and migrating one for each
 * test file takes a second of processor time. Files that run alone, or by hand, start on nothing, as a user does.
 */
export function copyCluster(dir: string, kind: 'installation' | 'schema'): boolean {
  const made = process.env[kind === 'schema' ? 'TEST_SCHEMA' : 'TEST_CLUSTER'];
  if (made === undefined) return false;
  mkdirSync(dirname(dir), { recursive: true });
  execFileSync('cp', ['-a', made, dir]);
  copyFileSync(`${made}.password`, `${dir}.password`);
  return true;
}
