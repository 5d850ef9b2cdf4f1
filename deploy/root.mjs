// Where the project is, and its workspaces. Plain Node without dependencies, for it runs on a clone with nothing installed.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the project. */
export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** The JSON in a file, whose path is relative to the root. */
export function readJson(file) {
  return JSON.parse(readFileSync(join(ROOT, file), 'utf8'));
}

/** The folders of all workspaces, relative to the root. */
export function workspaces() {
  return readJson('package.json')
    .workspaces.flatMap((pattern) => {
      if (!pattern.endsWith('/*')) return [pattern];
      const parent = pattern.slice(0, -2);
      return readdirSync(join(ROOT, parent)).map((name) => join(parent, name));
    })
    .filter((folder) => existsSync(join(ROOT, folder, 'package.json')));
}
