import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Command } from 'commander';

import { UsageError } from '../exits.js';
import { newHttpServer } from '../mcp/http.js';
import { subjectsIn } from '../mcp/subjects.js';
import { newServer } from '../mcp/tools.js';
import { verifierOf } from '../mcp/verifier.js';
import { checkTrust, clientOf } from '../service.js';
import { newTerminal } from '../terminal.js';
import { CONNECTION_OPTION, ROUTE_OPTION } from './options.js';

/** Of the package; its build puts it in. */
declare const __VERSION__: string;

interface McpOptions {
  readonly connection?: string;
  readonly route?: string;
  readonly listen?: string;
  readonly resource?: string;
  readonly issuer?: string;
  readonly subjects?: string;
  readonly elicit: readonly string[];
}

const HELP = `
  countersign mcp --connection countersign.json --route review          over stdin and stdout
  countersign mcp --listen 127.0.0.1:7310 --resource https://mcp.example/mcp \\
    --issuer https://idp.example --subjects subjects.yaml               over HTTP, for many people

Agents ask people by it and read their answers. None of its tools decides.`;

export function addMcpCommand(program: Command): void {
  program
    .command('mcp')
    .description('an MCP server by which agents ask people questions')
    .addOption(CONNECTION_OPTION())
    .addOption(ROUTE_OPTION())
    .option('--listen <address>', 'address and port for HTTP, such as 127.0.0.1:7310')
    .option('--resource <url>', 'the address that clients know and tokens are for')
    .option('--issuer <url>', 'the authorisation server whose tokens are taken')
    .option('--subjects <file>', 'whose producers the subjects of tokens are, in YAML')
    .option(
      '--elicit <route>',
      'put the link before the person at the client too, for a route on which that person may decide; may be given again',
      (route: string, before: readonly string[]) => [...before, route],
      [],
    )
    .addHelpText('after', HELP)
    .action(serve);
}

async function serve(options: McpOptions): Promise<void> {
  const terminal = newTerminal();
  const { route, listen, elicit } = options;
  if (listen !== undefined) return serveHttp(listen, options);
  for (const name of ['resource', 'issuer', 'subjects'] as const)
    if (options[name] !== undefined) throw new UsageError(`--${name} goes with --listen.`);
  const client = await clientOf(options);
  await checkTrust(client, options, terminal);
  terminal.say(`countersign mcp: producer ${client.producer} of ${client.tenant}`);
  serveStdio(() => newServer(client, { route, elicit, version: __VERSION__ }));
  process.stdin.once('end', () => process.exit(0));
}

async function serveHttp(listen: string, options: McpOptions): Promise<void> {
  const { resource, issuer, subjects, route, elicit, connection } = options;
  if (resource === undefined || issuer === undefined || subjects === undefined)
    throw new UsageError('--listen needs --resource, --issuer and --subjects.');
  if (connection !== undefined)
    throw new UsageError(
      '--connection is for stdio: over HTTP each subject has one in --subjects.',
    );
  const [, host, port] = /^(.+):(\d{1,5})$/.exec(listen) ?? [];
  if (host === undefined) throw new UsageError('--listen takes an address and a port.');
  const verifier = await verifierOf(
    addressOf('--issuer', issuer),
    addressOf('--resource', resource),
  );
  const server = newHttpServer({
    ...{ resource: new URL(resource), issuer, verifier },
    server: { route, elicit, version: __VERSION__ },
    subjects: await subjectsIn(subjects),
  });
  server.on('error', (error) => {
    throw new UsageError(`--listen ${listen}: ${error.message}.`);
  });
  server.listen(Number(port), host.replace(/^\[|\]$/g, ''), () => {
    const address = server.address() as { address: string; port: number };
    newTerminal().say(`countersign mcp: listens on ${address.address}:${address.port}`);
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(0));
}

/** @throws UsageError for what is no https address, or http on this machine */
function addressOf(option: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isLoopback = url !== null && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname);
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback)) return text;
  throw new UsageError(`${option} has to be an https address, or http on this machine.`);
}
