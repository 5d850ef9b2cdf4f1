import { execFile } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { OPERATIONS } from '@countersign/protocol';
import type pg from 'pg';
import { Client, operatorOf } from '../support/client.js';
import type { Instance } from '../support/instance.js';
import { startInstance } from '../support/instance.js';
import { newToken } from '../support/people.js';
import { until } from '../support/requests.js';
import { connectTo } from '../support/truths.js';

// The handling of an operator's token that leaked (protocol R42): it can be replaced without an interruption, end by
// itself, and be made for the metrics alone, so that Prometheus holds nothing that is worth stealing.

let instance: Instance;
let database: pg.Client;

beforeAll(async () => {
  instance = await startInstance();
  database = await connectTo(instance);
});
afterAll(async () => {
  await database?.end();
  await instance?.stop();
});

interface Printed {
  readonly id: string;
  readonly scope: string;
  readonly enabled: boolean;
  readonly expires_at: string | null;
  readonly former_token: { valid_until: string | null } | null;
  readonly token?: string;
}

async function countersign(...args: string[]): Promise<Printed[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    resolve(__dirname, '../../deploy/countersign.mjs'),
    ...['operator', ...args, '--tenant', instance.demo.tenant, '--data', instance.dataDirectory],
  ]);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Printed);
}

async function one(...args: string[]): Promise<Printed & { token: string }> {
  const [printed] = await countersign(...args);
  return printed as Printed & { token: string };
}

const refusalOf = (...args: string[]) =>
  countersign(...args).then(
    () => null,
    (error: { stderr: string }) => error.stderr.trim(),
  );

const by = (token: string) => new Client(instance.demo.origin, { token });
const operates = async (token: string) => (await by(token).get('/v2/admin/ledger')).status;
const ends = (token: string) =>
  until(
    () => operates(token),
    (status) => status === 401,
  );

it('an operator gets another token without an interruption, and the leaked one ends', async () => {
  const first = await one('add', '--id', 'olive');
  expect(await operates(first.token)).toBe(200);
  const second = await one('rotate', '--id', 'olive');
  expect([await operates(first.token), await operates(second.token)]).toEqual([200, 200]);
  expect(second.former_token).toEqual({ valid_until: null });
  expect(await refusalOf('rotate', '--id', 'olive')).toContain('--retire');

  const retired = await one('rotate', '--id', 'olive', '--retire');
  expect([retired.former_token, retired.token]).toEqual([null, undefined]);
  expect([await operates(first.token), await operates(second.token)]).toEqual([401, 200]);
  await ends(first.token);

  const third = await one('rotate', '--id', 'olive', '--keep', '1s');
  await ends(second.token);
  expect(await operates(third.token)).toBe(200);
  const fourth = await one('rotate', '--id', 'olive', '--keep', '1h');
  expect([await operates(third.token), await operates(fourth.token)]).toEqual([200, 200]);
});

it('the operator of bootstrap can be rotated and switched off', async () => {
  const { id, token } = instance.demo.other.operator;
  const args = ['--id', id, '--tenant', instance.demo.other.tenant];
  const run = (...more: string[]) =>
    promisify(execFile)(process.execPath, [
      resolve(__dirname, '../../deploy/countersign.mjs'),
      ...['operator', ...more, ...args, '--data', instance.dataDirectory],
    ]).then(({ stdout }) => JSON.parse(stdout) as Printed);
  expect(await operates(token)).toBe(200);
  const second = (await run('rotate')).token ?? '';
  const disabled = await run('disable');
  expect([disabled.enabled, disabled.former_token]).toEqual([false, null]);
  expect([await operates(token), await operates(second)]).toEqual([401, 401]);
  await expect(run('rotate')).rejects.toMatchObject({
    stderr: expect.stringContaining('disabled'),
  });
});

it('a token ends by the database’s clock', async () => {
  const { token, expires_at } = await one('add', '--id', 'passing', '--expires', '90d');
  expect(Date.parse(expires_at ?? '') - Date.now()).toBeGreaterThan(89 * 86_400_000);
  expect(await operates(token)).toBe(200);
  await database.query(
    `UPDATE credential SET expires_at = clock_timestamp() WHERE principal = 'passing'`,
  );
  await ends(token);
});

describe('a token for metrics', () => {
  let monitor: Client;
  beforeAll(async () => {
    const { token, scope } = await one('add', '--id', 'prometheus', '--scope', 'metrics');
    expect(scope).toBe('metrics');
    monitor = by(token);
  });

  it('reads the figures', async () => {
    const text = await monitor.get('/v2/admin/metrics.prom');
    expect([text.status, text.text]).toEqual([200, expect.stringContaining('# HELP proto_')]);
    expect((await monitor.get('/v2/admin/metrics')).status).toBe(200);
  });

  const others = OPERATIONS.filter(
    ({ path, number }) => path.startsWith('/v2/') && number !== 28 && number !== 29,
  );
  it.each(others.map(({ method, path, name }) => ({ method, path, name })))(
    'may not do $name',
    async ({ method, path }) => {
      const body = method === 'GET' ? undefined : {};
      const answer = await monitor.call(
        method,
        path.replace('{id}', newToken().slice(0, 36)),
        body,
        {},
      );
      expect([answer.status, answer.body.error]).toEqual([403, 'operator_required']);
    },
  );

  it('opens no page of people and no log', async () => {
    for (const path of ['/inbox', '/operator', '/operator/data/routes', '/auth/session']) {
      const headers = { accept: 'application/json' };
      const answer = await monitor.get(path, { headers, undescribed: true });
      expect([path, answer.status]).toEqual([path, 403]);
    }
  });

  it('cannot be made, changed or taken over by request.configure-principal', async () => {
    const operator = operatorOf(instance.demo);
    const put = (kind: string, token?: string) =>
      operator.put('/v2/admin/principals/prometheus', {
        ...{ id: 'prometheus', kind, config: { enabled: true } },
        ...(token === undefined ? {} : { token }),
      });
    expect((await put('monitor')).body.error).toBe('invalid_principal');
    expect((await put('publisher', newToken())).body.error).toBe('principal_kind_immutable');
    expect((await monitor.get('/v2/admin/metrics')).status).toBe(200);
  });
});

describe('the command', () => {
  it('lists operators without their tokens', async () => {
    const listed = await countersign('list');
    expect(listed.map(({ id }) => id)).toContain(instance.demo.operator.id);
    expect(listed.find(({ id }) => id === 'prometheus')?.scope).toBe('metrics');
    expect(listed.every((line) => !('token' in line))).toBe(true);
  });

  it('takes a token from a file, never from an argument, and does not print it', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'countersign-token-')), 'token');
    const token = newToken();
    writeFileSync(file, `${token}\n`, { mode: 0o600 });
    const made = await one('add', '--id', 'from-file', '--token-file', file);
    expect(made.token).toBeUndefined();
    expect(await operates(token)).toBe(200);
    expect(await refusalOf('add', '--id', 'twice', '--token-file', file)).toContain('used already');
    writeFileSync(file, 'a'.repeat(64));
    expect(await refusalOf('add', '--id', 'weak', '--token-file', file)).toContain(
      'repeats itself',
    );
    expect(await refusalOf('add', '--id', 'x', '--token', token)).toContain('unknown option');
  });

  it('names the fault', async () => {
    const said = await Promise.all([
      refusalOf('add', '--id', 'olive'),
      refusalOf('rotate', '--id', 'producer-1'),
      refusalOf('rotate', '--id', 'olive', '--keep', '2'),
      refusalOf('rotate', '--id', 'olive', '--retire', '--keep', '2h'),
    ]);
    const why = ['already', 'no operator producer-1', 'such as', 'cannot be used'];
    expect(said).toEqual(why.map((words) => expect.stringContaining(words)));
  });
});
