import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import type { Instance } from '../support/instance.js';
import { startInstance } from '../support/instance.js';

/** Another user of the machine that runs `npm start`. */
describe('a local user', () => {
  let instance: Instance;

  beforeAll(async () => {
    instance = await startInstance({
      demo: true,
      env: { SECURITY_CONTACT: 'mailto:security@example.org' },
    });
  });
  afterAll(() => instance?.stop());

  const stores = () =>
    JSON.parse(readFileSync(join(instance.dataDirectory, 'stores.json'), 'utf8')) as {
      urls: { DATABASE_URL: string };
    };

  it('does not enter the database without its password', async () => {
    const url = new URL(stores().urls.DATABASE_URL);
    expect(url.password).not.toBe('');
    for (const password of ['', 'countersign']) {
      url.password = password;
      const client = new pg.Client({ connectionString: url.href });
      await expect(client.connect()).rejects.toThrow(/password/);
      await client.end().catch(() => {});
    }
  });

  it('reads no file of the instance', () => {
    const open: string[] = [];
    const walk = (folder: string): void => {
      for (const entry of readdirSync(folder, { withFileTypes: true })) {
        const path = join(folder, entry.name);
        const { mode } = statSync(path);
        // Through a folder that others may pass, but not enter a private one.
        if (entry.isDirectory() && (mode & 0o005) !== 0) walk(path);
        else if (entry.isFile() && (mode & 0o004) !== 0 && !PUBLIC.includes(entry.name))
          open.push(path);
      }
    };
    walk(instance.dataDirectory);
    expect(open).toEqual([]);
  });

  it('finds where to report a weakness', async () => {
    const answer = await fetch(`${instance.demo.origin}/.well-known/security.txt`);
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(await answer.text()).toMatch(/^Contact: mailto:security@example\.org\nExpires: 20/);
  });
});

/** Files that verifiers get anyway, and numbers of processes. */
const PUBLIC = ['trust.json', 'caller.pub.pem', 'launcher.pid'];
