import { Command, CommanderError } from 'commander';
import { explain } from '../plain-error.js';
import { addDevelopmentCommands } from './development.js';
import { addFsckCommand } from './fsck.js';
import { addOperatorCommands } from './operator.js';
import { addRotateCommand } from './rotate.js';
import { addTrustCommand } from './trust.js';
import { addProbeCommand } from './probe.js';
import { addVerifyCommand } from './verify.js';

/** The command line of Countersign. Answers go to stdout, one line that says what to do about a failure to stderr. */
export async function main(argv: readonly string[]): Promise<void> {
  const program = new Command('countersign')
    .description('Commands for a Countersign installation. `npm start` starts one on this machine.')
    .showHelpAfterError('(`countersign --help` lists the commands)')
    .exitOverride();
  addOperatorCommands(program);
  addRotateCommand(program);
  addTrustCommand(program);
  addVerifyCommand(program);
  addFsckCommand(program);
  addProbeCommand(program);
  addDevelopmentCommands(program);
  try {
    await program.parseAsync([...argv]);
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode;
      return;
    }
    console.error(`countersign: ${explain(error)}`);
    process.exitCode = 1;
  }
}
