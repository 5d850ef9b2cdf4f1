import { CommanderError } from 'commander';

import { EXITS, explain, exitOf } from './exits.js';
import { programOf } from './program.js';
import { newTerminal } from './terminal.js';

/** Commands of the service's own `countersign`, which operators run. */
const OPERATORS =
  /^(bootstrap|connection|database-roles|doctor|fsck|keygen|migrate|operator|probe|recover|rotate|security-log|tree|trust)$/;

async function main(argv: readonly string[]): Promise<void> {
  const [, , command = ''] = argv;
  const terminal = newTerminal();
  if (OPERATORS.test(command)) {
    terminal.say(
      `countersign: ${command} is a command of operators: it is part of the service, not of @countersign/cli, which is for producers.`,
    );
    process.exitCode = EXITS.usage;
    return;
  }
  try {
    await programOf().parseAsync([...argv]);
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? 0 : EXITS.usage;
      return;
    }
    terminal.say(`${terminal.bad('countersign:')} ${explain(error)}`);
    process.exitCode = exitOf(error);
  }
}

// A reader that has seen enough, such as `head`: the command itself goes on, for its exit code is its result.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});
await main(process.argv);
