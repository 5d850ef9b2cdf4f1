import { rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { newFolder } from '../../support/folder.js';
import { machineFacts } from '../machine.js';
import { startProduct } from '../product.js';
import type { Scenario } from '../scenario.js';
import { digits, table } from '../text.js';
import { NO_RATES, quotasIn } from './lifted.js';
import { LOADS } from './loads.js';
import { attacked, attackerOf, measured, startChild } from './parties.js';
import type { QuietFigures } from './quiet.js';

const HELP = `npm run bench -- neighbours [--loads ${Object.keys(LOADS).join(',')}] [--seconds 8] [--mode all|split]
  What one tenant's calls take while another makes the worst load that its limits of concurrent calls allow; alone before
  and after each load. Rates and quotas are lifted: with them a load lasts for a part of each minute only. The callers of
  the load have the lowest priority on the machine.`;

/** How much longer calls of others may take at most, p99 (docs/performance.md). */
const TARGET = 2;

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
  const quietOnes = startChild('./neighbours/quiet.js', ends);
  const attackers = startChild('./neighbours/attack.js', ends, { detached: true });
  say(`starting the product, ${values.mode} …`);
  const options = { folder, split: values.mode === 'split', quotas: true, env: NO_RATES };
  const product = await startProduct(options, ends);
  const quotas = await quotasIn(product.databaseUrl, ends);
  await quotas.lift();
  const target = await product.targetOf('other');
  const quiet = async (forSeconds: number) => {
    await quotas.emptyStores();
    return measured(quietOnes, { target, seconds: forSeconds });
  };
  const attacker = attackerOf(product);
  say('warming up …');
  await quiet(seconds);

  const rows: string[][] = [];
  for (const load of values.loads.split(',')) {
    const before = await quiet(seconds);
    const { during, outcomes } = await attacked(attackers, { load, attacker }, () =>
      quiet(seconds),
    );
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
