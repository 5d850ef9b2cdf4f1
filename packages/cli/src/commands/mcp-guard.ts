import { realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileJournal } from '@countersign/guard/node';
import { Option } from 'commander';
import type { Command } from 'commander';

import { EXITS, UsageError } from '../exits.js';
import { jsonOf, textOf } from '../files.js';
import { environmentOf } from '../mcp-guard/environment.js';
import { childUpstream } from '../mcp-guard/child.js';
import { clientEntry } from '../mcp-guard/client-entry.js';
import { newCalls } from '../mcp-guard/calls.js';
import { isObject } from '../mcp-guard/frames.js';
import { firstPolicy } from '../mcp-guard/first-policy.js';
import { lookAt } from '../mcp-guard/look.js';
import { linesIn } from '../mcp-guard/lines.js';
import { lockFileOf, readLock, writeLock } from '../mcp-guard/lock.js';
import { newPeer } from '../mcp-guard/peer.js';
import { newRelay } from '../mcp-guard/relay.js';
import { remoteUpstream } from '../mcp-guard/remote.js';
import { tasksIn } from '../mcp-guard/tasks.js';
import type { Upstream } from '../mcp-guard/upstream.js';
import { match } from '../policy/policy.js';
import type { Policy } from '../policy/policy.js';
import { PolicyFault, readPolicy } from '../policy/read.js';
import { checkTrust, clientOf, tokenVariableIn } from '../service.js';
import { newTerminal } from '../terminal.js';
import { STATE_OPTION, stateIn } from '../tool-calls/state.js';
import { CONNECTION_OPTION } from './options.js';

interface GuardOptions {
  readonly connection?: string;
  readonly policy: string;
  readonly upstream?: string;
  readonly upstreamToken?: string;
  readonly state?: string;
}

const HELP = `
Put it in front of the server in the client's configuration:

  countersign mcp-guard init --route payments -- npx @example/server     writes guard.yaml and guard.lock
  countersign mcp-guard --policy guard.yaml -- npx @example/server

Calls that the policy asks about run once people have authorised exactly these arguments, and at most once. The agent must not
be able to start the server itself: its credentials belong into env_file of the policy.`;

export const POLICY_OPTION = () =>
  new Option('--policy <file>', 'the policy, in YAML').default('guard.yaml');
const UPSTREAM_OPTION = () =>
  new Option('--upstream <url>', 'address of a server, instead of a command');
const UPSTREAM_TOKEN_OPTION = () =>
  new Option('--upstream-token <variable>', 'the variable that holds the token for it');

export function addMcpGuardCommand(program: Command): void {
  const command = program
    .command('mcp-guard')
    .description('put people in front of the tools of an MCP server')
    .argument('[server...]', 'the command of the server and its arguments, after `--`')
    .addOption(POLICY_OPTION())
    .addOption(UPSTREAM_OPTION())
    .addOption(UPSTREAM_TOKEN_OPTION())
    .addOption(STATE_OPTION())
    .addOption(CONNECTION_OPTION())
    .addHelpText('after', HELP)
    .action(serve);
  command
    .command('init')
    .description("write a first policy and its lock from a server's tools")
    .argument('[server...]', 'the command of the server and its arguments, after `--`')
    .requiredOption('--route <name>', 'the route, whose reviewers decide')
    .option('--alias <name>', 'name of the server, as people read it', 'server')
    .addOption(POLICY_OPTION())
    .addOption(UPSTREAM_OPTION())
    .addOption(UPSTREAM_TOKEN_OPTION())
    .action(init);
  command
    .command('lock')
    .description("write the lock anew: from then on the server's tools are as they are now")
    .argument('[server...]', 'the command of the server and its arguments, after `--`')
    .addOption(POLICY_OPTION())
    .addOption(UPSTREAM_OPTION())
    .addOption(UPSTREAM_TOKEN_OPTION())
    .action(lock);
  command
    .command('explain')
    .description('say which rule of the policy decides about a call, and why')
    .argument('<tool>', 'name of the tool')
    .argument('<arguments>', 'file of its arguments in JSON; - is standard input')
    .addOption(POLICY_OPTION())
    .action(explain);
}

/** Options of the command above its subcommands are theirs too: commander gives them to the first one that knows them. */
function merged<T extends Partial<GuardOptions>>(options: T, command: Command): T & GuardOptions {
  return { ...command.optsWithGlobals(), ...withoutDefaults(options, command) } as T & GuardOptions;
}
function withoutDefaults<T extends object>(options: T, command: Command): Partial<T> {
  return Object.fromEntries(
    Object.entries(options).filter(([name]) => command.getOptionValueSource(name) !== 'default'),
  ) as Partial<T>;
}

/** @throws UsageError with file, line and column */
export function policyIn(file: string): Policy {
  try {
    return readPolicy(textOf('--policy', file), file);
  } catch (error) {
    if (error instanceof PolicyFault) throw new UsageError(error.message);
    throw error;
  }
}

type Place = Pick<GuardOptions, 'upstream' | 'upstreamToken' | 'policy'>;

async function upstreamOf(
  server: readonly string[],
  { upstream, upstreamToken, policy }: Place,
  own: readonly (string | undefined)[],
  envFile: string | null,
): Promise<Upstream> {
  if (server.length > 0 === (upstream !== undefined))
    throw new UsageError('Name the server: its command after `--`, or its address by --upstream.');
  if (upstream === undefined) {
    const env = environmentOf(policy, envFile, [...own, upstreamToken]);
    return childUpstream(server, env).catch((error: unknown) => {
      const { code } = error as NodeJS.ErrnoException;
      throw new UsageError(`The server ${server[0]} cannot be started (${code}).`);
    });
  }
  const url = URL.canParse(upstream) ? new URL(upstream) : null;
  const isLoopback = url !== null && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname);
  if (url === null || (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback)))
    throw new UsageError('--upstream has to be an https address, or http on this machine.');
  return remoteUpstream(url, upstreamToken === undefined ? null : tokenIn(upstreamToken));
}

function tokenIn(variable: string): () => string {
  const read = () => {
    const token = process.env[variable]?.trim();
    if (token) return token;
    throw new UsageError(`--upstream-token: the variable ${variable} is not set.`);
  };
  read();
  return read;
}

async function serve(server: readonly string[], options: GuardOptions): Promise<void> {
  const terminal = newTerminal();
  const policy = policyIn(options.policy);
  const locked = readLock(lockFileOf(options.policy));
  const client = await clientOf(options);
  await checkTrust(client, options, terminal);
  const state = stateIn(options.state, 'mcp-guard', policy.alias.replaceAll('/', '_'));
  const own = [tokenVariableIn(options)];
  const upstream = await upstreamOf(server, options, own, policy.envFile);
  const peer = newPeer(upstream);
  const journal = fileJournal(join(state.folder, 'journal'));
  const calls = newCalls({ client, journal, state, policy, lock: locked, peer });
  const relay = newRelay({
    ...{ client, policy, lock: locked, calls, tasks: tasksIn(state), peer, upstream },
    answer: (line) => void process.stdout.write(`${line}\n`),
  });
  upstream.onLine = (line) => relay.fromServer(line);
  terminal.say(
    `countersign mcp-guard: producer ${client.producer} of ${client.tenant}, policy ${options.policy}`,
  );
  relay.resume();

  const end = { code: EXITS.done as number, isAsked: false };
  const stopped = new Promise<void>((settle) => {
    const asked = () => {
      end.isAsked = true;
      settle();
    };
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, asked);
    void upstream.ended.then((why) => {
      if (end.isAsked) return;
      terminal.say(`countersign mcp-guard: ${why}.`);
      end.code = EXITS.failed;
      settle();
    });
    void (async () => {
      try {
        for await (const line of linesIn(process.stdin)) relay.fromClient(line);
      } catch (error) {
        terminal.say(`countersign mcp-guard: ${String(error)}.`);
        end.code = EXITS.failed;
      }
      asked();
    })();
  });
  await stopped;
  // Calls that were launched come to their end; their window bounds it.
  await relay.idle();
  await upstream.close();
  process.exit(end.code);
}

interface InitOptions extends Place {
  readonly route: string;
  readonly alias: string;
}

async function init(
  server: readonly string[],
  options: InitOptions,
  command: Command,
): Promise<void> {
  const terminal = newTerminal();
  const { policy: file, route, alias, ...place } = merged(options, command);
  const upstream = await upstreamOf(server, { ...place, policy: file }, [], null);
  const definitions = await lookAt(upstream);
  const text = firstPolicy(alias, route, definitions);
  // Its own words are the first ones that have to be right.
  readPolicy(text, file);
  try {
    writeFileSync(file, text, { flag: 'wx' });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(
      code === 'EEXIST'
        ? `${file} is there already: \`countersign mcp-guard lock\` writes its lock anew.`
        : `${file} cannot be written (${code}).`,
    );
  }
  writeLock(lockFileOf(file), definitions);
  terminal.say(
    `Wrote ${file} and ${lockFileOf(file)}: ${definitions.length} tools. Read the policy before you use it.`,
  );
  terminal.say("In the client's configuration, this takes the place of the server:");
  const connection = process.env['COUNTERSIGN_CONNECTION'] ?? 'countersign.json';
  const program = { node: process.execPath, script: realpathSync(process.argv[1] as string) };
  const entry = clientEntry({ ...place, policy: file, server }, connection, program);
  process.stdout.write(`${JSON.stringify(entry, null, 2)}\n`);
}

async function lock(server: readonly string[], options: Place, command: Command): Promise<void> {
  const { policy: file, ...place } = merged(options, command);
  const { envFile } = policyIn(file);
  const upstream = await upstreamOf(server, { ...place, policy: file }, [], envFile);
  const definitions = await lookAt(upstream);
  writeLock(lockFileOf(file), definitions);
  newTerminal().say(`Wrote ${lockFileOf(file)}: ${definitions.length} tools.`);
}

async function explain(
  tool: string,
  file: string,
  options: Pick<GuardOptions, 'policy'>,
  command: Command,
): Promise<void> {
  const policy = policyIn(merged(options, command).policy);
  const args = jsonOf('<arguments>', file);
  if (!isObject(args)) throw new UsageError(`${file}: the arguments have to be a JSON object.`);
  const found = match(policy, tool, args);
  process.stdout.write(`${found.do}\n${found.why.map((line) => `  ${line}\n`).join('')}`);
}
