import { mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { writeOnce } from './state.js';
import type { State } from './state.js';

/** An end that a caller was told of. */
export interface Told {
  readonly state: string;
  readonly request: string | null;
  readonly at: string;
}

/**
 * The calls that are the same to the letter, one after the other. A call belongs to the newest one until its end was told: so
 * it finds what was asked, and is never answered by an end that a caller had before.
 */
export interface Series {
  /** Of the call that is open, from 1. */
  readonly number: number;
  /** The end before it. */
  readonly before: Told | null;
  /** Ends it. Another process may have done so: then nothing changes. */
  end(told: Told): void;
}

/** @param key 64 hexadecimal digits */
export function seriesOf({ folder }: State, key: string): Series {
  const at = join(folder, 'told', key);
  mkdirSync(at, { recursive: true, mode: 0o700 });
  const ends = readdirSync(at).filter((name) => /^\d+$/.test(name));
  const count = ends.length;
  return {
    number: count + 1,
    before:
      count === 0 ? null : (JSON.parse(readFileSync(join(at, String(count)), 'utf8')) as Told),
    end(told) {
      writeOnce(join(at, String(count + 1)), JSON.stringify(told));
    },
  };
}
