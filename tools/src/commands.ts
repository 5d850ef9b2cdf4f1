import { Command, CommanderError } from 'commander';
import { DEFAULT_DATA } from '@countersign/deploy/data-directory';
import { explain } from '@countersign/deploy/plain-error';
import { demoFileOf, logInAs, subjectOf } from './demo/person.js';
import { ownDirectory } from './launcher/data-directory.js';
import { writeDemoFile } from './launcher/demo-file.js';
import { offersApprovals } from './launcher/offers-approvals.js';
import { demoTenants } from './launcher/demo-tenants.js';

/**
 * Commands that work on an instance of `npm start`; each loads only its own modules, because the launcher and scripts run
 * them often.
 */
export async function main(argv: readonly string[]): Promise<void> {
  const program = new Command('develop')
    .description(
      'Commands for an instance of `npm start`. `npm run countersign` has those of the product.',
    )
    .showHelpAfterError('(`node tools/develop.mjs --help` lists the commands)')
    .exitOverride();
  addCommands(program);
  try {
    await program.parseAsync([...argv]);
  } catch (error) {
    if (!(error instanceof CommanderError)) console.error(`countersign: ${explain(error)}`);
    process.exitCode = error instanceof CommanderError ? error.exitCode : 1;
  }
}

function addCommands(program: Command): void {
  program
    .command('session')
    .description('log a demo person in and print {"origin","cookie","csrf","subject"} for scripts')
    .argument('<person>', 'id of the person, as demo.json lists them, for example reviewer-1')
    .option('--data <dir>', 'data directory of the running instance', DEFAULT_DATA)
    .action(async (person: string, { data }: { data: string }) => {
      console.log(JSON.stringify(await logInAs(data, person)));
    });

  program
    .command('demo')
    .description('drive one request through the running instance, from its creation to its export')
    .option('--data <dir>', 'data directory of the running instance', DEFAULT_DATA)
    .action(({ data }: { data: string }) => demonstrate(data));

  // Steps of the launcher, which runs them in processes of their own.
  program
    .command('set-up', { hidden: true })
    .requiredOption('--data <dir>')
    .requiredOption('--origin <origin>')
    .action(async ({ data, origin }: { data: string; origin: string }) => {
      const [{ setUp }, { databaseUrl }] = await Promise.all([
        import('./launcher/set-up.js'),
        import('@countersign/deploy/cli/database-of'),
      ]);
      await setUp(ownDirectory(data), origin, databaseUrl() ?? '', console.log);
    });
  program
    .command('configure', { hidden: true })
    .requiredOption('--data <dir>')
    .requiredOption('--origin <origin>')
    .requiredOption('--issuer <issuer>')
    .option(
      '--sandbox-origin <origin>',
      'also print the logins and addresses to try the instance with',
    )
    .action((flags: ConfigureFlags) => configure(flags));
  // For docker-compose.yml, where nothing runs beside the targets that could do one after the other.
  program
    .command('set-up-demo', { hidden: true })
    .requiredOption('--data <dir>')
    .requiredOption('--origin <origin>')
    .requiredOption('--issuer <issuer>')
    .requiredOption('--sandbox-origin <origin>')
    .action(async (flags: ConfigureFlags) => {
      await configure(flags);
      await demonstrate(flags.data);
      console.log(`\nThe inbox is at ${flags.origin}/inbox`);
    });
}

async function demonstrate(data: string): Promise<void> {
  const { runLifecycle } = await import('./demo/lifecycle.js');
  await runLifecycle(demoFileOf(data), (person) => subjectOf(data, person), console.log);
}

async function configure({ data, sandboxOrigin, ...at }: ConfigureFlags): Promise<void> {
  const [{ addAuditors, configureTenant }, { databaseUrl }] = await Promise.all([
    import('./launcher/configure.js'),
    import('@countersign/deploy/cli/database-of'),
  ]);
  const url = databaseUrl();
  const directory = ownDirectory(data);
  const approvals = offersApprovals(process.env);
  const tenants = demoTenants(directory, approvals);
  for (const tenant of tenants) {
    await configureTenant(at.origin, at.issuer, tenant, approvals);
    if (url !== undefined) await addAuditors(url, at.issuer, tenant);
    console.log(`tenant ${tenant.tenant}: producer, publisher, people and routes configured`);
  }
  if (sandboxOrigin !== undefined)
    writeDemoFile(directory, { ...at, sandboxOrigin }, tenants, approvals);
}

interface ConfigureFlags {
  data: string;
  origin: string;
  issuer: string;
  sandboxOrigin?: string;
}
