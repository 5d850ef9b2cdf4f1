import { resolve } from 'node:path';

interface Guarding {
  readonly policy: string;
  readonly server: readonly string[];
  readonly upstream?: string;
  readonly upstreamToken?: string;
}
/** The program that runs now. */
interface Program {
  readonly node: string;
  readonly script: string;
}

/** What stands in a client's configuration in place of the server: a client starts it in a folder of its own. */
export function clientEntry(
  { policy, server, upstream, upstreamToken }: Guarding,
  connection: string,
  { node, script }: Program,
): object {
  const place = [
    ...(upstream === undefined ? ['--', ...server] : ['--upstream', upstream]),
    ...(upstreamToken === undefined ? [] : ['--upstream-token', upstreamToken]),
  ];
  // What npx fetched may be gone tomorrow; what is installed stays where it is.
  const isFetched = /[/\\]_npx[/\\]/.test(script);
  return {
    command: isFetched ? 'npx' : node,
    args: [
      ...(isFetched ? ['-y', '@countersign/cli'] : [script]),
      ...['mcp-guard', '--policy', resolve(policy), ...place],
    ],
    env: { COUNTERSIGN_CONNECTION: resolve(connection) },
  };
}
