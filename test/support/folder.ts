import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A temporary folder that a database server may keep its data in: as root it runs as a user of its own, and where that one
 * may not go, its data would be kept outside and stay behind.
 */
export function newFolder(name: string, place = tmpdir()): string {
  const folder = mkdtempSync(join(place, `countersign-${name}-`));
  chmodSync(folder, 0o755);
  return folder;
}

/**
 * A folder for the data of an installation or of stores, in memory where `npm test` made room there (tools/test-servers.mjs).
 * Files that run alone, or by hand, keep them on the disk.
 */
export function newDataFolder(name: string): string {
  return newFolder(name, process.env['TEST_DATA']);
}
