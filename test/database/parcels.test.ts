import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { PostgresParcels, sweepParcels } from '@countersign/database';
import { startTestServer } from './server.js';
import type { TestServer } from './server.js';

let server: TestServer;
let owner: pg.Pool;
let gateway: PostgresParcels;
let request: PostgresParcels;
let deletion: pg.Pool;

beforeAll(async () => {
  server = await startTestServer();
  const url = await server.migratedDatabase();
  owner = server.pool(url);
  gateway = new PostgresParcels(server.pool(url, 'gateway'));
  request = new PostgresParcels(server.pool(url, 'request', 8));
  deletion = server.pool(url, 'deletion');
}, 30_000);
afterAll(() => server.stop());

it.each([
  ['nothing', ''],
  ['text beyond ASCII', 'Grüße 👋 \u2028 \u0000 \\x41'],
  ['ten mebibytes', '0123456789abcdef'.repeat(655_360)],
])('hands over %s unchanged', async (_, body) => {
  expect((await request.take(await gateway.put(body))) === body).toBe(true);
});

it('hands a body over once', async () => {
  const id = await gateway.put('body');
  const takes = await Promise.allSettled(Array.from({ length: 8 }, () => request.take(id)));
  expect(takes.filter((take) => take.status === 'fulfilled')).toHaveLength(1);
  await expect(request.take(id)).rejects.toThrow('is not there');
});

it('has nothing under an id that was never given', async () => {
  await expect(request.take(randomUUID())).rejects.toThrow('is not there');
  await expect(request.take('no id')).rejects.toThrow();
});

it('sweeps what nobody took in time, and nothing younger', async () => {
  const [old, young] = [await gateway.put('old'), await gateway.put('young')];
  await owner.query(`UPDATE parcel SET created_at = created_at - interval '1 hour' WHERE id = $1`, [
    old,
  ]);
  expect(await sweepParcels(deletion, 60_000)).toBe(1);
  await expect(request.take(old)).rejects.toThrow('is not there');
  expect(await request.take(young)).toBe('young');
});
