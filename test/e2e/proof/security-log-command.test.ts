import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SecurityEvent, SecurityPages } from '@countersign/protocol';
import { newFolder } from '../../support/folder.js';
import { runCommand, startInstance } from '../../support/instance.js';
import type { Instance } from '../../support/instance.js';
import { until } from '../../support/requests.js';

// Commands and reads of the database's owner beside the service: `countersign rotate` and `countersign security-log`.

let instance: Instance;
let data: string;

beforeAll(async () => {
  instance = await startInstance({ env: { SECURITY_CHECKPOINT_SECONDS: '1' } });
  data = instance.dataDirectory;
});
afterAll(async () => {
  await instance?.stop();
});

const rotate = (service: string, ...more: readonly string[]) =>
  runCommand(['rotate', 'prepare', service, '--dir', join(data, 'keys'), ...more]);
const trustFile = (): string => join(data, 'trust.json');

/** That log, once `fits` and a checkpoint covers its end. */
async function logOf(
  args: readonly string[],
  fits: (events: readonly SecurityEvent[]) => boolean,
): Promise<SecurityPages> {
  return until(
    async () => {
      const { code, stdout, stderr } = await runCommand(['security-log', ...args, '--data', data]);
      expect([code, stderr]).toEqual([0, '']);
      return JSON.parse(stdout) as SecurityPages;
    },
    (pages) =>
      fits(eventsOf(pages)) &&
      pages.checkpoints.some(({ statement }) =>
        statement.includes(`\n${pages.entries.at(-1)?.sequence}\n`),
      ),
    30_000,
  );
}

const eventsOf = ({ entries }: SecurityPages) =>
  entries.map(({ entry }) => JSON.parse(entry) as SecurityEvent);

async function verdictOf(pages: SecurityPages) {
  const file = join(newFolder('security-log'), 'log.json');
  writeFileSync(file, JSON.stringify(pages));
  const { code, stdout } = await runCommand([
    ...['verify', file, '--trust', trustFile(), '--store', join(data, 'anchor'), '--json'],
  ]);
  return { code, verdict: (JSON.parse(stdout) as { verdict: string }).verdict };
}

it('a rotation of a key is in the log of the installation, which verifies', async () => {
  const trust = join(data, 'trust.json');
  const prepared = await rotate('review', '--trust', trust, '--data', data);
  expect([prepared.code, prepared.stderr]).toEqual([0, '']);
  const [, keyId] = /^(review-\S+) is listed/.exec(prepared.stdout) ?? [];
  const isOf = ({ kind, subject }: SecurityEvent) => kind === 'key.rotated' && subject === keyId;
  const pages = await logOf([], (events) => events.some(isOf));
  expect(pages.security_log.tenant).toBe('');
  expect(eventsOf(pages).find(isOf)).toMatchObject({
    tenant: '',
    source: 'command',
    actor: { kind: 'command' },
    detail: { step: 'prepare', service: 'review', of_messages: false },
  });
  expect(await verdictOf(pages)).toEqual({ code: 0, verdict: 'holds' });
});

it('a step of a key without a place in the manifest is there too', async () => {
  const prepared = await rotate('caller', '--data', data);
  expect([prepared.code, prepared.stderr]).toEqual([0, '']);
  const service = ({ detail }: SecurityEvent) => detail['service'];
  const pages = await logOf([], (events) => events.map(service).includes('caller'));
  expect(eventsOf(pages).map(({ kind }) => kind)).toContain('key.rotated');
  expect(JSON.stringify(pages)).not.toContain('PRIVATE');
});

it('nothing is rotated when the database that is to note it is away', async () => {
  const before = readFileSync(trustFile(), 'utf8');
  const refused = await runCommand(
    ['rotate', 'prepare', 'ledger', '--dir', join(data, 'keys'), '--trust', trustFile()],
    { DATABASE_URL: 'postgres://127.0.0.1:1/nothing' },
  );
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain('does not answer');
  expect(readFileSync(trustFile(), 'utf8')).toBe(before);
});

it('a rotation that nothing can note says so', async () => {
  const trust = join(data, 'trust.json');
  const alone = await runCommand(
    ['rotate', 'prepare', 'notifier', '--dir', join(data, 'keys'), '--trust', trust],
    { DATABASE_URL: '' },
  );
  expect(alone.code).toBe(0);
  expect(alone.stderr).toMatch(/not in the security log/);
});

it('prints the log of a tenant from behind an entry on, and refuses an unknown one', async () => {
  const whole = await logOf(['--tenant', 'demo'], (events) => events.length > 1);
  expect(await verdictOf(whole)).toEqual({ code: 0, verdict: 'holds' });
  const rest = await runCommand([
    ...['security-log', '--tenant', 'demo', '--after', '1', '--data', data],
  ]);
  expect((JSON.parse(rest.stdout) as SecurityPages).entries[0]?.sequence).toBe(2);
  const unknown = await runCommand(['security-log', '--tenant', 'nobody', '--data', data]);
  expect([unknown.code, unknown.stdout]).toEqual([1, '']);
  expect(unknown.stderr).toContain('no security log of nobody');
});
