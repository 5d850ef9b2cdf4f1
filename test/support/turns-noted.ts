import { readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { newFolder } from './folder.js';

/** Where the processes of an instance note their long turns, see long-turns.mjs. */
export interface LongTurns {
  /** Variables of the instance. */
  readonly env: { readonly NODE_OPTIONS: string; readonly LONG_TURNS: string };
  /** Milliseconds of processor time of the target's longest turn since `begin`, epoch milliseconds; 0 when none was long. */
  longest(target: string, begin: number): number;
  remove(): void;
}

/** `nodeOptions`: others that the processes are to have. */
export function noteLongTurns(nodeOptions = ''): LongTurns {
  const folder = newFolder('long-turns');
  const program = resolve(__dirname, 'long-turns.mjs');
  return {
    env: { NODE_OPTIONS: `${nodeOptions} --import ${program}`.trim(), LONG_TURNS: folder },
    longest(target, begin) {
      // It is there: a process has long turns while it starts.
      const lines = readFileSync(join(folder, target), 'utf8').trim().split('\n');
      const noted = lines.map((line) => line.split(' ').map(Number) as [at: number, ms: number]);
      return Math.max(0, ...noted.filter(([at]) => at >= begin).map(([, ms]) => ms));
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
