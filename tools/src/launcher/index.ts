import { runCommand } from './command.js';
import { DEFAULT_DATA } from '@countersign/deploy/data-directory';
import { CONNECTION_FILE, writeConnectionFile } from './connection-file.js';
import { takeDataDirectory } from './data-directory.js';
import type { OwnDirectory } from './data-directory.js';
import { DEMO_FILE, writeDemoFile } from './demo-file.js';
import { offersApprovals } from './offers-approvals.js';
import { demoTenants, everybodyOf } from './demo-tenants.js';
import { explain } from '@countersign/deploy/plain-error';
import { choosePorts } from './ports.js';
import { provideStores } from './stores.js';
import { supervise } from './supervisor.js';
import { checkReplicas, environmentOf, originsOf, processesOf } from './targets.js';
import type { Origins, Replicas } from './targets.js';

/** The options of `npm start`; an absent port means the usual one, 0 a free one. */
export interface LaunchOptions {
  readonly port: number | undefined;
  readonly sandboxPort: number | undefined;
  /** The data directory; DEFAULT_DATA when not given. */
  readonly data: string | undefined;
  readonly demo: boolean;
  readonly quotas: boolean;
  readonly split: boolean;
  readonly replicas: Replicas;
  /** Whether missing servers are installed as Debian packages without asking. */
  readonly installPackages: boolean;
}

/** Written once the tenants are configured: at which provider their people log in, and whether there are voters. */
const CONFIGURED_FILE = 'configured.json';

const say = (line: string): void => console.log(line);

/** Functions that undo the start, last first. */
type Ends = (() => Promise<void> | void)[];

/** Starts everything, says `ready <origin>`, and stays until a signal ends it. */
export async function launch(options: LaunchOptions): Promise<void> {
  const ends: Ends = [];
  const ending = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      // Asked twice: children end by themselves when we are gone.
      if (ending.signal.aborted) process.exit(1);
      say('stopping (once more: at once) …');
      ending.abort();
      void endAll(ends, 0);
    });
  }
  try {
    await start(options, ends, ending.signal);
  } catch (error) {
    // Work that a signal interrupts fails as expected.
    if (ending.signal.aborted) return;
    console.error(explain(error));
    await endAll(ends, 1);
  }
}

async function start(options: LaunchOptions, ends: Ends, ending: AbortSignal): Promise<void> {
  checkReplicas(options.replicas);
  const approvals = offersApprovals(process.env);
  const data = takeDataDirectory(options.data ?? DEFAULT_DATA);
  ends.push(() => data.release());
  const ports = await choosePorts(data, options);
  const origins = originsOf(ports);

  const stores = await provideStores(data, options, say);
  ends.push(() => stores.stop());
  const command = (...args: string[]): Promise<void> =>
    runCommand([...args, '--data', data.path], stores.urls, ending);
  await command('set-up', '--origin', origins.origin);

  const supervisor = supervise(data, say);
  ends.push(() => supervisor.stop());
  const tenants = demoTenants(data, approvals);
  const env = environmentOf(data, ports, stores, tenants, options.quotas);
  for (const group of processesOf(data, env, options)) {
    ending.throwIfAborted();
    say(`starting ${group.map(({ name }) => name).join(', ')}`);
    await supervisor.start(group);
  }

  await configure(data, { issuer: origins.issuer, approvals }, origins, command);
  writeDemoFile(data, origins, tenants, approvals);
  writeConnectionFile(data, origins.origin, tenants[0]);
  if (options.demo) await show(command);
  ending.throwIfAborted();
  say(`\nLog in at ${origins.origin}/inbox as one of: ${namesOf(tenants)}`);
  say(`Tokens, people and routes: ${data.at(DEMO_FILE)}`);
  say(`Programs ask with COUNTERSIGN_CONNECTION=${data.at(CONNECTION_FILE)}`);
  if (!options.quotas) say('Quotas and rates are lifted.');
  say('Ctrl-C stops everything; the next start finds its data again.');
  say(`ready ${origins.origin}`);
}

async function configure(
  data: OwnDirectory,
  wanted: { issuer: string; approvals: boolean },
  { origin, issuer }: Origins,
  command: (...args: string[]) => Promise<void>,
): Promise<void> {
  const known = data.read<{ issuer: string; approvals?: boolean }>(CONFIGURED_FILE);
  if (known?.issuer === issuer && (known.approvals === true || !wanted.approvals)) return;
  await command('configure', '--origin', origin, '--issuer', issuer);
  data.write(CONFIGURED_FILE, wanted);
}

/** The demonstration is for the visitor: a failure is printed, and the service stays up. */
async function show(command: (...args: string[]) => Promise<void>): Promise<void> {
  try {
    await command('demo');
  } catch (error) {
    console.error(`The demonstration failed: ${explain(error)}`);
  }
}

function namesOf(tenants: ReturnType<typeof demoTenants>): string {
  return tenants
    .map(
      (of) =>
        `${everybodyOf(of)
          .map(({ name }) => name)
          .join(', ')} (tenant ${of.tenant})`,
    )
    .join('; ');
}

async function endAll(ends: Ends, code: number): Promise<never> {
  for (const end of ends.reverse()) {
    try {
      await end();
    } catch (error) {
      console.error(explain(error));
    }
  }
  process.exit(code);
}
