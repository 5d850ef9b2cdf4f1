import { execFileSync } from 'node:child_process';
import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { findPostgres } from '@countersign/dev-servers';

/** The properties of the machine that metrics depend on. */
export interface Machine {
  readonly cores: number;
  readonly processor: string;
  readonly memoryGb: number;
  readonly node: string;
  readonly postgres: string;
  /** Load before the bench: neighbours make metrics worse. */
  readonly load: number;
  /** Of 8 KiB onto the disk of the databases, median, milliseconds. */
  readonly syncMs: number;
}

export function machineFacts(folder: string): Machine {
  return {
    cores: cpus().length,
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    memoryGb: Math.round(totalmem() / 2 ** 30),
    node: process.versions.node,
    postgres: postgresVersion(),
    load: loadavg()[0] as number,
    syncMs: syncTime(join(folder, 'sync')),
  };
}

function postgresVersion(): string {
  const found = findPostgres();
  if (found === null) return 'none';
  const said = execFileSync(join(found.directory, 'postgres'), ['--version'], { encoding: 'utf8' });
  return /\d[\d.]*/.exec(said)?.[0] ?? String(found.major);
}

function syncTime(path: string): number {
  const file = openSync(path, 'w');
  const block = Buffer.alloc(8192, 1);
  const times = Array.from({ length: 41 }, () => {
    const began = performance.now();
    writeSync(file, block);
    fdatasyncSync(file);
    return performance.now() - began;
  });
  closeSync(file);
  rmSync(path);
  return times.sort((a, b) => a - b)[20] as number;
}
