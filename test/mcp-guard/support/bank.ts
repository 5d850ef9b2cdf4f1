import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Installed } from '../../cli/support/packed.js';
import { TOKEN_VARIABLE } from '../../cli/support/packed.js';
import type { Instance } from '../../support/instance.js';
import { sessionOf } from './session.js';
import type { Json, Session } from './session.js';

export const BANK = [process.execPath, resolve(__dirname, 'bank-server.mjs')] as const;

/** A bank behind a guard, with files of its own. */
export interface Bank {
  readonly folder: string;
  readonly policy: string;
  /** Lines that say what was really transferred. */
  effects(): string[];
  /** Lets a call with `then: "wait"` end. */
  goOn(): void;
  /** The words of the tool from now on. */
  describe(words: string): void;
  start(changes?: BankOptions): Session;
  /** Arguments and variables, for clients that start it themselves. */
  command(changes?: BankOptions): Command;
}
export interface BankOptions {
  /** The command, or options that say where the server is. */
  readonly server?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}
export interface Command {
  readonly command: string;
  readonly args: string[];
  readonly env: Record<string, string>;
  readonly cwd: string;
}

export const POLICY = `version: 1
alias: bank
default: deny
tools:
  - tool: "get_*"
    do: allow
  - tool: transfer
    when: [{ at: /amount, gte: 0, lte: 10 }]
    do: allow
  - tool: transfer
    do: ask
    route: ROUTE
    summary: "Transfer {/amount}"
    hold: 1s
    window: 20s
`;

let count = 0;

/** Writes the policy and locks the tools of the bank, or of another server. */
export async function newBank(
  { demo }: Instance,
  cli: Installed,
  policyText = POLICY,
  usual: readonly string[] = BANK,
): Promise<Bank> {
  count += 1;
  const folder = join(cli.folder, `bank-${count}`);
  mkdirSync(folder);
  const policy = join(folder, 'guard.yaml');
  writeFileSync(policy, policyText.replaceAll('ROUTE', demo.routes.execution));
  const effects = join(folder, 'effects');
  const description = join(folder, 'description');
  const environment = (env: Readonly<Record<string, string>> = {}) => ({
    ...{ PATH: process.env['PATH'] as string, HOME: folder, EFFECTS: effects },
    ...{ DESCRIPTION: description, XDG_STATE_HOME: join(folder, 'state') },
    COUNTERSIGN_CONNECTION: join(cli.folder, 'countersign.json'),
    [TOKEN_VARIABLE]: demo.producer.token,
    ...env,
  });
  const locked = await cli.run(
    ['mcp-guard', 'lock', '--policy', policy, '--', ...usual],
    environment(),
  );
  if (locked.code !== 0) throw new Error(locked.stderr);
  const command = ({ server = usual, env }: BankOptions = {}): Command => ({
    command: cli.program,
    args: [
      'mcp-guard',
      '--policy',
      policy,
      ...(server[0]?.startsWith('--') ? [] : ['--']),
      ...server,
    ],
    env: environment(env),
    cwd: folder,
  });
  return {
    ...{ folder, policy, command },
    effects: () =>
      existsSync(effects) ? readFileSync(effects, 'utf8').trim().split('\n').filter(Boolean) : [],
    goOn: () => writeFileSync(`${effects}.go`, ''),
    describe: (words) => writeFileSync(description, words),
    start(changes) {
      const { command: program, args, env, cwd } = command(changes);
      return sessionOf(program, args, { cwd, env });
    },
  };
}

/** Where a call is, as its result says. */
export function stateOf({ result }: Json): Json {
  return result?._meta?.['countersign/call'] ?? { state: result?.isError ? 'error' : 'completed' };
}
