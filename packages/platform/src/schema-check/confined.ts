import { existsSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SchemaCheckLimits } from './limits.js';

export interface Confined {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const PROTOCOL = '@countersign/protocol';

/** `--permission` came with Node 23.5. */
const PERMISSION = process.allowedNodeEnvironmentFlags.has('--permission')
  ? '--permission'
  : '--experimental-permission';

/**
 * How Node runs `program` (its path, or options that name one) with bounded memory, an empty environment, and without the
 * right to read any file but this release's packages, to write any, or to start processes, threads or addons. Node 20 to 24
 * cannot refuse network access: the deployment's network policy has to.
 */
export function confined(
  program: readonly string[],
  { oldHeapMb, semiSpaceMb, stackKb }: SchemaCheckLimits,
): Confined {
  const args = [
    PERMISSION,
    ...readable().map((path) => `--allow-fs-read=${path}`),
    '--no-warnings',
    `--max-old-space-size=${oldHeapMb}`,
    `--max-semi-space-size=${semiSpaceMb}`,
    `--stack-size=${stackKb}`,
    ...program,
  ];
  return { command: process.execPath, args, env: {} };
}

/** Our own program, the protocol's code and the libraries: all of it public. */
function readable(): string[] {
  const { resolve } = createRequire(import.meta.url);
  const installed = (resolve.paths(PROTOCOL) ?? []).find((folder) =>
    existsSync(join(folder, PROTOCOL)),
  );
  if (installed === undefined) throw new Error(`${PROTOCOL} is not installed`);
  const program = dirname(fileURLToPath(import.meta.url));
  return [program, installed, realpathSync(join(installed, PROTOCOL))].map((folder) =>
    join(folder, '*'),
  );
}
