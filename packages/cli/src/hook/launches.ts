import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plan, ProbeAnswer } from '@countersign/guard/node';

import type { State } from '../tool-calls/state.js';

/** A call that the agent was allowed to make; its end comes with another event, in another process. */
export interface Launch {
  readonly plan: Plan;
  readonly route: string;
  readonly session: string;
  /** Epoch milliseconds after which its window is over. */
  readonly until: number;
  /** What became of it, once that is known; it stays until the service has it. */
  readonly end: ProbeAnswer | null;
}

export interface Launches {
  keep(toolUse: string, launch: Launch): void;
  find(toolUse: string): Launch | null;
  drop(toolUse: string): void;
  all(): { readonly toolUse: string; readonly launch: Launch }[];
}

type Kept = { readonly toolUse: string; readonly launch: Launch };

export function launchesIn({ folder }: State): Launches {
  const at = join(folder, 'launched');
  mkdirSync(at, { recursive: true, mode: 0o700 });
  const fileOf = (toolUse: string) => join(at, createHash('sha256').update(toolUse).digest('hex'));
  const read = (file: string): Kept | null => {
    try {
      return JSON.parse(readFileSync(file, 'utf8')) as Kept;
    } catch {
      return null;
    }
  };
  return {
    keep(toolUse, launch) {
      const file = fileOf(toolUse);
      writeFileSync(`${file}.new`, JSON.stringify({ toolUse, launch }), {
        mode: 0o600,
        flush: true,
      });
      renameSync(`${file}.new`, file);
    },
    find: (toolUse) => read(fileOf(toolUse))?.launch ?? null,
    drop: (toolUse) => rmSync(fileOf(toolUse), { force: true }),
    all: () =>
      readdirSync(at)
        .filter((name) => /^[0-9a-f]{64}$/.test(name))
        .map((name) => read(join(at, name)))
        .filter((kept) => kept !== null),
  };
}
