import { rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { newFolder } from '../../support/folder.js';
import type { Child } from '../child.js';
import { machineFacts } from '../machine.js';
import { NO_RATES, quotasIn } from '../neighbours/lifted.js';
import { attacked, attackerOf, measured, startChild } from '../neighbours/parties.js';
import type { QuietFigures } from '../neighbours/quiet.js';
import { residentMegabytes } from '../processes.js';
import { startProduct } from '../product.js';
import type { Product } from '../product.js';
import { machineLine } from '../report.js';
import type { Scenario } from '../scenario.js';
import { digits, table } from '../text.js';
import type { Creator, FloodFigures, FloodOrder, FloodReply } from './flood.js';
import { newTenant } from './tenants.js';

const HELP = `npm run bench -- overload [--seconds 8] [--times 10] [--tenants 8] [--mode all|split] [--no-crowds]
  Creations of requests: as many a second as 32 callers of one tenant get answered, and then so many times more, from one tenant
  and from several; what is accepted, what is refused and how soon, and what another tenant's calls take meanwhile. Then crowds:
  5,000 slow connections, 10,000 held calls, 1,000 large bodies. Quotas and rates are lifted. The callers of the load have the
  lowest priority on the machine.`;

/** Callers at the peak: as many as a principal may have at a time (protocol R34). */
const PEAK_CALLERS = 32;
/** Calls of the overload at a time. */
const MOST_CALLS = 2_000;
/** For the crowds beside the others. */
const ROOM = { MAX_CONNECTIONS: '20000' };
/** Between two times that the tenants' stores are emptied: they fill in seconds. */
const EMPTIED_MS = 250;
const CROWDS: Readonly<Record<string, number>> = {
  'slow-sockets': 5_000,
  'held-calls': 10_000,
  'large-bodies': 1_000,
};

export const overload: Scenario = async (args, ends, say) => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seconds: { type: 'string', default: '8' },
      times: { type: 'string', default: '10' },
      tenants: { type: 'string', default: '8' },
      mode: { type: 'string', default: 'all' },
      'no-crowds': { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) {
    say(HELP);
    return;
  }
  const [seconds, times, many] = [values.seconds, values.times, values.tenants].map(Number) as [
    number,
    number,
    number,
  ];
  const folder = newFolder('bench');
  ends.push(() => rmSync(folder, { recursive: true, force: true }));
  const machine = machineFacts(folder);
  const children = {
    quiet: startChild('./neighbours/quiet.js', ends),
    flood: startChild('./overload/flood.js', ends, { detached: true }),
    attack: startChild('./neighbours/attack.js', ends, { detached: true }),
  };
  say(`starting the product, ${values.mode} …`);
  const split = values.mode === 'split';
  const product = await startProduct(
    { folder, split, quotas: true, env: { ...NO_RATES, ...ROOM } },
    ends,
  );
  const { origin, producer, route } = product.target;
  const one: Creator[] = [{ headers: producer, route }];
  const several: Creator[] = [];
  for (let number = 0; number < many; number += 1)
    several.push(await newTenant(product, `tenant-${number}`));
  const target = await product.targetOf('other');
  const quotas = await quotasIn(product.databaseUrl, ends);
  await quotas.lift();
  const emptied = setInterval(() => void quotas.emptyStores().catch(() => {}), EMPTIED_MS);
  ends.push(() => clearInterval(emptied));
  const quiet = () => measured(children.quiet, { target, seconds });
  const flood = (order: Pick<FloodOrder, 'creators' | 'rate' | 'most'>) =>
    flooded(children.flood, { ...order, origin, seconds }, quiet);
  say('warming up …');
  await quiet();
  await flood({ creators: one, rate: null, most: PEAK_CALLERS });

  const alone = await quiet();
  const peak = await flood({ creators: one, rate: null, most: PEAK_CALLERS });
  const rows: string[][] = [row('peak', peak, peak.figures, alone, product)];
  const rate = times * peak.figures.accepted;
  for (const [name, creators] of [
    ['one tenant', one],
    [`${many} tenants`, several],
  ] as const) {
    const over = await flood({ creators, rate, most: MOST_CALLS });
    say(`${name}: ${JSON.stringify(over.figures.outcomes)}`);
    rows.push(row(name, over, peak.figures, alone, product));
  }
  const after = await flood({ creators: one, rate: null, most: PEAK_CALLERS });
  rows.push(row('peak again', after, peak.figures, alone, product));

  const crowds: string[][] = [];
  if (!values['no-crowds'])
    for (const [load, clients] of Object.entries(CROWDS)) {
      const before = await quiet();
      const order = { load, clients, attacker: attackerOf(product) };
      const { during, outcomes } = await attacked(children.attack, order, quiet);
      say(`${load}: ${JSON.stringify(outcomes)}`);
      crowds.push([
        `${clients} ${load}`,
        ...[before, during].flatMap(({ reads, calls }) => [
          digits(reads?.p99 ?? NaN),
          digits(calls?.p99 ?? NaN),
        ]),
        memoryOf(product),
      ]);
    }

  say('');
  say(`${machineLine(machine)}; ${values.mode}, ${seconds} s each, ${times} times the peak`);
  say('Creations a second; p99 in ms; the other tenant: its list and its calls, times alone');
  const head = ['load', 'offered', 'sent', 'accepted', 'of peak', 'p99', 'times peak'];
  const rest = ['refused p99', 'no Retry-After', 'other list', 'other calls', 'MB'];
  for (const line of table([[...head, ...rest], ...rows])) say(line);
  if (crowds.length === 0) return;
  say('');
  const columns = ['crowd', 'list before', 'calls before', 'list', 'calls', 'MB'];
  for (const line of table([columns, ...crowds])) say(line);
};

interface Flooded {
  readonly figures: FloodFigures;
  readonly other: QuietFigures;
}

function row(
  name: string,
  { figures, other }: Flooded,
  peak: FloodFigures,
  alone: QuietFigures,
  product: Product,
): string[] {
  const { offered, sent, accepted, acceptedMs, refusedMs, withoutRetryAfter } = figures;
  const p99 = acceptedMs?.p99 ?? NaN;
  const times = (of: keyof QuietFigures) => (other[of]?.p99 ?? NaN) / (alone[of]?.p99 ?? NaN);
  return [
    name,
    ...[offered, sent, accepted, accepted / peak.accepted].map(digits),
    ...[p99, p99 / (peak.acceptedMs?.p99 ?? NaN), refusedMs?.p99 ?? NaN].map(digits),
    String(withoutRetryAfter),
    ...[times('reads'), times('calls')].map(digits),
    memoryOf(product),
  ];
}

const memoryOf = ({ launcher }: Product): string => residentMegabytes(launcher).toFixed(0);

async function flooded(
  flood: Child,
  order: FloodOrder,
  meanwhile: () => Promise<QuietFigures>,
): Promise<Flooded> {
  flood.send(order);
  checked(await flood.next<FloodReply>());
  const ends = flood.next<FloodReply>();
  const other = await meanwhile();
  const reply = checked(await ends);
  if (!('figures' in reply)) throw new Error('the load answered out of turn');
  return { figures: reply.figures, other };
}

function checked(reply: FloodReply): FloodReply {
  if ('error' in reply) throw new Error(`the load: ${reply.error}`);
  return reply;
}
