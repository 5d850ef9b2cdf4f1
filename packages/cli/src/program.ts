import { Command } from 'commander';

import { addAskCommand } from './commands/ask.js';
import { addHookCommand } from './commands/hook.js';
import { addMcpCommand } from './commands/mcp.js';
import { addMcpGuardCommand } from './commands/mcp-guard.js';
import { addCompletionCommand } from './commands/completion.js';
import { addRequestCommands } from './commands/requests.js';
import { addRunCommand } from './commands/run.js';
import { addResumeCommand } from './commands/resume.js';
import { addVerifyCommand } from './commands/verify.js';

/** Of the package; its build puts it in. */
declare const __VERSION__: string;

const HELP = `
The connection file is written by the operator of the service. Their commands, such as \`countersign connection\`, are in the
service's own \`countersign\`, and not in this one.

Exit codes: 0 done or approved, 2 wrong use, 100 refused, 101 lapsed, 102 outcome unknown, 103 occurrence used before,
104 something did not verify, 105 service not reached, 106 still open, 107 fenced by an operator, 108 other arguments.`;

export function programOf(): Command {
  const program = new Command('countersign')
    .description('Asks people before a command runs, and runs it at most once.')
    .version(__VERSION__)
    .showHelpAfterError('(`countersign <command> --help` lists the options)')
    .addHelpText('after', HELP)
    // Before commands are added: they inherit it.
    .exitOverride();
  addRunCommand(program);
  addResumeCommand(program);
  addAskCommand(program);
  addRequestCommands(program);
  addVerifyCommand(program);
  addMcpGuardCommand(program);
  addMcpCommand(program);
  addHookCommand(program);
  addCompletionCommand(program);
  return program;
}
