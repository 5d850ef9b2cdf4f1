import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A temporary folder that a database server may keep its data in: as root it runs as a user of its own, and where that one
 * may not go, its data would be kept outside and stay behind.
 */
export function newFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `countersign-${name}-`));
  chmodSync(folder, 0o755);
  return folder;
}
