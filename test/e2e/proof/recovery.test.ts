import type pg from 'pg';
import type { SignedRecord } from '@countersign/protocol';
import { personOf, producerOf } from '../../support/client.js';
import type { Client } from '../../support/client.js';
import { runCommand, startInstance } from '../../support/instance.js';
import type { Instance } from '../../support/instance.js';
import {
  authorisedRequest,
  claimInput,
  executionInput,
  reviewInput,
  until,
} from '../../support/requests.js';
import { connectTo, untilChained } from '../../support/truths.js';

interface ChangedEvent {
  readonly request_id: string;
  readonly reason: string;
  readonly revision: number;
  readonly state: Record<string, string>;
}

/**
 * A recovery retires a namespace as the state machine does (protocol §11.9). Deadlines that came before it have their events
 * all the same, which the services sign.
 */
describe('a recovery', () => {
  let instance: Instance;
  let database: pg.Client;
  let producer: Client;
  const ids: Record<string, string> = {};

  async function lifecycleOf(name: string) {
    const { rows } = await database.query(
      'SELECT decision, grant_state, execution, invalidated, revision FROM lifecycle WHERE request_id = $1',
      [ids[name]],
    );
    return rows[0];
  }

  async function lastEventOf(name: string): Promise<ChangedEvent | undefined> {
    const { body } = await producer.get('/v2/events?after=0');
    return (body.items as SignedRecord[])
      .map(({ payload }) => payload as unknown as ChangedEvent)
      .filter(({ request_id }) => request_id === ids[name])
      .at(-1);
  }

  /** The time of a state, with which the deadline's own row does not come yet: no worker is faster than the recovery. */
  async function pass(name: string, ...columns: string[]): Promise<void> {
    const set = columns.map((column) => `${column} = clock_timestamp() - interval '1 second'`);
    await database.query(`UPDATE lifecycle SET ${set.join(', ')} WHERE request_id = $1`, [
      ids[name],
    ]);
  }

  const reach = (name: string, kind: string) =>
    database.query(
      `UPDATE deadline SET due = clock_timestamp() - interval '1 second' WHERE request_id = $1 AND kind = $2`,
      [ids[name], kind],
    );

  beforeAll(async () => {
    instance = await startInstance({ env: { SWEEP_SECONDS: '1' } });
    database = await connectTo(instance);
    const { demo, dataDirectory } = instance;
    producer = producerOf(demo);
    const reviewer = await personOf(demo, dataDirectory, demo.people[1]!.id);
    const create = async (name: string, input: object) => {
      ids[name] = (await producer.post('/v2/requests', input)).body.request.id;
    };
    await create('review', reviewInput(demo));
    await create('review, over', reviewInput(demo));
    await create('execution, over', executionInput(demo));
    await create('execution, material overdue', executionInput(demo));
    for (const name of ['available', 'available, over', 'claimed']) {
      const status = await authorisedRequest(demo, producer, reviewer);
      ids[name] = status.body.request.id;
      if (name !== 'claimed') continue;
      await producer.post(`/v2/requests/${ids[name]}/claims`, claimInput(status));
    }
    await pass('review, over', 'review_deadline');
    await pass('execution, over', 'review_deadline');
    await pass('execution, material overdue', 'review_deadline', 'private_delete_at');
    await pass('available, over', 'grant_deadline');
    const { code } = await runCommand([
      ...['recover', '--tenant', 'demo', '--data', dataDirectory, '--force', '--apply'],
    ]);
    expect(code).toBe(0);
  });
  afterAll(async () => {
    await database?.end();
    await instance?.stop();
  });

  const gone = { invalidated: 'namespace_retired' };

  it.each([
    ['review', { decision: 'cancelled', execution: 'not_applicable', revision: 1, ...gone }],
    ['available', { grant_state: 'revoked', execution: 'uncertain', revision: 3, ...gone }],
    ['claimed', { grant_state: 'consumed', execution: 'uncertain', revision: 4, ...gone }],
  ])('takes away what was not consumed: %s', async (name, row) => {
    expect(await lifecycleOf(name)).toMatchObject(row);
  });

  it.each([
    ['review, over', 'decision_state'],
    ['execution, over', 'decision_state'],
    ['available, over', 'grant_state'],
  ])('shows at once what had run out: %s', async (name, state) => {
    const { body } = await producer.get(`/v2/requests/${ids[name]}`);
    expect(body[state]).toBe('expired');
    expect(await lifecycleOf(name)).toMatchObject(gone);
  });

  it.each([
    ['review, over', 'review', 2, { decision: 'expired', execution: 'not_applicable' }],
    ['execution, over', 'review', 2, { decision: 'expired', execution: 'uncertain' }],
    ['available, over', 'grant', 4, { grant: 'expired', execution: 'uncertain' }],
  ])(
    'leaves the event of what had run out to its worker: %s',
    async (name, kind, revision, state) => {
      await reach(name, kind);
      const event = await until(
        () => lastEventOf(name),
        (last) => last?.reason === 'expiry',
      );
      expect(event).toMatchObject({ revision, state });
      expect(await lifecycleOf(name)).toMatchObject({ revision, ...gone });
    },
  );

  it('marks authority that had ended with its material as such, and deletes the material', async () => {
    const name = 'execution, material overdue';
    expect(await lifecycleOf(name)).toMatchObject({
      invalidated: 'retention',
      grant_state: 'revoked',
    });
    await reach(name, 'private_deletion');
    const event = await until(
      () => lastEventOf(name),
      (last) => last?.reason === 'material_deleted',
    );
    expect(event?.state).toMatchObject({ decision: 'expired', grant: 'revoked' });
  });

  it('is understood from the records that there are', async () => {
    // The receipt says when the grant ends, and this test had moved the row's own time.
    await database.query(
      `UPDATE lifecycle SET grant_deadline = (r.record::jsonb #>> '{payload,grant_deadline}')::timestamptz FROM record r
       WHERE lifecycle.request_id = $1 AND r.id = lifecycle.receipt_id`,
      [ids['available, over']],
    );
    await untilChained(database);
    const { stdout, stderr } = await runCommand(['fsck', '--data', instance.dataDirectory]);
    expect([stdout, stderr]).toEqual([expect.stringMatching(/^CONSISTENT\n/), '']);
  });
});
