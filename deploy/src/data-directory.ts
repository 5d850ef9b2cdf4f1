import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where `npm start` keeps its data when nothing else is said. */
export const DEFAULT_DATA = fileURLToPath(new URL('../../.countersign', import.meta.url));

/** The files of an instance, which may be running. */
export interface DataDirectory {
  readonly path: string;
  at(...names: string[]): string;
  /** The content of a JSON file, or null when there is none. */
  read<T>(name: string): T | null;
}

export function dataDirectory(path: string): DataDirectory {
  const root = resolve(path);
  const at = (...names: string[]): string => join(root, ...names);
  return {
    path: root,
    at,
    read: <T>(name: string) =>
      existsSync(at(name)) ? (JSON.parse(readFileSync(at(name), 'utf8')) as T) : null,
  };
}
