import { OutcomeUnknown, resumeAll } from '@countersign/guard/node';
import type { Resumed } from '@countersign/guard/node';
import type { Command } from 'commander';

import { EXITS, exitOf, explain } from '../exits.js';
import { printJson } from '../output.js';
import { guardedRun } from '../run/guarded.js';
import { JOURNAL_OPTION, journalOf } from '../run/journal.js';
import { clientOf, tokenVariableIn } from '../service.js';
import { newTerminal } from '../terminal.js';
import { CONNECTION_OPTION, JSON_OPTION } from './options.js';

interface ResumeOptions {
  readonly connection?: string;
  readonly journal?: string;
  readonly json?: true;
}

const HELP = `
For the start of a machine and for cron. It reports outcomes that could not be reported, runs commands that people authorised
and that never started, and closes an end that cannot be known as uncertain. It does not wait for people, and never starts a command
a second time.

Exit codes: 0 nothing is left; 106 requests are open; 102 a command may have run; 105 the service was not reached.`;

export function addResumeCommand(program: Command): void {
  program
    .command('resume')
    .description('go on with the commands of `run` whose process ended')
    .addOption(CONNECTION_OPTION())
    .addOption(JOURNAL_OPTION())
    .addOption(JSON_OPTION())
    .addHelpText('after', HELP)
    .action(resume);
}

async function resume(options: ResumeOptions): Promise<void> {
  const terminal = newTerminal();
  const client = await clientOf(options);
  const journal = journalOf(options.journal);
  const action = guardedRun({
    ...{ client, journal },
    execution: {
      ...{ held: new Map(), graceMs: 5_000, tokenVariable: tokenVariableIn(options) },
      output: options.json === true ? 2 : 1,
      onEnded: () => {},
      onChanged: () => {},
      onSignal: () => {},
    },
    onStart: () => terminal.say('Authorised. It runs now.'),
    // What an entry asks for is in the entry.
    options: { route: 'of-the-entry', occurrence: () => 'of-the-entry' },
  });
  const all = await resumeAll(journal, [action]);
  for (const each of all) terminal.say(`${each.occurrence}: ${sentenceOf(each)}`);
  if (all.length === 0) terminal.say('Nothing is open.');
  const code = Math.max(EXITS.done, ...all.map(codeOf));
  if (options.json === true)
    printJson({
      occurrences: all.map(({ occurrence, state, error }) => ({
        ...{ occurrence, state },
        error: error instanceof Error ? error.name : null,
      })),
      exit_code: code,
    });
  process.exitCode = code;
}

function sentenceOf({ state, error }: Resumed): string {
  switch (state) {
    case 'done':
      return 'completed.';
    case 'waiting':
      return 'waits for a decision.';
    case 'no_guard':
      return 'is of another program, which has to resume it.';
    case 'ended':
      return explain(error);
  }
}

function codeOf({ state, error }: Resumed): number {
  if (state === 'waiting') return EXITS.open;
  if (state !== 'ended') return EXITS.done;
  if (error instanceof OutcomeUnknown) return EXITS.unknown;
  const code = exitOf(error);
  // Refused, lapsed and failed are ends: nothing is left to do.
  return code >= EXITS.unverified ? code : EXITS.done;
}
