import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import type { Instance } from '../support/instance.js';
import { runCommand, startInstance } from '../support/instance.js';

/** The hardening checklist, checked against a real installation. */
describe('countersign doctor', () => {
  let instance: Instance;
  let databaseUrl: string;

  beforeAll(async () => {
    instance = await startInstance({ demo: true });
    const stores = readFileSync(join(instance.dataDirectory, 'stores.json'), 'utf8');
    databaseUrl = (JSON.parse(stores) as { urls: { DATABASE_URL: string } }).urls.DATABASE_URL;
  });
  afterAll(() => instance?.stop());

  it('fails a development instance and names the remedy', async () => {
    const { code, stdout } = await runCommand(['doctor', '--origin', instance.demo.origin]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^fail {2}the origin has TLS\n {6}End TLS at your ingress/m);
    expect(stdout).toMatch(/^fail {2}the service is in production mode/m);
    expect(stdout).toMatch(/^pass {2}calls without a credential are refused/m);
    expect(stdout).toMatch(/^pass {2}each service has a current key named after it/m);
    expect(stdout).toMatch(/^pass {2}metrics of the processes are not public/m);
    expect(stdout).toMatch(/\d+ pass, \d+ warn, \d+ fail\n$/);
  });

  it('finds a login that acts for two services, and prints no password', async () => {
    const check = () => runCommand(['doctor', '--database'], { DATABASE_URL: databaseUrl });
    const owner = new pg.Client({ connectionString: databaseUrl });
    await owner.connect();
    try {
      await owner.query(
        `CREATE ROLE doctor_a LOGIN NOINHERIT IN ROLE countersign_review;
         CREATE ROLE doctor_b LOGIN NOINHERIT IN ROLE countersign_ledger`,
      );
      const apart = await check();
      expect(apart.stdout).toMatch(/^pass {2}each service has a database login of its own/m);
      expect(apart.code).toBe(0);

      await owner.query('GRANT countersign_ledger TO doctor_a; GRANT SELECT ON record TO PUBLIC');
      const mixed = await check();
      expect(mixed.code).toBe(1);
      expect(mixed.stdout).toMatch(
        /^fail {2}each service has a database login.*\n {6}Split doctor_a/m,
      );
      expect(mixed.stdout).toMatch(/^fail {2}the role PUBLIC has no right on any table\n.*record/m);
      expect(mixed.stdout + mixed.stderr).not.toContain(new URL(databaseUrl).password);
    } finally {
      await owner.query('REVOKE ALL ON record FROM PUBLIC; DROP ROLE doctor_a; DROP ROLE doctor_b');
      await owner.end();
    }
  });

  it('reads values of the chart, and names the fault of a file without any', async () => {
    const file = join(instance.dataDirectory, 'values.yaml');
    writeFileSync(file, 'mode: development\n');
    const { code, stdout } = await runCommand(['doctor', '--values', file]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^fail {2}mode is production\n {6}Set mode: production/m);

    writeFileSync(file, '- a list\n');
    const { code: refused, stderr } = await runCommand(['doctor', '--values', file]);
    expect([refused, stderr]).toEqual([1, expect.stringContaining('holds no values')]);
  });
});
