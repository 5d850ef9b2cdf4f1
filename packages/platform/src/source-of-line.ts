import { readFileSync } from 'node:fs';

/** Where each module of a file begins: its line, counted from 1, and its source. */
type Modules = readonly { readonly line: number; readonly source: string }[];

const known = new Map<string, Modules>();

/** As the bundler names the module that follows. */
const SOURCE = /^\/\/ ((?:packages|services|deploy|node_modules)\/\S+)$/;

/**
 * The source, such as `services/review/src/operations/confirm.ts`, of a line (from 1) of a built file that holds many modules
 * (tools/bundle.mjs). Null for a line of any other file.
 */
export function sourceOfLine(path: string, line: number): string | null {
  const modules = known.get(path) ?? modulesOf(path);
  known.set(path, modules);
  return modules.findLast((module) => module.line < line)?.source ?? null;
}

function modulesOf(path: string): Modules {
  try {
    const lines = readFileSync(path, 'utf8').split('\n');
    return lines.flatMap((text, place) => {
      const source = SOURCE.exec(text)?.[1];
      return source === undefined ? [] : [{ line: place + 1, source }];
    });
  } catch {
    return [];
  }
}

const FRAME = /^(.*?)\(?(?:file:\/\/)?(\/[^():]+\.js):(\d+):(\d+)\)?$/;

/** A frame of a stack, with its source before the place in the built file: `confirm services/…/confirm.ts (…/review.js:1:2)`. */
export function frameWithSource(frame: string): string {
  const [, name = '', path, line, column] = FRAME.exec(frame) ?? [];
  const source = path === undefined ? null : sourceOfLine(path, Number(line));
  return source === null ? frame : `${name}${source} (${path}:${line}:${column})`;
}
