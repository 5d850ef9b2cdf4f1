import { APPROVAL_PROFILES } from '@countersign/client/approvals';
import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import type { Asked } from '@countersign/guard/node';

import { durationOf, secondsOf } from '../durations.js';
import { EXITS, UsageError, exitOf, explain } from '../exits.js';
import { textOf } from '../files.js';
import { printJson } from '../output.js';
import { newHeldFiles } from '../run/bound.js';
import type { Held } from '../run/bound.js';
import { documentOf } from '../run/document.js';
import type { Ended } from '../run/execute.js';
import { guardedRun } from '../run/guarded.js';
import { JOURNAL_OPTION, journalOf } from '../run/journal.js';
import { NONZERO, proposalOf } from '../run/proposal.js';
import type { Nonzero } from '../run/proposal.js';
import { checkTrust, clientOf, tokenVariableIn } from '../service.js';
import { newTerminal } from '../terminal.js';
import type { Terminal } from '../terminal.js';
import { WAIT_OPTION, interruptions } from '../waiting.js';
import {
  APPROVALS_OPTION,
  CONNECTION_OPTION,
  JSON_OPTION,
  REVIEW_OPTION,
  ROUTE_OPTION,
} from './options.js';

interface RunOptions {
  readonly connection?: string;
  readonly route?: string;
  readonly approvals?: true;
  readonly occurrence: string;
  readonly summary?: string;
  readonly document?: string;
  readonly bind: readonly string[];
  readonly bindEnv: readonly string[];
  readonly window: string;
  readonly grace: string;
  readonly reviewWithin?: number;
  readonly wait?: number;
  readonly probe?: string;
  readonly nonzero: Nonzero;
  readonly journal?: string;
  readonly anchor?: 'unchecked';
  readonly json?: true;
}

const HELP = `
People see the command exactly as it will run, without a shell, and the digests of its program, of bound files and of bound
variables. After they authorise it, it runs at most once for its occurrence, whatever happens to this process or machine.
Calling again with the same occurrence and command goes on where it was.

  countersign run --route deploy --occurrence deploy:4711 --summary "Deploy build 4711" -- ./deploy.sh production
  countersign run --route infra --occurrence plan:17 --bind plan.tfplan -- terraform apply plan.tfplan

The command gets COUNTERSIGN_OCCURRENCE, COUNTERSIGN_REQUEST, COUNTERSIGN_KEY (an idempotency key that is the same for ever for
this occurrence), COUNTERSIGN_DEADLINE and COUNTERSIGN_RESPONSE (the reviewer's answer as JSON), and not the producer's token.

Exit code: that of the command up to 99 when it ran; otherwise as \`countersign --help\` lists them.`;

const collect = (value: string, before: readonly string[]) => [...before, value];
const anchorChoice = (value: string) => {
  if (value === 'unchecked') return value;
  throw new InvalidArgumentError('The only choice is `unchecked`.');
};

export function addRunCommand(program: Command): void {
  program
    .command('run')
    .description('run a command once people have authorised it, and at most once')
    .argument('<command...>', 'the command and its arguments, after `--`')
    .requiredOption(
      '--occurrence <name>',
      'what may happen at most once, such as deploy:4711: letters, digits and _.:@/-',
    )
    .addOption(CONNECTION_OPTION())
    .addOption(ROUTE_OPTION())
    .addOption(APPROVALS_OPTION())
    .option('--summary <text>', 'one line for lists and mails; otherwise the command')
    .option('--document <file>', 'an introduction for the people who decide, in Markdown')
    .option(
      '--bind <file>',
      'a file that belongs to the action: the command gets the bytes that were authorised. May be repeated',
      collect,
      [],
    )
    .option(
      '--bind-env <name>',
      'a variable that belongs to the action, by its digest. May be repeated',
      collect,
      [],
    )
    .option('--window <time>', 'how long the command may run', '300s')
    .option(
      '--grace <time>',
      'between SIGTERM and SIGKILL when it has to stop; less than 10s',
      '5s',
    )
    .addOption(REVIEW_OPTION())
    .addOption(WAIT_OPTION())
    .option(
      '--probe <command>',
      'a shell command that says whether the action happened, when this is not known: 0 yes, 1 no',
    )
    .addOption(
      new Option('--nonzero <end>', 'what a code other than 0 means')
        .choices(NONZERO)
        .default('failed_partial'),
    )
    .addOption(JOURNAL_OPTION())
    .option(
      '--anchor <choice>',
      '`unchecked`: go on in production without a copy of the anchor store',
      anchorChoice,
    )
    .addOption(JSON_OPTION())
    .addHelpText('after', HELP)
    .action(run);
}

async function run(command: readonly string[], options: RunOptions): Promise<void> {
  const terminal = newTerminal();
  const { route, occurrence, summary, reviewWithin, anchor } = options;
  if (route === undefined)
    throw new UsageError(
      'Name the route with --route, or in COUNTERSIGN_ROUTE: its reviewers decide.',
    );
  const times = timesOf(options);
  const introduction = options.document === undefined ? '' : textOf('--document', options.document);
  const client = await clientOf(options);
  const files = await newHeldFiles();
  const { signal, end } = interruptions();
  const seen: Seen = { asked: null, started: false, ended: null, changed: null, signalled: false };
  let line: { stop(): void } | null = null;
  try {
    const held = new Map<string, Held>();
    for (const path of options.bind) held.set(path, await files.hold(path));
    const proposal = await proposalOf({
      ...{ command, files: [...held.values()], variables: options.bindEnv },
      ...{ nonzero: options.nonzero, probe: options.probe ?? null },
    });
    await checkTrust(client, options, terminal);
    const action = guardedRun({
      client,
      journal: journalOf(options.journal),
      execution: {
        held,
        graceMs: times.graceMs,
        tokenVariable: tokenVariableIn(options),
        output: options.json === true ? 2 : 1,
        onEnded: (ended) => (seen.ended = ended),
        onChanged: (what) => (seen.changed = what),
        onSignal: () => (seen.signalled = true),
      },
      onStart() {
        line?.stop();
        seen.started = true;
        // The command has the signals now.
        end();
        terminal.say('Authorised. It runs now.');
      },
      options: {
        route,
        occurrence: () => occurrence,
        summary: () => summary ?? command.join(' '),
        document: (args) => documentOf(`# ${summary ?? 'Run a command'}\n\n${introduction}`, args),
        executionSeconds: times.windowSeconds,
        ...(reviewWithin !== undefined && {
          reviewSeconds: reviewWithin,
        }),
        ...(anchor !== undefined && { anchor }),
        ...(options.approvals === true && { profiles: APPROVAL_PROFILES }),
        onAsked(asked) {
          seen.asked = asked;
          terminal.say(`Asked: ${asked.id}\nReview link: ${terminal.strong(asked.reviewLink)}`);
          line = terminal.wait('Waiting for a decision');
        },
        onUnreported: () =>
          terminal.say(
            'Its outcome could not be reported yet: `countersign resume` does it later.',
          ),
      },
    });
    const call = { signal, ...(times.waitMs !== undefined && { timeout: times.waitMs }) };
    const fault = await action(proposal, call).then(
      () => null,
      (error: unknown) => error ?? new Error('unknown'),
    );
    (line as { stop(): void } | null)?.stop();
    finish(seen, fault, options, terminal);
  } finally {
    (line as { stop(): void } | null)?.stop();
    end();
    await files.release();
  }
}

interface Seen {
  asked: Asked | null;
  started: boolean;
  ended: Ended | null;
  /** What was no longer as it was authorised, so that the command did not start. */
  changed: string | null;
  /** Whether a signal came before the command started. */
  signalled: boolean;
}

function timesOf({ window, grace, wait }: RunOptions) {
  const graceMs = durationOf('--grace', grace);
  if (graceMs >= 10_000) throw new UsageError('--grace has to be less than 10s.');
  return { windowSeconds: secondsOf('--window', window), graceMs, waitMs: wait };
}

function finish(seen: Seen, fault: unknown, options: RunOptions, terminal: Terminal): void {
  const { asked, started, ended, changed, signalled } = seen;
  const code = codeOf(seen, fault);
  const says = sentenceOf(seen, fault, code);
  if (says !== null)
    terminal.say(`${code === EXITS.done ? '' : `${terminal.bad('countersign:')} `}${says}`);
  if (options.json === true)
    printJson({
      request_id: asked?.id ?? null,
      review_link: asked?.reviewLink ?? null,
      occurrence: options.occurrence,
      ran: started && changed === null && !signalled,
      command_code: ended?.code ?? null,
      command_signal: ended?.signal ?? null,
      error: fault instanceof Error ? fault.name : null,
      exit_code: code,
    });
  process.exitCode = code;
}

/** Null where the command's own code says it all. */
function sentenceOf(
  { started, ended, changed }: Seen,
  fault: unknown,
  code: number,
): string | null {
  if (changed !== null) return `It did not run: ${changed} since it was authorised.`;
  if (code === EXITS.used)
    return 'This occurrence was used before, and its command has ended. It did not run again.';
  if (fault === null)
    return ended?.code === 0 ? null : 'The probe says that the command did its work.';
  return started && typeof ended?.code === 'number' && code !== EXITS.unknown
    ? null
    : explain(fault);
}

function codeOf({ started, ended, changed, signalled }: Seen, fault: unknown): number {
  if (changed !== null) return EXITS.changed;
  if (signalled) return EXITS.lapsed;
  if (started && ended !== null && ended.code !== null) return Math.min(ended.code, EXITS.most);
  if (started) return fault === null ? EXITS.done : exitOf(fault);
  // What ended before this call is no end of this one.
  const endedBefore =
    fault === null || (fault instanceof Error && /^(NotDone|PartlyDone)$/.test(fault.name));
  return endedBefore ? EXITS.used : exitOf(fault);
}
