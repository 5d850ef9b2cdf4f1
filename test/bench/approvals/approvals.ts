import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { EXAMPLES, loadTrust, valueDigest, verifyDocument } from '@countersign/protocol';
import type { RoutePolicy } from '@countersign/protocol';
import { DEFAULT_LIMITS } from '@countersign/protocol/constants';
import { logInAs } from '@countersign/tools/demo/person';
import { connect } from '../load/connection.js';
import type { Answer } from '../load/connection.js';
import { figuresOf } from '../load/latencies.js';
import type { StepFigures } from '../load/latencies.js';
import { requestBodies } from '../load/request-body.js';
import { machineFacts } from '../machine.js';
import { startProduct } from '../product.js';
import type { Product } from '../product.js';
import { machineLine } from '../report.js';
import type { Scenario } from '../scenario.js';
import { digits, table } from '../text.js';
import { newFolder } from '../../support/folder.js';
import { identityOf, writeTenants } from '../../support/people.js';

const HELP = `npm run bench -- approvals [--rounds 5] [--requests 40] [--clients 4]
  Votes on requests with twenty seats beside confirmations of requests that one person decides, in turns, all in one process; the
  same confirmations where approvals are not offered; and an export with twenty approvals.`;

const SEATS = 20;
const VOTERS = Array.from({ length: SEATS }, (_, at) => `voter-${at + 1}`);
const PLAIN = { capabilities: '', route: 'one-person' };
const OFFERED = { capabilities: 'proto.approval', route: 'several-people' };

const policy: RoutePolicy = {
  quorum: {
    ...EXAMPLES.RoutePolicy.quorum,
    ...{ distinct_by: 'person', guard: false },
    stages: ['finance', 'platform'].map((group) => ({
      name: group,
      seats: [{ group, count: SEATS / 2 }],
    })),
  },
};

type Headers = Readonly<Record<string, string>>;

interface Timed {
  readonly figures: StepFigures;
  /** Calls a second. */
  readonly rate: number;
}

/** A frozen answer that waits for confirmation or votes. */
interface Frozen {
  readonly path: string;
  readonly body: string;
}

export const approvals: Scenario = async (args, ends, say) => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: 'string', default: '5' },
      requests: { type: 'string', default: '40' },
      clients: { type: 'string', default: '4' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) {
    say(HELP);
    return;
  }
  const [rounds, requests, clients] = [values.rounds, values.requests, values.clients].map(
    Number,
  ) as [number, number, number];
  const folder = newFolder('bench');
  ends.push(() => rmSync(folder, { recursive: true, force: true }));
  const machine = machineFacts(folder);
  const start = async ({ capabilities }: typeof PLAIN) => {
    const place = newFolder('bench');
    ends.push(() => rmSync(place, { recursive: true, force: true }));
    writeTenants(place, VOTERS);
    const env = { CAPABILITIES: capabilities };
    return new Caller(await startProduct({ folder: place, split: false, env }, ends), place);
  };
  say('starting the product twice: with approvals, and without …');
  const [offered, plain] = [await start(OFFERED), await start(PLAIN)];
  await offered.configure(OFFERED.route, policy);
  for (const side of [offered, plain]) await side.configure(PLAIN.route, null);

  const figures: Record<'confirm' | 'vote' | 'unoffered', StepFigures[]> = {
    ...{ confirm: [], vote: [], unoffered: [] },
  };
  const rates: [votes: number, confirmations: number][] = [];
  // The first round warms up.
  for (let round = 0; round <= rounds; round += 1) {
    // Each of the two goes first in half of the rounds.
    const order = round % 2 === 0 ? [plain, offered] : [offered, plain];
    const confirmed = new Map<Caller, Timed>();
    for (const side of order) confirmed.set(side, await side.confirmations(requests * 10, clients));
    const [unoffered, confirm] = [plain, offered].map((side) => confirmed.get(side)) as [
      Timed,
      Timed,
    ];
    const vote = await offered.votes(requests, clients);
    if (round === 0) continue;
    figures.unoffered.push(unoffered.figures);
    figures.confirm.push(confirm.figures);
    figures.vote.push(vote.figures);
    rates.push([vote.rate, confirm.rate]);
    say(
      `round ${round}: ${vote.rate.toFixed(0)} votes/s, ${confirm.rate.toFixed(0)} confirmations/s`,
    );
  }
  const exported = await offered.exports();

  const median = (of: readonly number[]) => of.toSorted((a, b) => a - b)[of.length >> 1] as number;
  const ratio = (one: readonly StepFigures[], other: readonly StepFigures[]) =>
    one.map(({ p50 }, at) => p50 / (other[at] as StepFigures).p50);
  say('');
  say(machineLine(machine));
  const line = (name: string, of: readonly StepFigures[]) => [
    name,
    digits(median(of.map(({ p50 }) => p50))),
    digits(median(of.map(({ p99 }) => p99))),
  ];
  const rows = [
    ['ms', 'p50', 'p99'],
    line('a confirmation', figures.confirm),
    line('a vote, of twenty seats', figures.vote),
    line('a confirmation, approvals not offered', figures.unoffered),
  ];
  for (const row of table(rows)) say(row);
  const range = (of: readonly number[]) =>
    `${median(of).toFixed(2)} (${Math.min(...of).toFixed(2)} to ${Math.max(...of).toFixed(2)})`;
  say(`a vote / a confirmation, p50: ${range(ratio(figures.vote, figures.confirm))}`);
  say(`votes / confirmations a second: ${range(rates.map(([votes, other]) => votes / other))}`);
  const offers = ratio(figures.confirm, figures.unoffered);
  say(`a confirmation with approvals offered / without, p50: ${range(offers)}`);
  for (const each of exported) say(each);
};

/** The people and programs of one running product. */
class Caller {
  readonly #sessions = new Map<string, Promise<Headers>>();

  constructor(
    private readonly product: Product,
    private readonly folder: string,
  ) {}

  #by(id: string): Promise<Headers> {
    const { origin } = this.product.demo;
    const found =
      this.#sessions.get(id) ??
      logInAs(this.folder, id).then(({ cookie, csrf }) => {
        return { cookie, 'x-csrf-token': csrf, origin };
      });
    this.#sessions.set(id, found);
    return found;
  }

  /** A route that all voters review, with a policy or for one person. */
  async configure(route: string, quorum: RoutePolicy | null): Promise<void> {
    const { demo } = this.product;
    const connection = connect(demo.origin);
    const operator = { authorization: `Bearer ${demo.operator.token}` };
    const put = async (path: string, body: object) =>
      okOf(await connection.send('PUT', `/v2/admin/${path}`, operator, JSON.stringify(body)));
    const [owner] = demo.people;
    for (const [at, id] of VOTERS.entries()) {
      const config = { enabled: true, ...identityOf(this.folder, id) };
      await put(`principals/${id}`, { id, kind: 'human', config });
      if (quorum === null) continue;
      const groups = [at < SEATS / 2 ? 'finance' : 'platform'];
      await put(`principals/${id}/membership`, { groups, team: null, same_person_as: null });
    }
    await put(`routes/${route}`, {
      ...{ reviewers: VOTERS, separation_of_duties: true, limits: DEFAULT_LIMITS },
      ...{ required_profiles: {}, allowed_producers: ['producer-1'], modes: ['durable'] },
    });
    await put('principals/producer-1', {
      ...{ id: 'producer-1', kind: 'producer', token: demo.producer.token },
      config: {
        ...{ enabled: true, publisher: 'publisher-1', owner: owner?.id },
        routes: [PLAIN.route, OFFERED.route],
      },
    });
    if (quorum !== null) await put(`routes/${route}/policy`, { policy: quorum });
    connection.close();
  }

  /** Requests on a route, each with a frozen answer of the first voter. */
  async #frozen(route: string, many: number): Promise<Frozen[]> {
    const { origin, producer } = this.product.demo;
    const connection = connect(origin);
    const author = await this.#by(VOTERS[0] as string);
    const asked = { authorization: `Bearer ${producer.token}` };
    const newBody = requestBodies(route);
    const proposal = JSON.stringify({ decision: 'authorise', response: { reason: 'Fine.' } });
    const frozen: Frozen[] = [];
    for (let at = 0; at < many; at += 1) {
      const input = JSON.parse(newBody(`deploy/${randomUUID()}`).body) as { profiles: object };
      if (route === OFFERED.route) {
        input.profiles = { ...input.profiles, 'proto.approval': '1-draft.1' };
      }
      const post = async (path: string, who: Headers, body: string) =>
        okOf(await connection.send('POST', path, { ...who, ...key() }, body));
      const created = await post('/v2/requests', asked, JSON.stringify(input));
      const path = `/v2/requests/${(created['request'] as { id: string }).id}`;
      const candidate = await post(`${path}/candidates`, author, proposal);
      const named = {
        candidate_id: candidate['id'],
        candidate_digest: valueDigest(candidate as never),
      };
      frozen.push({ path, body: JSON.stringify(named) });
    }
    connection.close();
    return frozen;
  }

  async confirmations(many: number, clients: number) {
    const author = await this.#by(VOTERS[0] as string);
    const waiting = await this.#frozen(PLAIN.route, many);
    return this.#timed(waiting, clients, async ({ path, body }, call) =>
      call(`${path}/confirm`, author, body),
    );
  }

  /** All votes of a request one after the other, as its seats fill. */
  async votes(many: number, clients: number) {
    const voters = await Promise.all(VOTERS.map((id) => this.#by(id)));
    const waiting = await this.#frozen(OFFERED.route, many);
    return this.#timed(waiting, clients, async ({ path, body }, call) => {
      for (const voter of voters) await call(`${path}/approvals`, voter, body);
    });
  }

  async #timed(
    waiting: Frozen[],
    clients: number,
    work: (
      frozen: Frozen,
      call: (path: string, who: Headers, body: string) => Promise<void>,
    ) => Promise<void>,
  ): Promise<Timed> {
    const ms: number[] = [];
    const left = [...waiting];
    const began = performance.now();
    await Promise.all(
      Array.from({ length: clients }, async () => {
        const connection = connect(this.product.demo.origin);
        for (let frozen = left.pop(); frozen !== undefined; frozen = left.pop()) {
          await work(frozen, async (path, who, body) => {
            const sent = performance.now();
            okOf(await connection.send('POST', path, { ...who, ...key() }, body));
            ms.push(performance.now() - sent);
          });
        }
        connection.close();
      }),
    );
    const rate = ms.length / ((performance.now() - began) / 1000);
    return { figures: figuresOf(ms, 0) as StepFigures, rate };
  }

  /** Sentences about an export of each kind: its size, and how long it takes to verify. */
  async exports(): Promise<string[]> {
    const { origin, producer } = this.product.demo;
    const trust = loadTrust(JSON.parse(readFileSync(join(this.folder, 'trust.json'), 'utf8')));
    const connection = connect(origin);
    const reads = { authorization: `Bearer ${producer.token}` };
    const kinds = [
      ['one confirmation', PLAIN.route, '/confirm', VOTERS.slice(0, 1)],
      ['twenty approvals', OFFERED.route, '/approvals', VOTERS],
    ] as const;
    const lines: string[] = [];
    for (const [name, route, step, people] of kinds) {
      const [frozen] = (await this.#frozen(route, 1)) as [Frozen];
      for (const id of people) {
        const who = { ...(await this.#by(id)), ...key() };
        okOf(await connection.send('POST', frozen.path + step, who, frozen.body));
      }
      for (;;) {
        const status = okOf(await connection.send('GET', frozen.path, reads));
        if (status['audit_state'] === 'anchored') break;
      }
      const { text } = await connection.send('GET', `${frozen.path}/export`, reads);
      const times = Array.from({ length: 21 }, () => {
        const began = performance.now();
        const { checks } = verifyDocument(text, trust);
        if (checks.some(({ status }) => status === 'fails'))
          throw new Error(`the export with ${name} does not verify`);
        return performance.now() - began;
      });
      const median = times.toSorted((a, b) => a - b)[10] as number;
      lines.push(
        `an export with ${name}: ${(text.length / 1024).toFixed(1)} KiB, verified in ${digits(median)} ms`,
      );
    }
    connection.close();
    return lines;
  }
}

const key = () => ({ 'idempotency-key': randomUUID() });

function okOf({ status, text }: Answer): Record<string, unknown> {
  if (status !== 200 && status !== 201) throw new Error(`answered ${status}: ${text}`);
  return JSON.parse(text) as Record<string, unknown>;
}
