import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { PostgresParcels } from '@countersign/database';
import { HousekeepingStore } from '@countersign/request';
import { startTestServer } from './server.js';
import type { TestPool, TestServer } from './server.js';

let server: TestServer;
let owner: pg.Pool;
let parcels: PostgresParcels;
let deletion: TestPool;

beforeAll(async () => {
  server = await startTestServer();
  const url = await server.migratedDatabase();
  owner = server.pool(url);
  const request = server.pool(url, 'request', 8);
  parcels = new PostgresParcels(server.pool(url, 'gateway'), () => request);
  deletion = server.pool(url, 'deletion');
});
afterAll(() => server.stop());

const textOf = (bytes: Uint8Array): string => {
  expect(bytes).toBeInstanceOf(Buffer);
  return Buffer.from(bytes).toString();
};

it.each([
  ['nothing', ''],
  ['text beyond ASCII', 'Grüße 👋 \u2028 \u0000 \\x41'],
  ['ten mebibytes', '0123456789abcdef'.repeat(655_360)],
])('hands over %s unchanged', async (_, body) => {
  for (const given of [body, new TextEncoder().encode(body)]) {
    expect(
      textOf(await parcels.take(await parcels.put(given, 'request'), 'request')) === body,
    ).toBe(true);
  }
});

it('hands a body over once', async () => {
  const id = await parcels.put('body', 'request');
  const takes = await Promise.allSettled(
    Array.from({ length: 8 }, () => parcels.take(id, 'request')),
  );
  expect(takes.filter((take) => take.status === 'fulfilled')).toHaveLength(1);
  await expect(parcels.take(id, 'request')).rejects.toThrow('is not there');
});

it('has nothing under an id that was never given', async () => {
  await expect(parcels.take(randomUUID(), 'request')).rejects.toThrow('is not there');
  await expect(parcels.take('no id', 'request')).rejects.toThrow();
});

it('removes bodies that were not taken in time, and no newer ones', async () => {
  const [old, young] = [await parcels.put('old', 'request'), await parcels.put('young', 'request')];
  await owner.query(`UPDATE parcel SET created_at = created_at - interval '1 hour' WHERE id = $1`, [
    old,
  ]);
  const { ofNone } = new HousekeepingStore(deletion).sets();
  expect(await ofNone.find(({ name }) => name === 'parcels')?.clear('', 1000, 0)).toBe(1);
  await expect(parcels.take(old, 'request')).rejects.toThrow('is not there');
  expect(textOf(await parcels.take(young, 'request'))).toBe('young');
});
