import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { drift } from './drift.js';
import { startTestServer } from './server.js';
import type { TestServer } from './server.js';

const SCHEMA = join(import.meta.dirname, '../../packages/database/prisma/schema.prisma');

let server: TestServer;
let url: string;
const folder = mkdtempSync(join(tmpdir(), 'countersign-drift-'));

beforeAll(async () => {
  server = await startTestServer();
  url = await server.migratedDatabase();
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await server.stop();
});

it('schema.prisma and the migrations say the same', async () => {
  expect(await drift(server.pool(url))).toEqual([]);
});

it('reports a change that only a migration made', async () => {
  const changed = server.pool(await server.migratedDatabase());
  await changed.query(`
    ALTER TABLE nonce ADD COLUMN planted text;
    ALTER TABLE request ALTER COLUMN summary DROP NOT NULL;
    ALTER TABLE candidate ALTER COLUMN live DROP DEFAULT;
    ALTER TABLE session ALTER COLUMN csrf TYPE varchar(43);
    CREATE TABLE planted (id uuid);
    DROP INDEX deadline_due; CREATE INDEX deadline_due ON deadline (due);
    DROP INDEX incident_newest; CREATE INDEX incident_newest ON incident (tenant, created_at);
    ALTER TABLE route_reviewer DROP CONSTRAINT route_reviewer_tenant_route_fkey`);
  expect(await drift(changed)).toEqual([
    'migrations only: candidate: column live boolean not null',
    'migrations only: deadline: index deadline_due (due)',
    'migrations only: incident: index incident_newest (tenant, created_at)',
    'migrations only: nonce: column planted text',
    'migrations only: planted: column id uuid',
    'migrations only: request: column summary text',
    'migrations only: session: column csrf character varying(43) not null',
    'schema.prisma only: candidate: column live boolean not null default true',
    'schema.prisma only: deadline: index deadline_due (due) where (done_at IS NULL)',
    'schema.prisma only: incident: index incident_newest (tenant, created_at desc)',
    'schema.prisma only: request: column summary text not null',
    'schema.prisma only: route_reviewer: foreign key (tenant, route) references route (tenant, id)',
    'schema.prisma only: session: column csrf text not null',
  ]);
});

it('reports a change that only schema.prisma made', async () => {
  const changed = join(folder, 'schema.prisma');
  const text = readFileSync(SCHEMA, 'utf8');
  writeFileSync(changed, text.replace('model Nonce {', 'model Nonce {\n  planted String?\n'));
  expect(await drift(server.pool(url), changed)).toEqual([
    'schema.prisma only: nonce: column planted text',
  ]);
});
