import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { personOf, producerOf } from '../support/client.js';
import type { Client } from '../support/client.js';
import type { Instance } from '../support/instance.js';
import { startInstance } from '../support/instance.js';
import { decide, until } from '../support/requests.js';
import { TOKEN_VARIABLE, installed } from './support/packed.js';
import type { Installed, Started } from './support/packed.js';

// docs/cli.md, "A command behind a decision": the packed command, against the service.

let instance: Instance;
let cli: Installed;
let reviewer: Client;
let producer: Client;
let count = 0;

beforeAll(async () => {
  instance = await startInstance();
  cli = await installed(instance);
  const { demo, dataDirectory } = instance;
  reviewer = await personOf(demo, dataDirectory, demo.people[1]!.id);
  producer = producerOf(demo);
});
afterAll(async () => {
  cli?.remove();
  await instance?.stop();
});

/** The words of a run that nothing else has the occurrence of. */
function words(...options: readonly string[]): string[] {
  count += 1;
  const occurrence = options.includes('--occurrence') ? [] : ['--occurrence', `test:${count}`];
  return ['run', '--route', instance.demo.routes.execution, ...occurrence, ...options];
}
const file = (name: string) => join(cli.folder, name);
const linesOf = (name: string) =>
  existsSync(file(name)) ? readFileSync(file(name), 'utf8').trim().split('\n') : [];
const statusOf = async (id: string) => (await producer.get(`/v2/requests/${id}`)).body;

async function authorised(started: Started, response: unknown = { note: 'go' }): Promise<string> {
  const id = await started.id();
  await decide(reviewer, id, 'authorise', response);
  return id;
}

it('runs a command that people authorised, once', async () => {
  const script = cli.script('deploy.sh', '#!/bin/sh\necho "deployed $1"\necho x >> deploys\n');
  const args = words('--summary', 'Deploy build 1', '--', script, 'to production');
  const started = cli.start(args);
  const id = await started.id();
  const { body: material } = await reviewer.get(`/v2/requests/${id}/material`);
  expect(material.review_document).toContain('    ./deploy.sh "to production"\n');
  expect(linesOf('deploys')).toEqual([]);
  await decide(reviewer, id, 'authorise', { note: 'go' });
  const { code, stdout } = await started.ended;
  expect([code, stdout]).toEqual([0, 'deployed to production\n']);
  expect((await statusOf(id)).execution_state).toBe('completed');

  const again = await cli.run(args);
  expect([again.code, again.stderr]).toEqual([103, expect.stringContaining('did not run again')]);
  const elsewhere = await cli.run([...args.slice(0, 1), '--journal', 'another', ...args.slice(1)]);
  expect(elsewhere.code).toBe(103);
  expect(linesOf('deploys')).toEqual(['x']);
});

it('does not run what people refuse', async () => {
  const started = cli.start(words('--', 'touch', 'refused'));
  await decide(reviewer, await started.id(), 'refuse', {});
  const { code, stderr } = await started.ended;
  expect([code, stderr]).toEqual([100, expect.stringContaining('did not run')]);
  expect(existsSync(file('refused'))).toBe(false);
});

it.each([
  ['failed_partial', 7, [], 7],
  ['failed', 7, ['--nonzero', 'failed'], 7],
  ['uncertain', 7, ['--nonzero', 'uncertain'], 7],
  ['failed_partial', 200, [], 99],
])('reports as %s that it ended with %s', async (state, ends, options, exits) => {
  const started = cli.start(
    words(...options, '--json', '--', 'sh', '-c', `echo out; exit ${ends}`),
  );
  const id = await authorised(started);
  const { code, stdout, stderr } = await started.ended;
  expect(code).toBe(exits);
  // Its stdout does not mix with the result.
  expect(JSON.parse(stdout)).toMatchObject({
    ...{ request_id: id, ran: true, command_code: ends, exit_code: exits },
  });
  expect(stderr).toContain('out\n');
  expect((await statusOf(id)).execution_state).toBe(state);
});

it('asks the probe when it cannot know', async () => {
  const killed = ['--probe', 'test -e effect', '--', 'sh', '-c', 'touch effect; kill -9 $$'];
  const started = cli.start(words(...killed));
  const id = await authorised(started);
  await started.ended;
  expect((await statusOf(id)).execution_state).toBe('completed');
  const unknown = cli.start(words('--', 'sh', '-c', 'kill -9 $$'));
  const other = await authorised(unknown);
  const { code, stderr } = await unknown.ended;
  expect([code, stderr]).toEqual([102, expect.stringContaining('may have done its work')]);
  expect((await statusOf(other)).execution_state).toBe('uncertain');
});

it('gives the command what it needs, and not the token', async () => {
  const started = cli.start(words('--', 'sh', '-c', 'env > environment'), { OWN: 'kept' });
  const id = await authorised(started, { note: 'mind the step' });
  await started.ended;
  const environment = linesOf('environment');
  expect(environment).toEqual(
    expect.arrayContaining([
      'OWN=kept',
      `COUNTERSIGN_REQUEST=${id}`,
      'COUNTERSIGN_RESPONSE={"note":"mind the step"}',
      expect.stringMatching(/^COUNTERSIGN_KEY=cs1-/),
    ]),
  );
  expect(environment.join('\n')).not.toContain(instance.demo.producer.token);
  expect(environment.some((line) => line.startsWith(TOKEN_VARIABLE))).toBe(false);
});

describe('what people authorised is what runs', () => {
  it('whatever stands at the path of a bound file meanwhile', async () => {
    writeFileSync(file('plan'), 'the approved plan');
    const started = cli.start(words('--bind', 'plan', '--', 'cat', 'plan'));
    const id = await started.id();
    writeFileSync(file('plan'), 'another plan');
    await decide(reviewer, id, 'authorise', {});
    expect(await started.ended).toMatchObject({ code: 0, stdout: 'the approved plan' });
  });

  it('and no program that changed meanwhile', async () => {
    const script = cli.script('changing.sh', '#!/bin/sh\ntouch ran\n');
    const started = cli.start(words('--', script));
    const id = await started.id();
    cli.script('changing.sh', '#!/bin/sh\ntouch ran-otherwise\n');
    await decide(reviewer, id, 'authorise', {});
    const { code, stderr } = await started.ended;
    expect([code, stderr]).toEqual([108, expect.stringContaining('changing.sh changed')]);
    expect([existsSync(file('ran')), existsSync(file('ran-otherwise'))]).toEqual([false, false]);
    expect((await statusOf(id)).execution_state).toBe('failed');
  });

  it('and no other command, file or variable under the same occurrence', async () => {
    writeFileSync(file('bound'), 'one');
    const given = [
      '--occurrence',
      'same',
      '--bind',
      'bound',
      '--bind-env',
      'TARGET',
      '--wait',
      '0s',
    ];
    const first = await cli.run(words(...given, '--', 'cat', 'bound'), { TARGET: 'a' });
    expect(first.code).toBe(106);
    const others = [
      await cli.run(words(...given, '--', 'cat', '-n', 'bound'), { TARGET: 'a' }),
      await cli.run(words(...given, '--', 'cat', 'bound'), { TARGET: 'b' }),
      await cli.run(words(...given, '--', 'cat', 'bound'), { TARGET: 'b' }),
    ];
    writeFileSync(file('bound'), 'two');
    others.push(await cli.run(words(...given, '--', 'cat', 'bound'), { TARGET: 'a' }));
    expect(others.map(({ code }) => code)).toEqual([108, 108, 108, 108]);
  });

  it('in the words that they read, whatever characters are in them', async () => {
    const strange = [
      'a  b',
      '$(id)',
      '`x`',
      "it's",
      'line\nbreak',
      '\u202Ereversed',
      'x\u200By',
      '',
    ];
    const started = cli.start(words('--', 'printf', '<%s>', ...strange));
    const id = await started.id();
    const { body } = await reviewer.get(`/v2/requests/${id}/material`);
    expect(body.review_document).toContain(
      String.raw`"$(id)" "\u{60}x\u{60}" "it's" "line\nbreak" "\u{202e}reversed" "x\u{200b}y" ""`,
    );
    await decide(reviewer, id, 'authorise', {});
    expect((await started.ended).stdout).toBe(strange.map((word) => `<${word}>`).join(''));
  });
});

describe('a process that ends', () => {
  /** A journal with nothing else in it. */
  const journal = (name: string) => ({ COUNTERSIGN_JOURNAL: file(name) });

  it('in its wait is taken up by the next call, or by resume', async () => {
    const own = journal('wait');
    const args = words('--', 'sh', '-c', 'echo x >> resumed');
    const first = cli.start(args, own);
    const id = await first.id();
    first.process.kill('SIGKILL');
    await first.ended;
    expect(await cli.run(['resume'], own)).toMatchObject({
      ...{ code: 106, stderr: expect.stringContaining('waits for a decision') },
    });
    expect(
      await cli.run([...args.slice(0, 1), '--wait', '1s', ...args.slice(1)], own),
    ).toMatchObject({
      code: 106,
    });
    await decide(reviewer, id, 'authorise', {});
    await until(
      () => statusOf(id),
      ({ grant_state }) => grant_state === 'available',
    );
    expect((await cli.run(['resume', '--json'], own)).code).toBe(0);
    expect((await statusOf(id)).execution_state).toBe('completed');
    expect(await cli.run(['resume'], own)).toMatchObject({
      ...{ code: 0, stderr: expect.stringContaining('Nothing is open') },
    });
    expect(linesOf('resumed')).toEqual(['x']);
  });

  it('within the command never starts it again', async () => {
    const own = journal('run');
    const args = words('--window', '2s', '--', 'sh', '-c', 'echo x >> begun; sleep 60');
    const first = cli.start(args, own);
    const id = await authorised(first);
    await until(
      async () => linesOf('begun'),
      (lines) => lines.length === 1,
    );
    first.process.kill('SIGKILL');
    await first.ended;
    expect((await cli.run(['resume'], own)).code).toBe(102);
    expect((await statusOf(id)).execution_state).toBe('uncertain');
    expect((await cli.run(args, own)).code).toBe(102);
    expect(linesOf('begun')).toEqual(['x']);
  });
});

it('does not start a command once a signal asks it to stop', async () => {
  // Copied before the command starts, which takes a moment.
  writeFileSync(file('large'), Buffer.alloc(400 * 2 ** 20));
  const started = cli.start(
    words('--bind', 'large', '--', 'sh', '-c', 'touch begun-late', 'large'),
  );
  const id = await authorised(started);
  await until(
    async () => started.said(),
    (said) => said.includes('It runs now'),
  );
  started.process.kill('SIGTERM');
  const { code, stderr } = await started.ended;
  expect([code, stderr]).toEqual([
    101,
    expect.stringContaining('SIGTERM came before the command started'),
  ]);
  expect(existsSync(file('begun-late'))).toBe(false);
  expect((await statusOf(id)).execution_state).toBe('failed');
});

it('passes signals on, and ends a command whose window is over', async () => {
  const trap = `trap 'echo stopped; exit 3' TERM; echo begun; while :; do sleep 0.05; done`;
  const signalled = cli.start(words('--json', '--', 'sh', '-c', trap));
  await authorised(signalled);
  await until(
    async () => signalled.said(),
    (said) => said.includes('begun'),
  );
  signalled.process.kill('SIGTERM');
  expect(await signalled.ended).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('stopped'),
  });
  const late = cli.start(words('--window', '1s', '--', 'sh', '-c', trap));
  const id = await authorised(late);
  expect(await late.ended).toMatchObject({ stdout: expect.stringContaining('stopped') });
  expect((await statusOf(id)).execution_state).toBe('uncertain');
});

describe('bad input names what is wrong, before anything is asked', () => {
  it.each<[readonly string[], RegExp]>([
    [['--'], /missing required argument/],
    [['--', 'no-such-program'], /no-such-program is not in PATH/],
    [['--', './countersign.json'], /no program that may be run/],
    [['--bind', 'nowhere', '--', 'true'], /--bind nowhere/],
    [['--bind', '.', '--', 'true'], /--bind \.: it is no file/],
    [['--bind-env', 'NOT_SET', '--', 'true'], /--bind-env NOT_SET/],
    [['--occurrence', 'two words', '--', 'true'], /occurrence/],
    [['--window', 'soon', '--', 'true'], /--window/],
    [['--grace', '20s', '--', 'true'], /--grace/],
    [['--nonzero', 'fine', '--', 'true'], /--nonzero/],
    [['--journal', '/dev/null/x', '--', 'true'], /journal/i],
    [['--connection', 'nowhere.json', '--', 'true'], /nowhere\.json/],
  ])('%j', async (options, says) => {
    const { body: before } = await producer.get('/v2/requests');
    const { code, stdout, stderr } = await cli.run(words(...options));
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(says);
    expect((await producer.get('/v2/requests')).body).toEqual(before);
  });

  it('the service’s limit of a route', async () => {
    const { code, stderr } = await cli.run(words('--window', '24h', '--', 'true'));
    expect([code, stderr]).toEqual([2, expect.stringMatching(/execution_seconds|seconds/)]);
  });
});
