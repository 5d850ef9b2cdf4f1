import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { drift } from '@countersign/database';
import { startTestServer } from './server.js';
import type { TestServer } from './server.js';

const SCHEMA = join(import.meta.dirname, '../../packages/database/prisma/schema.prisma');

let server: TestServer;
let url: string;

beforeAll(async () => {
  server = await startTestServer();
  url = await server.migratedDatabase();
}, 30_000);
afterAll(() => server.stop());

it('schema.prisma and the migrations say the same', async () => {
  expect(await drift(server.pool(url))).toEqual([]);
}, 20_000);

it.each([
  ['ALTER TABLE nonce ADD COLUMN planted text', ['migrations only: nonce: column planted text']],
  [
    'ALTER TABLE request ALTER COLUMN summary DROP NOT NULL',
    [
      'migrations only: request: column summary text',
      'schema.prisma only: request: column summary text not null',
    ],
  ],
  ['CREATE TABLE planted (id uuid)', ['migrations only: planted: column id uuid']],
  [
    `DROP INDEX deadline_due; CREATE INDEX deadline_due ON deadline (due)`,
    [
      'migrations only: deadline: index deadline_due (due)',
      'schema.prisma only: deadline: index deadline_due (due) where (done_at IS NULL)',
    ],
  ],
  [
    `DROP INDEX incident_newest; CREATE INDEX incident_newest ON incident (tenant, created_at)`,
    [
      'migrations only: incident: index incident_newest (tenant, created_at)',
      'schema.prisma only: incident: index incident_newest (tenant, created_at desc)',
    ],
  ],
  [
    'ALTER TABLE route_reviewer DROP CONSTRAINT route_reviewer_tenant_route_fkey',
    [
      'schema.prisma only: route_reviewer: foreign key (tenant, route) references route (tenant, id)',
    ],
  ],
])(
  'tells what only a migration changed: %s',
  async (sql, expected) => {
    const changed = await server.migratedDatabase();
    await server.pool(changed).query(sql);
    expect(await drift(server.pool(changed))).toEqual(expected);
  },
  20_000,
);

it('tells what only schema.prisma changed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-drift-'));
  const changed = join(folder, 'schema.prisma');
  const text = readFileSync(SCHEMA, 'utf8');
  writeFileSync(changed, text.replace('model Nonce {', 'model Nonce {\n  planted String?\n'));
  expect(await drift(server.pool(url), changed)).toEqual([
    'schema.prisma only: nonce: column planted text',
  ]);
  rmSync(folder, { recursive: true });
}, 20_000);
