import { randomBytes, randomUUID } from 'node:crypto';
import { connect, createInbox } from '@nats-io/transport-node';
import { valueDigest } from '@countersign/protocol';
import { operatorOf, personOf, producerOf } from '../support/client.js';
import type { Answer } from '../support/client.js';
import { claimInput, executionInput, until } from '../support/requests.js';
import type { Cast } from './support/fixture.js';
import { startFleet } from './support/fleet.js';
import type { Fleet, Member } from './support/fleet.js';
import { ROOT } from './support/previous.js';
import { report } from './support/report.js';

const SERVICES = ['request', 'review', 'execution-authority', 'schema', 'ledger'] as const;
const CLIENTS = 8;
/** Of each request: enough that some are under way at any time. */
const ADMISSIONS = 4;
/** Calls that must begin while a replica ends. */
const ENOUGH = 40;

/** Shorter than a silent call is given before it is sent again. */
const WAITING_MS = 250;

/** A rollout, a drained node or a crash takes one replica of several: callers that repeat nothing must not see it. */
describe('a replica that ends under load', () => {
  let fleet: Fleet;
  let cast: Cast;
  let loading = true;
  let load: Promise<unknown>;
  let calls = 0;
  const failed: string[] = [];
  /** When each call under way began. */
  const waiting = new Set<number>();
  const replicas = new Map<string, Member[]>();

  beforeAll(async () => {
    fleet = await startFleet(ROOT);
    const provider = await fleet.launch(ROOT, 'development-provider');
    const others = ['gateway', 'worker-anchor'].map((target) => fleet.launch(ROOT, target));
    for (const target of SERVICES)
      replicas.set(
        target,
        await Promise.all([fleet.launch(ROOT, target), fleet.launch(ROOT, target)]),
      );
    const all = [provider, ...(await Promise.all(others)), ...[...replicas.values()].flat()];
    for (const member of all) await member.serving;
    const demo = await fleet.configure(ROOT);
    const reviewer = await personOf(demo, fleet.dataDirectory, demo.people[1]!.id);
    cast = { demo, producer: producerOf(demo), reviewer, operator: operatorOf(demo) };
    load = Promise.all(Array.from({ length: CLIENTS }, keepCalling));
    load.catch(() => {});
  });
  afterAll(async () => {
    loading = false;
    await load?.catch(() => {});
    await fleet?.stop();
  });

  it.each(SERVICES)('loses no call when it is asked to: %s', async (target) => {
    const [first] = replicas.get(target) as Member[];
    await more();
    await first!.stop();
    await more();
    expect(failed).toEqual([]);
    expect(first!.log()).not.toMatch(/did not stop in time|failed to stop/);
    replicas.set(target, [await relaunch(target), ...replicas.get(target)!.slice(1)]);
  });

  it.each(['request', 'review', 'execution-authority', 'ledger'])(
    'loses no call when it is killed: %s',
    async (target) => {
      const [first] = replicas.get(target) as Member[];
      await more();
      // Calls that it has begun to read when it is killed are certainly lost: it stands still until some calls wait for it.
      first!.signal('SIGSTOP');
      await until(
        async () => [...waiting].filter((begin) => performance.now() - begin > WAITING_MS).length,
        (many) => many >= 2,
        60_000,
      );
      first!.signal('SIGKILL');
      const lost = [...waiting];
      await more();
      await until(
        async () => lost.filter((begin) => waiting.has(begin)),
        (many) => many.length === 0,
        60_000,
      );
      expect(failed).toEqual([]);
      replicas.set(target, [await relaunch(target), ...replicas.get(target)!.slice(1)]);
    },
  );

  it('answers admissions whose first answer was lost on the way', async () => {
    const wire = await connect({ servers: fleet.natsUrl });
    let lost = 0;
    // As a replica that is asked like the others: it has others do the work, and keeps their answers.
    wire.subscribe('countersign.execution-authority.admit', {
      queue: 'execution-authority',
      callback: (_, { subject, data, headers }) => {
        lost += 1;
        wire.publish(subject, data, { ...(headers && { headers }), reply: createInbox() });
      },
    });
    try {
      await until(
        async () => lost,
        (many) => many >= 10,
        60_000,
      );
    } finally {
      await wire.drain();
    }
    const held = [...waiting];
    await until(
      async () => held.filter((begin) => waiting.has(begin)),
      (many) => many.length === 0,
      60_000,
    );
    expect(failed).toEqual([]);
  });

  afterAll(() => report(`leaving: ${calls} calls, ${failed.length} failed`));

  async function relaunch(target: string): Promise<Member> {
    const member = await fleet.launch(ROOT, target);
    await member.serving;
    return member;
  }

  /** Every request has a schema that no process has seen, and every candidate a response. */
  async function keepCalling(): Promise<void> {
    while (loading) {
      const name = `note_${randomUUID().replaceAll('-', '')}`;
      const created = await once(() =>
        cast.producer.post(
          '/v2/requests',
          executionInput(cast.demo, {
            response_schema: {
              type: 'object',
              properties: { [name]: { type: 'string' } },
            },
          }),
        ),
      );
      if (created === null) continue;
      const path = `/v2/requests/${created.body.request.id}`;
      await once(() => cast.producer.get(path));
      await once(() => cast.producer.get('/v2/events?after=0'));
      const candidate = await once(() =>
        cast.reviewer.post(`${path}/candidates`, {
          response: { [name]: 'seen' },
          decision: 'authorise',
        }),
      );
      if (candidate !== null) await execute(path, candidate);
    }
  }

  /** From the confirmation to admissions, which have no key. */
  async function execute(path: string, { body: candidate }: Answer): Promise<void> {
    const { producer, reviewer } = cast;
    const confirmation = {
      candidate_id: candidate.id,
      candidate_digest: valueDigest(candidate),
    };
    if ((await once(() => reviewer.post(`${path}/confirm`, confirmation))) === null) return;
    const status = await until(
      () => once(() => producer.get(path)),
      (answer) => answer === null || answer.body.grant_state === 'available',
      60_000,
    );
    if (status === null) return;
    const asked = claimInput(status);
    const claim = await once(() => producer.post(`${path}/claims`, asked));
    if (claim === null) return;
    const { execution_identity } = asked;
    for (let n = 0; n < ADMISSIONS; n += 1) {
      const nonce = randomBytes(24).toString('base64url');
      const admission = { claim_id: claim.body.payload.id, nonce, execution_identity };
      await once(() => producer.post(`${path}/admission`, admission, { key: null }));
    }
  }

  /** Null when it failed. */
  async function once(call: () => Promise<Answer>): Promise<Answer | null> {
    calls += 1;
    const begin = performance.now();
    waiting.add(begin);
    const answer = await call().finally(() => waiting.delete(begin));
    if (answer.status < 300) return answer;
    const ms = Math.round(performance.now() - begin);
    failed.push(`${answer.status} ${answer.body?.error} after ${ms} ms`);
    return null;
  }

  async function more(): Promise<void> {
    const before = calls;
    await until(
      async () => calls - before,
      (many) => many >= ENOUGH,
      60_000,
    );
  }
});
