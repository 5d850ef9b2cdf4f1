import { stringify } from 'yaml';

import type { Definition } from './definitions.js';

/**
 * A policy to begin with: what is not named is denied, tools that call themselves read-only are allowed, and all others ask.
 * The hint is the server's own word, so a person has to read the file.
 */
export function firstPolicy(
  alias: string,
  route: string,
  definitions: readonly Definition[],
): string {
  const rules = definitions.map(({ name, isReadOnly }) => ({
    tool: name,
    do: isReadOnly ? 'allow' : 'ask',
  }));
  return [
    '# Which tools of the server may be called. The first rule that fits decides.',
    '# Tools that are allowed here call themselves read-only: that is the word of the server, so look at each.',
    stringify({ version: 1, alias, default: 'deny', route, tools: rules }),
  ].join('\n');
}
