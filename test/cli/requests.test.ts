import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { personOf } from '../support/client.js';
import type { Client } from '../support/client.js';
import type { Instance } from '../support/instance.js';
import { startInstance } from '../support/instance.js';
import { decide } from '../support/requests.js';
import { installed } from './support/packed.js';
import type { Installed } from './support/packed.js';

// docs/cli.md: the packed command, against the service; all but `run` and `resume`.

let instance: Instance;
let cli: Installed;
let reviewer: Client;
let ask: readonly string[];

beforeAll(async () => {
  instance = await startInstance();
  cli = await installed(instance);
  const { demo, dataDirectory } = instance;
  reviewer = await personOf(demo, dataDirectory, demo.people[1]!.id);
  writeFileSync(join(cli.folder, 'question.md'), '# May this go out?\n\nHello.\n');
  ask = ['ask', '--route', demo.routes.review, '--summary', 'May it?', '--document', 'question.md'];
});
afterAll(async () => {
  cli?.remove();
  await instance?.stop();
});

describe('ask', () => {
  it('prints the id and the link at once, and the answer when it is there', async () => {
    const started = cli.start(ask);
    const id = await started.id();
    expect(started.said()).toContain(`${instance.demo.origin}/review/${id}`);
    await decide(reviewer, id, 'approve', { note: 'Fine.' });
    const { code, stdout, stderr } = await started.ended;
    expect([code, JSON.parse(stdout)]).toEqual([0, { note: 'Fine.' }]);
    // No terminal: no colour, and no line that moves.
    // eslint-disable-next-line no-control-regex
    expect(stderr).not.toMatch(/[\u001B\r]/);
  });

  it('exits with 100 for a no, and tells programs all', async () => {
    const started = cli.start([...ask, '--json']);
    const id = await started.id();
    await decide(reviewer, id, 'reject', { note: 'No.' });
    const { code, stdout } = await started.ended;
    expect(code).toBe(100);
    expect(JSON.parse(stdout)).toMatchObject({
      ...{ request_id: id, decision: 'reject', reviewer: instance.demo.people[1]!.id },
      ...{ response: { note: 'No.' }, exit_code: 100, decision_state: 'confirmed' },
    });
  });

  it('only asks with --wait 0s, once for each key, and `wait` finds the decision', async () => {
    const args = [...ask, '--wait', '0s', '--key', 'job-1', '--json'];
    const [first, second] = [await cli.run(args), await cli.run(args)];
    expect([first.code, second.code]).toEqual([106, 106]);
    const [{ request_id: id }, again] = [JSON.parse(first.stdout), JSON.parse(second.stdout)];
    expect(again.request_id).toBe(id);
    const other = await cli.run([...args, '--summary', 'Another question']);
    expect([other.code, other.stderr]).toEqual([
      108,
      expect.stringContaining('idempotency_conflict'),
    ]);
    const late = await cli.run(['wait', id, '--wait', '1s']);
    expect([late.code, late.stderr]).toEqual([106, expect.stringContaining('Still open')]);
    await decide(reviewer, id, 'approve', {});
    expect((await cli.run(['wait', id])).code).toBe(0);
    const status = await cli.run(['status', id]);
    expect([status.code, status.stdout]).toEqual([0, expect.stringContaining('Approved by')]);
  });

  it('stays open when it is interrupted', async () => {
    const started = cli.start(ask);
    const id = await started.id();
    started.process.kill('SIGINT');
    const { code, stderr } = await started.ended;
    expect([code, stderr]).toEqual([106, expect.stringContaining(`countersign wait ${id}`)]);
  });

  it('shows on a terminal that it waits', async () => {
    const line = [cli.program, ...ask, '--wait', '2s']
      .map((word) => `'${word.replaceAll("'", "'\\''")}'`)
      .join(' ');
    const { stdout: text } = spawnSync('script', ['-qec', line, '/dev/null'], {
      ...{ cwd: cli.folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
      env: {
        ...{ PATH: process.env['PATH'], HOME: cli.folder, TERM: 'xterm' },
        TOKEN_OF_THE_PRODUCER: instance.demo.producer.token,
      },
    });
    expect(text).toContain('\u001B[1mhttp');
    // The line is written over whenever the machine has time for it.
    expect(text).toContain('\r\u001B[2KWaiting for a decision ');
  });
});

it('withdraws a request, which lapses for those who wait', async () => {
  const { stdout } = await cli.run([...ask, '--wait', '0s', '--json']);
  const { request_id: id } = JSON.parse(stdout);
  expect((await cli.run(['cancel', id])).code).toBe(0);
  const waited = await cli.run(['wait', id]);
  expect([waited.code, waited.stderr]).toEqual([101, expect.stringContaining('cancelled')]);
});

it('exports the evidence, and verifies it without a network', async () => {
  const started = cli.start(ask);
  const id = await started.id();
  await decide(reviewer, id, 'approve', {});
  await started.ended;
  await cli.run(['wait', id, '--for', 'settled']);
  const { stdout } = await cli.run(['export', id]);
  writeFileSync(join(cli.folder, 'export.json'), stdout);
  const store = ['--store', join(instance.dataDirectory, 'anchor')];
  const alone = await cli.run(['verify', 'export.json']);
  expect([alone.code, alone.stdout]).toEqual([3, expect.stringMatching(/incomplete/i)]);
  const whole = await cli.run(['verify', 'export.json', ...store, '--json']);
  expect([whole.code, JSON.parse(whole.stdout).verdict]).toEqual([0, 'holds']);
  writeFileSync(join(cli.folder, 'forged.json'), stdout.replace('May it?', 'May we?'));
  expect((await cli.run(['verify', 'forged.json', ...store])).code).toBe(1);
  expect((await cli.run(['verify', 'countersign.json'])).code).toBe(2);
});

describe('bad input names what is wrong and the remedy, before anything is asked', () => {
  const connection = (changes: object) => {
    const path = join(cli.folder, 'changed.json');
    const whole = JSON.parse(readFileSync(join(cli.folder, 'countersign.json'), 'utf8'));
    writeFileSync(path, JSON.stringify({ ...whole, ...changes }));
    return ['--connection', path];
  };
  const asked = async () => {
    const { demo } = instance;
    const { body } = await reviewer.get(`/v2/requests?route=${demo.routes.review}`);
    return body;
  };
  /** A manifest of the same issuer with a key of somebody else. */
  const foreignTrust = () => {
    const { trust } = JSON.parse(readFileSync(join(cli.folder, 'countersign.json'), 'utf8'));
    const [first] = trust.keys;
    return { trust: { ...trust, keys: [{ ...first, key_id: 'review-of-another-one' }] } };
  };

  it.each<[string, number, (() => readonly string[]) | readonly string[], RegExp]>([
    [
      'a connection file',
      2,
      ['--connection', 'nowhere.json'],
      /nowhere\.json.*countersign connection/,
    ],
    ['an origin', 2, () => connection({ origin: 'http://review.example' }), /origin.*https/],
    [
      'a service that is away',
      105,
      () =>
        connection({
          origin: 'http://127.0.0.1:1',
          trust: {
            ...JSON.parse(readFileSync(join(cli.folder, 'countersign.json'), 'utf8')).trust,
            issuer: 'http://127.0.0.1:1',
          },
        }),
      /cannot be reached.*origin/,
    ],
    ['a manifest of another service', 2, () => connection(foreignTrust()), /trust.*fingerprint/],
    ['no manifest', 2, () => connection({ trust: {} }), /trust/],
    [
      'a variable without a token',
      2,
      () => connection({ token_env: 'NOT_SET' }),
      /token_env.*NOT_SET/,
    ],
    ['a document', 2, ['--document', 'nowhere.md'], /--document nowhere\.md.*no such file/],
    ['a schema', 2, ['--schema', 'question.md'], /--schema question\.md.*no JSON/],
    ['a time', 2, ['--wait', 'long'], /--wait.*4h/],
    ['an option', 2, ['--colour'], /unknown option '--colour'/],
  ])('%s', async (_, code, changes, says) => {
    const before = await asked();
    const args = typeof changes === 'function' ? changes() : changes;
    const result = await cli.run([...ask, ...args]);
    expect([result.code, result.stdout]).toEqual([code, '']);
    expect(result.stderr).toMatch(says);
    expect(await asked()).toEqual(before);
  });

  it('a wrong token, whose value it never prints', async () => {
    const result = await cli.run(ask, { TOKEN_OF_THE_PRODUCER: 'wrong-token' });
    expect([result.code, result.stderr]).toEqual([2, expect.stringContaining('token_env')]);
    expect(result.stderr).not.toContain('wrong-token');
  });

  it('an unknown id', async () => {
    const result = await cli.run(['status', '00000000-0000-4000-8000-000000000000']);
    expect([result.code, result.stderr]).toEqual([2, expect.stringContaining('check the id')]);
  });

  it('a command of operators', async () => {
    const result = await cli.run(['connection', '--producer', 'x']);
    expect([result.code, result.stderr]).toEqual([2, expect.stringContaining('operators')]);
  });
});
