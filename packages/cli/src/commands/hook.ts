import { realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileJournal } from '@countersign/guard/node';
import { Argument } from 'commander';
import type { Command } from 'commander';

import { durationOf } from '../durations.js';
import { EXITS, UsageError, explain } from '../exits.js';
import { bytesOf } from '../files.js';
import { eventFrom } from '../hook/event.js';
import { after, before, sweep, verdictText } from '../hook/hook.js';
import { launchesIn } from '../hook/launches.js';
import {
  commandOf,
  readSettings,
  requireVersion,
  withHook,
  writeSettings,
} from '../hook/settings.js';
import { clientOf } from '../service.js';
import { newTerminal } from '../terminal.js';
import { STATE_OPTION, stateIn } from '../tool-calls/state.js';
import { POLICY_OPTION, policyIn } from './mcp-guard.js';
import { CONNECTION_OPTION } from './options.js';

interface HookOptions {
  readonly connection?: string;
  readonly policy: string;
  readonly state?: string;
  readonly wait: string;
  readonly defer?: boolean;
}
interface InstallOptions extends HookOptions {
  readonly settings: string;
  readonly program: string;
}

const WAIT = '9m';
const DEFER =
  'end a session without a person (claude -p) at a call that is not decided, to be resumed by --resume';
/** Beside its wait: longer ones mean that something hangs. */
const MORE_MS = 30_000;

const HELP = `
  countersign hook install claude-code --policy guard.yaml

The agent runs \`countersign hook\` before and after each call of a tool. The policy is the one of mcp-guard, with the agent's tools:

  - tool: Bash
    when: [{ at: /command, glob: "terraform apply*" }]
    do: ask

Whatever goes wrong in the hook blocks the call.`;

export function addHookCommand(program: Command): void {
  const command = program
    .command('hook')
    .description('put people in front of the tools of a coding agent; it reads an event on stdin')
    .addOption(POLICY_OPTION())
    .addOption(STATE_OPTION())
    .addOption(CONNECTION_OPTION())
    .option(
      '--wait <time>',
      'how long a call waits for a decision; then it is denied, and may be made again',
      WAIT,
    )
    .option('--defer', DEFER)
    .addHelpText('after', HELP)
    .action(hook);
  command
    .command('install')
    .description('write the hook into the settings of an agent')
    .addArgument(new Argument('<agent>', 'the agent').choices(['claude-code']))
    .option('--settings <file>', 'the file of its settings', '.claude/settings.json')
    .option('--program <program>', 'the program of the agent', 'claude')
    .addOption(POLICY_OPTION())
    .addOption(STATE_OPTION())
    .addOption(CONNECTION_OPTION())
    .option('--wait <time>', 'how long a call waits for a decision', WAIT)
    .option('--defer', DEFER)
    .action(install);
}

/** Blocks the call: the agent shows the sentence. */
function block(sentence: string): never {
  process.stderr.write(`countersign hook: ${sentence}\n`);
  process.exit(EXITS.usage);
}

async function hook(options: HookOptions): Promise<void> {
  // Only this code blocks: an error that escapes must not end with another one.
  process.on('uncaughtException', (error) => block(String(error)));
  process.on('unhandledRejection', (error) => block(String(error)));
  let name = 'PreToolUse';
  try {
    const waitMs = durationOf('--wait', options.wait);
    setTimeout(() => block('it took too long'), waitMs + MORE_MS).unref();
    const event = eventFrom(bytesOf('the event', '-'));
    name = event.name;
    const policy = policyIn(options.policy);
    const client = await clientOf(options);
    const state = stateIn(options.state, 'hook', policy.alias.replaceAll('/', '_'));
    const journal = fileJournal(join(state.folder, 'journal'));
    // Only such sessions can defer a call: in others the agent would go on to its own permissions.
    const isDeferring =
      options.defer === true && process.env['CLAUDE_CODE_ENTRYPOINT'] === 'sdk-cli';
    const launches = launchesIn(state);
    const parts = { client, journal, state, policy, launches, waitMs, isDeferring };
    switch (name) {
      case 'PreToolUse': {
        const verdict = await before(parts, event);
        if (verdict !== null) process.stdout.write(verdictText(verdict));
        break;
      }
      case 'PostToolUse':
      case 'PostToolUseFailure':
        await after(parts, event);
        break;
      case 'SessionStart':
        await sweep(parts, null);
        break;
      case 'SessionEnd':
        await sweep(parts, event.session);
        break;
      default:
        throw new UsageError(`The event ${name} is none of this hook: install it again.`);
    }
    process.exit(EXITS.done);
  } catch (error) {
    const sentence = explain(error);
    if (name === 'PreToolUse') block(sentence);
    // The tool has run; nothing is left to block, and what is not reported is so later.
    process.stderr.write(`countersign hook: ${sentence}\n`);
    process.exit(EXITS.failed);
  }
}

async function install(_: string, __: unknown, command: Command): Promise<void> {
  const options = command.optsWithGlobals<InstallOptions>();
  const given = { ...options, ...command.opts<Partial<InstallOptions>>() } as InstallOptions;
  for (const name of ['policy', 'wait', 'connection', 'state', 'defer'] as const)
    if (command.getOptionValueSource(name) !== 'cli')
      Object.assign(given, { [name]: options[name] });
  const { settings, program, policy, wait, connection, state, defer } = given;
  const version = requireVersion(program);
  policyIn(policy);
  await clientOf({ ...(connection !== undefined && { connection }) });
  const file = connection ?? process.env['COUNTERSIGN_CONNECTION'] ?? 'countersign.json';
  const text = withHook(
    readSettings(settings),
    settings,
    commandOf([
      ...[process.execPath, realpathSync(process.argv[1] as string), 'hook'],
      ...['--policy', resolve(policy), '--connection', resolve(file), '--wait', wait],
      ...(state === undefined ? [] : ['--state', resolve(state)]),
      ...(defer === true ? ['--defer'] : []),
    ]),
    Math.ceil(durationOf('--wait', wait) / 1_000),
  );
  writeSettings(settings, text);
  newTerminal().say(
    `Wrote the hook into ${settings} for Claude Code ${version}. Sessions that begin from now on have it.`,
  );
}
