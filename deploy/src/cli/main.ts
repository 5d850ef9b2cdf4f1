import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { explain } from '../plain-error.js';

/** The commands by the file that adds them. Loading all files takes several times as long as the ones that are needed. */
export const COMMAND_FILES: readonly {
  readonly names: readonly string[];
  add(program: Command): Promise<void>;
}[] = [
  {
    names: ['migrate', 'bootstrap', 'keygen', 'recover', 'tree'],
    add: async (to) => (await import('./operator.js')).addOperatorCommands(to),
  },
  {
    names: ['operator'],
    add: async (to) => (await import('./bearer-operators.js')).addBearerOperatorCommands(to),
  },
  { names: ['rotate'], add: async (to) => (await import('./rotate.js')).addRotateCommand(to) },
  {
    names: ['connection'],
    add: async (to) => (await import('./connection.js')).addConnectionCommand(to),
  },
  { names: ['trust'], add: async (to) => (await import('./trust.js')).addTrustCommand(to) },
  { names: ['verify'], add: async (to) => (await import('./verify.js')).addVerifyCommand(to) },
  {
    names: ['evidence'],
    add: async (to) => (await import('./evidence.js')).addEvidenceCommand(to),
  },
  { names: ['witness'], add: async (to) => (await import('./witness.js')).addWitnessCommand(to) },
  { names: ['watch'], add: async (to) => (await import('./watch.js')).addWatchCommand(to) },
  { names: ['fsck'], add: async (to) => (await import('./fsck.js')).addFsckCommand(to) },
  {
    names: ['security-log'],
    add: async (to) => (await import('./security-log.js')).addSecurityLogCommand(to),
  },
  { names: ['doctor'], add: async (to) => (await import('./doctor.js')).addDoctorCommand(to) },
  {
    names: ['database-roles'],
    add: async (to) => (await import('./database-roles.js')).addDatabaseRolesCommand(to),
  },
  { names: ['policy'], add: async (to) => (await import('./policy.js')).addPolicyCommand(to) },
  { names: ['probe'], add: async (to) => (await import('./probe.js')).addProbeCommand(to) },
];

/** The command line of Countersign. Answers go to stdout, one line with the remedy of a failure to stderr. */
export async function main(argv: readonly string[]): Promise<void> {
  const program = new Command('countersign')
    .description('Commands for a Countersign installation. `npm start` starts one on this machine.')
    .addHelpText(
      'after',
      '\nProducers’ commands, such as `countersign run` and `ask`, are in the package @countersign/cli (docs/cli.md).',
    )
    .version(release())
    .showHelpAfterError('(`countersign --help` lists the commands)')
    .exitOverride();
  // A line that does not begin with a command gets the help, or an error about it: both need all of them.
  const only = COMMAND_FILES.filter(({ names }) => names.includes(argv[2] ?? ''));
  for (const file of only.length > 0 ? only : COMMAND_FILES) await file.add(program);
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

/** The release as `package.json` has it; the same path leads there from `src` and from `dist`. */
function release(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
