import { resolve } from 'node:path';

interface Guarding {
  readonly policy: string;
  readonly server: readonly string[];
  readonly upstream?: string;
  readonly upstreamToken?: string;
}

/** What stands in a client's configuration in place of the server: a client starts it in a folder of its own. */
export function clientEntry(
  { policy, server, upstream, upstreamToken }: Guarding,
  connection: string,
): object {
  const place = [
    ...(upstream === undefined ? ['--', ...server] : ['--upstream', upstream]),
    ...(upstreamToken === undefined ? [] : ['--upstream-token', upstreamToken]),
  ];
  return {
    command: 'npx',
    args: ['-y', '@countersign/cli', 'mcp-guard', '--policy', resolve(policy), ...place],
    env: { COUNTERSIGN_CONNECTION: resolve(connection) },
  };
}
