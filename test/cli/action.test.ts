import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { personOf } from '../support/client.js';
import type { Client } from '../support/client.js';
import type { Instance } from '../support/instance.js';
import { startInstance } from '../support/instance.js';
import { decide, until } from '../support/requests.js';
import { installed } from './support/packed.js';
import type { Installed } from './support/packed.js';

// The steps of action/action.yml, run as a runner of GitHub does, and the pipeline of examples/deploy.

const ROOT = resolve(__dirname, '../..');
const ACTION = join(ROOT, 'action');

interface Step {
  readonly shell: string;
  readonly run: string;
  readonly env: Readonly<Record<string, string>>;
}
const { inputs, outputs, runs } = parse(readFileSync(join(ACTION, 'action.yml'), 'utf8')) as {
  readonly inputs: Readonly<Record<string, { default?: string; required?: boolean }>>;
  readonly outputs: Readonly<Record<string, { value: string }>>;
  readonly runs: { readonly using: string; readonly steps: readonly Step[] };
};

let instance: Instance;
let cli: Installed;
let reviewer: Client;
let runner: string;

beforeAll(async () => {
  instance = await startInstance();
  cli = await installed(instance);
  runner = join(cli.folder, 'runner');
  mkdirSync(runner);
  const { demo, dataDirectory } = instance;
  reviewer = await personOf(demo, dataDirectory, demo.people[1]!.id);
});
afterAll(async () => {
  cli?.remove();
  await instance?.stop();
});

let jobs = 0;

/** Runs the action's step with those inputs, in a job of its own. */
function job(given: Readonly<Record<string, string>>) {
  jobs += 1;
  const [step] = runs.steps as readonly [Step];
  const summary = join(runner, `summary-${jobs}`);
  const output = join(runner, `output-${jobs}`);
  for (const file of [summary, output]) writeFileSync(file, '');
  const values = {
    token: instance.demo.producer.token,
    route: instance.demo.routes.execution,
    ...given,
  } as Readonly<Record<string, string>>;
  const valueOf = (name: string) => {
    const { default: usual, required } = inputs[name]!;
    if (required === true && values[name] === undefined) throw new Error(`no input ${name}`);
    return values[name] ?? usual ?? '';
  };
  const env = Object.fromEntries(
    Object.entries(step.env).map(([variable, text]) => [
      variable,
      text.replaceAll(/\$\{\{ inputs\.([\w-]+) \}\}/g, (_, name: string) => valueOf(name)),
    ]),
  );
  expect([runs.using, step.shell]).toEqual(['composite', 'bash']);
  const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', step.run], {
    cwd: cli.folder,
    env: {
      ...{ PATH: process.env['PATH'], HOME: cli.folder, RUNNER_TEMP: runner },
      ...{ GITHUB_ACTION_PATH: ACTION, GITHUB_STEP_SUMMARY: summary, GITHUB_OUTPUT: output },
      COUNTERSIGN_CLI: cli.program,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  child.stdout.on('data', (chunk: Buffer) => (log += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()));
  const code = new Promise<number | null>((settle) => child.once('close', settle));
  return {
    log: () => log,
    summary: () => readFileSync(summary, 'utf8'),
    async id() {
      const text = await until(
        async () => readFileSync(summary, 'utf8'),
        (said) => said.includes('/review/'),
      );
      return /\/review\/([\w-]+)/.exec(text)![1]!;
    },
    async ended() {
      const lines = { code: await code, ...{} };
      const written = readFileSync(output, 'utf8').trim().split('\n');
      const found = Object.fromEntries(
        written.map((line) => [
          line.slice(0, line.indexOf('=')),
          line.slice(line.indexOf('=') + 1),
        ]),
      );
      expect(Object.keys(found).sort()).toEqual(Object.keys(outputs).sort());
      return { ...lines, outputs: found };
    },
  };
}

it('runs the command once people authorised it, with the link in the summary before', async () => {
  const {
    log,
    id: idOf,
    ended,
    summary,
  } = job({
    occurrence: 'action:1',
    summary: 'Deploy from a job',
    command: 'echo "from the job"\nenv > env-of-job',
  });
  const id = await idOf();
  await decide(reviewer, id, 'authorise', {});
  expect(await ended()).toMatchObject({
    code: 0,
    outputs: { 'exit-code': '0', outcome: 'done', 'request-id': id },
  });
  expect(log()).toContain('from the job');
  expect(log()).toContain('::notice title=');
  expect(summary()).toContain('Countersign: done');
  const env = readFileSync(join(cli.folder, 'env-of-job'), 'utf8');
  expect(env).not.toContain(instance.demo.producer.token);
  expect(env).not.toMatch(/^INPUT_/m);
});

it.each([
  ['refuse', 'exit 0', 100, 'refused'],
  ['authorise', 'false; true', 1, 'failed'],
  ['authorise', 'exit 2', 2, 'failed'],
])('after %s of %j its code is %s and its outcome %s', async (decision, command, code, outcome) => {
  const { id, ended } = job({ occurrence: `action:${decision}:${code}`, command });
  await decide(reviewer, await id(), decision, {});
  expect(await ended()).toMatchObject({
    code,
    outputs: { outcome, 'exit-code': String(code) },
  });
});

it('is asked in one job, and goes on in another', async () => {
  const inputs = {
    occurrence: 'action:two-jobs',
    command: 'touch second-job',
    bind: 'package.json',
  };
  const first = await job({ ...inputs, wait: '0s', 'allow-open': 'true' }).ended();
  expect(first).toMatchObject({ code: 0, outputs: { outcome: 'open', 'exit-code': '106' } });
  expect(await job({ ...inputs, wait: '0s' }).ended()).toMatchObject({ code: 106 });
  await decide(reviewer, first.outputs['request-id']!, 'authorise', {});
  expect(await job(inputs).ended()).toMatchObject({ code: 0, outputs: { outcome: 'done' } });
  expect(existsSync(join(cli.folder, 'second-job'))).toBe(true);
  expect(await job(inputs).ended()).toMatchObject({ code: 103, outputs: { outcome: 'used' } });
});

it('fails with its reason when it cannot ask', async () => {
  const wrong = job({ occurrence: 'action:wrong', command: 'true', connection: 'nowhere.json' });
  expect(await wrong.ended()).toMatchObject({ code: 2, outputs: { outcome: 'error' } });
  expect(wrong.log()).toContain('nowhere.json');
});

it('the example deploys what people authorised', async () => {
  const build = `test-${process.pid}`;
  const child = spawn(join(ROOT, 'examples/deploy/try.sh'), [instance.dataDirectory, build], {
    env: { ...process.env, COUNTERSIGN_CLI: cli.program },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (log += chunk.toString()));
  const ended = new Promise((settle) => child.once('close', settle));
  await until(
    async () => log,
    (said) => said.includes('/review/'),
  );
  await decide(reviewer, /\/review\/([\w-]+)/.exec(log)![1]!, 'authorise', {});
  expect([await ended, log]).toEqual([0, expect.stringContaining(`Build ${build} is deployed.`)]);
  const live = readFileSync(join(ROOT, 'examples/deploy/out/live/releases.txt'), 'utf8');
  expect(live).toContain(`build ${build}\n`);
});
