import { rmSync } from 'node:fs';
import type { ForkOptions } from 'node:child_process';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { newFolder } from '../../support/folder.js';
import { forkChild } from '../child.js';
import type { Child } from '../child.js';
import { machineFacts } from '../machine.js';
import { startProduct } from '../product.js';
import type { Ends } from '../ends.js';
import type { Scenario } from '../scenario.js';
import { digits, table } from '../text.js';
import type { AttackReply, Outcomes } from './attack.js';
import { LOADS } from './loads.js';
import type { Attacker } from './loads.js';
import type { QuietFigures, QuietOrder, QuietReply } from './quiet.js';

const HELP = `npm run bench -- neighbours [--loads ${Object.keys(LOADS).join(',')}] [--seconds 8] [--mode all|split]
  What one tenant's calls take while another makes the worst load that its limits of concurrent calls allow; alone before
  and after each load. Rates and quotas are lifted: with them a load lasts for a part of each minute only. The callers of
  the load have the lowest priority on the machine.`;

/** How much longer calls of others may take at most, p99 (docs/performance.md). */
const TARGET = 2;

/** Beyond the rate of a closed loop on this machine. */
const UNLIMITED = '100000000';
const ENV = {
  RATE_PRINCIPAL: UNLIMITED,
  RATE_TENANT: UNLIMITED,
  RATE_PAGE: UNLIMITED,
};
const QUOTAS = [
  ...['daily_tenant', 'daily_owner', 'daily_route', 'outstanding_tenant', 'outstanding_owner'],
  ...['tenant_per_minute', 'tenant_burst', 'owner_per_minute', 'owner_burst'],
  ...['bundle_daily_tenant', 'bundle_daily_publisher', 'bundle_tenant_per_minute'],
  ...['bundle_tenant_burst', 'bundle_publisher_per_minute', 'bundle_publisher_burst'],
];

/** Every figure of protocol §9.2 that would end a load or a lifecycle. */
const LIFT_QUOTAS = `UPDATE tenant SET quotas = '${JSON.stringify(
  Object.fromEntries(QUOTAS.map((name) => [name, 1_000_000])),
)}'`;

export const neighbours: Scenario = async (args, ends, say) => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      loads: { type: 'string', default: Object.keys(LOADS).join(',') },
      seconds: { type: 'string', default: '8' },
      mode: { type: 'string', default: 'all' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) {
    say(HELP);
    return;
  }
  const seconds = Number(values.seconds);
  const folder = newFolder('bench');
  ends.push(() => rmSync(folder, { recursive: true, force: true }));
  const machine = machineFacts(folder);
  const quietOnes = child('./neighbours/quiet.js', ends);
  const attackers = child('./neighbours/attack.js', ends, { detached: true });
  say(`starting the product, ${values.mode} …`);
  const options = { folder, split: values.mode === 'split', quotas: true, env: ENV };
  const product = await startProduct(options, ends);
  await asOwner(product.databaseUrl, LIFT_QUOTAS);
  const target = await product.targetOf('other');
  const quiet = async (forSeconds: number) => {
    // A tenant's store is full after some 700 requests.
    await asOwner(product.databaseUrl, 'DELETE FROM retained');
    return measured(quietOnes, { target, seconds: forSeconds });
  };
  const { producer, publisher, operator, routes } = product.demo;
  const attacker: Attacker = {
    origin: product.target.origin,
    route: routes.execution,
    reviewRoute: routes.review,
    producer: bearer(producer.token),
    publisher: bearer(publisher.token),
    operator: bearer(operator.token),
    reviewers: product.target.reviewers,
  };
  say('warming up …');
  await quiet(seconds);

  const rows: string[][] = [];
  for (const load of values.loads.split(',')) {
    const before = await quiet(seconds);
    attackers.send({ load, attacker });
    replied(await attackers.next<AttackReply>());
    const during = await quiet(seconds);
    attackers.send({ end: true });
    const reply = replied(await attackers.next<AttackReply>());
    const outcomes: Outcomes = 'outcomes' in reply ? reply.outcomes : {};
    const after = await quiet(seconds);
    rows.push([load, ...figures('reads', before, during, after)]);
    rows.push(['', ...figures('calls', before, during, after)]);
    say(`${load}: ${JSON.stringify(outcomes)}`);
  }

  say('');
  say(
    `${machine.cores} cores, Node ${machine.node}, PostgreSQL ${machine.postgres}, load before ${machine.load}; ` +
      `${values.mode}, ${seconds} s each; a list and the calls of lifecycles, ms; target: a ratio of at most ${TARGET}`,
  );
  const head = ['load', 'of', 'p50 alone', 'p50', 'p99 before', 'p99 after', 'p99', 'ratio'];
  for (const line of table([head, ...rows], ['left', 'left'])) say(line);
};

function figures(
  of: keyof QuietFigures,
  before: QuietFigures,
  during: QuietFigures,
  after: QuietFigures,
): string[] {
  const at = (figure: QuietFigures, which: 'p50' | 'p99') => figure[of]?.[which] ?? NaN;
  const alone = (at(before, 'p99') + at(after, 'p99')) / 2;
  return [
    of,
    digits(at(before, 'p50')),
    digits(at(during, 'p50')),
    digits(at(before, 'p99')),
    digits(at(after, 'p99')),
    digits(at(during, 'p99')),
    digits(at(during, 'p99') / alone),
  ];
}

function child(file: string, ends: Ends, options: ForkOptions = {}): Child {
  const forked = forkChild(file, options);
  ends.push(() => forked.stop());
  return forked;
}

async function measured(quiet: Child, order: QuietOrder): Promise<QuietFigures> {
  quiet.send(order);
  const reply = await quiet.next<QuietReply>();
  if ('error' in reply) throw new Error(`the quiet tenant: ${reply.error}`);
  return reply.figures;
}

function replied(reply: AttackReply): AttackReply {
  if ('error' in reply) throw new Error(`the load: ${reply.error}`);
  return reply;
}

function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}

async function asOwner(databaseUrl: string, statement: string): Promise<void> {
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  await database.query(statement);
  await database.end();
}
