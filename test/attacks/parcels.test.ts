import { PostgresParcels } from '@countersign/database';
import type { RoleName } from '@countersign/database';
import { startTestServer } from '../database/server.js';
import type { TestPool, TestServer } from '../database/server.js';

/** Large bodies lie in one table for the time of one hop, private material among them. */
describe('a stolen database role', () => {
  const SERVICES = [
    'gateway',
    'request',
    'review',
    'execution-authority',
    'ledger',
    'notifier',
  ] as const;
  const PRIVATE = 'private material of a request';
  let server: TestServer;
  const pools = new Map<RoleName, TestPool>();
  const poolOf = (role: RoleName) => pools.get(role) as TestPool;
  let parcels: PostgresParcels;
  const taken = async (id: string, taker: RoleName) =>
    Buffer.from(await parcels.take(id, taker)).toString();

  beforeAll(async () => {
    server = await startTestServer();
    const url = await server.migratedDatabase();
    for (const role of [...SERVICES, 'deletion'] as const) pools.set(role, server.pool(url, role));
    parcels = new PostgresParcels(poolOf('gateway'), poolOf);
  });
  afterAll(() => server.stop());

  it.each(
    SERVICES.flatMap((thief) =>
      SERVICES.filter((it) => it !== thief).map((it) => [thief, it] as const),
    ),
  )('%s neither reads nor deletes a body on its way to %s', async (thief, taker) => {
    const id = await parcels.put(PRIVATE, taker);
    expect((await poolOf(thief).query('SELECT id, body FROM parcel')).rows).toEqual([]);
    expect((await poolOf(thief).query('DELETE FROM parcel')).rowCount).toBe(0);
    expect((await poolOf(thief).query('DELETE FROM parcel WHERE id = $1', [id])).rowCount).toBe(0);
    await expect(parcels.take(id, thief)).rejects.toThrow('is not there');
    await expect(poolOf(thief).query('UPDATE parcel SET addressee = current_user')).rejects.toThrow(
      'permission denied',
    );
    expect(await taken(id, taker)).toBe(PRIVATE);
  });

  it('of the deletion worker sweeps bodies and reads none', async () => {
    const id = await parcels.put(PRIVATE, 'request');
    await expect(poolOf('deletion').query('SELECT body FROM parcel')).rejects.toThrow(
      'permission denied',
    );
    expect(
      (await poolOf('deletion').query('DELETE FROM parcel WHERE id = $1', [id])).rowCount,
    ).toBe(1);
  });

  it('is the price of a rollout: bodies that the version before sends name no service, and reach every one', async () => {
    const text = 'INSERT INTO parcel (id, body) VALUES (gen_random_uuid(), $1)';
    await poolOf('gateway').query(text, [Buffer.from(PRIVATE)]);
    const { rows } = await poolOf('review').query<{ id: string }>('SELECT id FROM parcel');
    expect(await taken(rows[0]!.id, 'review')).toBe(PRIVATE);
  });

  it('is no hindrance to a receiver of the version before, which takes by the same statement', async () => {
    const id = await parcels.put(PRIVATE, 'review');
    const text = 'DELETE FROM parcel WHERE id = $1 RETURNING body';
    const { rows } = await poolOf('review').query<{ body: Buffer }>(text, [id]);
    expect(rows[0]?.body.toString()).toBe(PRIVATE);
  });
});
