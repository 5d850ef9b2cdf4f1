import { dirname, resolve } from 'node:path';
import { parseEnv } from 'node:util';

import { textOf } from '../files.js';

/**
 * What the server gets to see of the environment: all but what is the guard's own, and with it the variables of a file that the
 * agent cannot read.
 *
 * @param own variables that hold secrets of the guard
 * @throws UsageError
 */
export function environmentOf(
  policyFile: string,
  envFile: string | null,
  own: readonly (string | undefined)[],
  env: NodeJS.ProcessEnv = process.env,
): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(
    ([name]) => !name.startsWith('COUNTERSIGN_') && !own.includes(name),
  );
  const added =
    envFile === null ? {} : parseEnv(textOf('env_file', resolve(dirname(policyFile), envFile)));
  return { ...Object.fromEntries(kept), ...added };
}
