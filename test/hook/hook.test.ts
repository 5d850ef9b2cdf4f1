import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { takeAway } from '../fault/support/outage.js';
import { personOf, producerOf } from '../support/client.js';
import type { Client } from '../support/client.js';
import type { Installed } from '../cli/support/packed.js';
import { TOKEN_VARIABLE, installed } from '../cli/support/packed.js';
import type { Instance } from '../support/instance.js';
import { startInstance } from '../support/instance.js';
import { decide, until } from '../support/requests.js';

// docs/hook.md. The agent here keeps the contract of Claude Code 2.1.295 for hooks: exit 0 with a decision on stdout, exit 2
// blocks, and with onFailure: "block" all else does too, a time-out and a start that fails among it.

let instance: Instance;
let cli: Installed;
let reviewer: Client;
let producer: Client;
let folder: string;
let settings: string;

const POLICY = `version: 1
alias: laptop
default: allow
route: ROUTE
tools:
  - tool: Bash
    when: [{ at: /command, glob: "deploy*" }]
    do: ask
    window: 60s
  - tool: Bash
    when: [{ at: /command, glob: "rm *" }]
    do: deny
`;

beforeAll(async () => {
  instance = await startInstance();
  cli = await installed(instance);
  const { demo, dataDirectory } = instance;
  reviewer = await personOf(demo, dataDirectory, demo.people[1]!.id);
  producer = producerOf(demo);
  folder = join(cli.folder, 'project');
  mkdirSync(folder);
  writeFileSync(join(folder, 'guard.yaml'), POLICY.replace('ROUTE', demo.routes.execution));
  settings = join(folder, 'settings.json');
});
afterAll(async () => {
  cli?.remove();
  await instance?.stop();
});

const install = (version: string, more: readonly string[] = []) => {
  const program = cli.script('claude', `#!/bin/sh\necho "${version} (Claude Code)"\n`);
  return cli.run([
    ...['hook', 'install', 'claude-code', '--policy', 'project/guard.yaml'],
    ...['--settings', settings, '--program', program, ...more],
  ]);
};

interface Handler {
  readonly command: string;
  readonly timeout: number;
  readonly onFailure?: string;
}
const handlerOf = (event: string): Handler =>
  JSON.parse(readFileSync(settings, 'utf8')).hooks[event].at(-1).hooks[0];

interface Agent {
  /** What the agent does with the call. */
  readonly decided: Promise<{ readonly runs: boolean; readonly reason: string }>;
  readonly process: ChildProcess;
}

const env = () => ({
  ...{ PATH: process.env['PATH'], HOME: folder, XDG_STATE_HOME: join(folder, 'state') },
  [TOKEN_VARIABLE]: instance.demo.producer.token,
});

/** Runs the installed hook of an event, as the agent does. */
function fire(event: string, fields: object, handler = handlerOf(event)): Agent {
  const child = spawn('/bin/sh', ['-c', `exec ${handler.command}`], { cwd: folder, env: env() });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  child.stdin.on('error', () => {});
  child.stdin.end(
    JSON.stringify({ hook_event_name: event, session_id: 's-1', cwd: folder, ...fields }),
  );
  const late = setTimeout(() => child.kill('SIGKILL'), handler.timeout * 1_000);
  const decided = new Promise<{ runs: boolean; reason: string }>((settle) =>
    child.once('close', (code) => {
      clearTimeout(late);
      settle(verdictOf(handler, code, stdout, stderr));
    }),
  );
  return { decided, process: child };
}

function verdictOf({ onFailure }: Handler, code: number | null, stdout: string, stderr: string) {
  if (code === 2) return { runs: false, reason: stderr };
  if (code !== 0) return { runs: onFailure !== 'block', reason: `code ${code}: ${stderr}` };
  if (stdout.trim() === '') return { runs: true, reason: '' };
  const { permissionDecision, permissionDecisionReason } = JSON.parse(stdout).hookSpecificOutput;
  return {
    ...{ runs: permissionDecision === 'allow', reason: permissionDecisionReason as string },
    ...(permissionDecision === 'defer' && { isDeferred: true }),
  };
}

let uses = 0;
function bash(command: string, fields: object = {}) {
  uses += 1;
  const about = {
    ...{ tool_name: 'Bash', tool_input: { command }, tool_use_id: `use-${uses}` },
    ...fields,
  };
  return { about, before: () => fire('PreToolUse', about) };
}
const linkIn = (reason: string) => /\/review\/([\w-]+)/.exec(reason)![1]!;
const executionOf = async (id: string) =>
  (await producer.get(`/v2/requests/${id}`)).body.execution_state;
const authorise = (id: string) => decide(reviewer, id, 'authorise', {});

/** Asks, and lets the call be authorised. */
async function asked(command: string) {
  const call = bash(command);
  const { runs, reason } = await call.before().decided;
  expect(runs).toBe(false);
  const id = linkIn(reason);
  await authorise(id);
  return id;
}

describe('install', () => {
  it('refuses an agent that lets a tool run when its hook fails', async () => {
    const old = await install('2.1.294');
    expect([old.code, old.stderr]).toEqual([2, expect.stringContaining('2.1.295')]);
    expect(existsSync(settings)).toBe(false);
  });

  it('writes hooks that block what they could not look at, once, beside all else', async () => {
    const other = { matcher: 'Edit', hooks: [{ type: 'command', command: 'format' }] };
    writeFileSync(settings, JSON.stringify({ model: 'x', hooks: { PreToolUse: [other] } }));
    for (const _ of [1, 2])
      expect(await install('2.1.300', ['--wait', '1s'])).toMatchObject({ code: 0 });
    const { model, hooks } = JSON.parse(readFileSync(settings, 'utf8'));
    expect([model, hooks.PreToolUse]).toEqual(['x', [other, expect.anything()]]);
    expect(handlerOf('PreToolUse')).toMatchObject({ onFailure: 'block', timeout: 46 });
    expect(Object.keys(hooks).sort()).toEqual([
      ...['PostToolUse', 'PostToolUseFailure', 'PreToolUse', 'SessionEnd', 'SessionStart'],
    ]);
  });

  it('does not touch settings that it cannot read', async () => {
    const before = readFileSync(settings, 'utf8');
    writeFileSync(settings, '{ "half');
    expect(await install('2.1.300')).toMatchObject({ code: 2 });
    expect(readFileSync(settings, 'utf8')).toBe('{ "half');
    writeFileSync(settings, before);
  });
});

describe('a call', () => {
  it('that the policy leaves alone is the agent’s own matter, and a denied one never runs', async () => {
    expect(await bash('ls').before().decided).toEqual({ runs: true, reason: '' });
    expect(await bash('rm -rf /').before().decided).toMatchObject({ runs: false });
  });

  it('runs once people authorised it, once, and its end is recorded', async () => {
    const id = await asked('deploy one');
    const { body } = await reviewer.get(`/v2/requests/${id}/material`);
    expect(body.review_document).toContain('    /command  "deploy one"\n');
    expect(body.review_document).toContain(`    ${folder}\n`);
    const call = bash('deploy one');
    expect(await call.before().decided).toMatchObject({ runs: true });
    expect(await executionOf(id)).toBe('admitted');
    await fire('PostToolUse', call.about).decided;
    expect(await executionOf(id)).toBe('completed');
    // The same words again are another call.
    const next = await bash('deploy one').before().decided;
    expect([next.runs, linkIn(next.reason) === id]).toEqual([false, false]);
  });

  it.each([
    ['PostToolUseFailure', {}, 'failed_partial'],
    ['PostToolUseFailure', { is_interrupt: true }, 'uncertain'],
    ['SessionEnd', {}, 'uncertain'],
  ])('that ends with %s %j is %o', async (event, fields, recorded) => {
    const command = `deploy ${event} ${JSON.stringify(fields)}`;
    const id = await asked(command);
    const call = bash(command);
    expect(await call.before().decided).toMatchObject({ runs: true });
    await fire(event, { ...call.about, ...fields }).decided;
    expect(await executionOf(id)).toBe(recorded);
  });

  it('that people refuse never runs', async () => {
    const { reason } = await bash('deploy refused').before().decided;
    await decide(reviewer, linkIn(reason), 'refuse', { note: 'Not today.' });
    const told = await bash('deploy refused').before().decided;
    expect(told).toEqual({ runs: false, reason: expect.stringContaining('Not today.') });
  });

  it('without a decision defers a session that has no person, where asked to, and no other', async () => {
    expect(await install('2.1.332', ['--wait', '1s', '--defer'])).toMatchObject({ code: 0 });
    const { command } = handlerOf('PreToolUse');
    expect(command).toMatch(/ --defer$/);
    // Later tests have the hook without it again.
    expect(await install('2.1.332', ['--wait', '1s'])).toMatchObject({ code: 0 });
    const about = bash('deploy deferred').about;
    const decided = (entry: string) => {
      const inSession = `env CLAUDE_CODE_ENTRYPOINT=${entry} ${command}`;
      return fire('PreToolUse', about, { ...handlerOf('PreToolUse'), command: inSession }).decided;
    };
    const interactive = await decided('cli');
    expect(interactive).toEqual({ runs: false, reason: expect.stringContaining('/review/') });
    expect(await decided('sdk-cli')).toEqual({ ...interactive, isDeferred: true });
    // Resumed, the agent makes the same call.
    await authorise(linkIn(interactive.reason));
    expect(await decided('sdk-cli')).toMatchObject({ runs: true });
  });

  it('that is authorised in one folder is another one elsewhere', async () => {
    const id = await asked('deploy here');
    const elsewhere = await bash('deploy here', { cwd: '/' }).before().decided;
    expect([elsewhere.runs, linkIn(elsewhere.reason) === id]).toEqual([false, false]);
  });

  it('of two agents at once runs once', async () => {
    await asked('deploy twice');
    const both = await Promise.all([1, 2].map(() => bash('deploy twice').before().decided));
    expect(both.filter(({ runs }) => runs)).toHaveLength(1);
  });
});

describe('fails closed', () => {
  const handler = () => handlerOf('PreToolUse');

  it('killed at any time: the tool does not run, or was authorised and runs once', async () => {
    const id = await asked('deploy killed');
    const runs: boolean[] = [];
    for (const ms of [30, 120, 200, 300, 400, 500, 600, 700, 850, 1_000]) {
      const agent = bash('deploy killed').before();
      const kill = setTimeout(() => agent.process.kill('SIGKILL'), ms);
      runs.push((await agent.decided).runs);
      clearTimeout(kill);
    }
    expect(runs.filter(Boolean).length).toBeLessThanOrEqual(1);
    expect([
      'unclaimed',
      'claimed',
      'admitted',
      'uncertain',
      'cancelled_before_dispatch',
    ]).toContain(await executionOf(id));
  });

  it('killed as it waits for people, by the agent or by another: the tool does not run, then or later', async () => {
    const patient = {
      ...handler(),
      command: handler().command.replace(/--wait \S+/, '--wait 5m'),
    };
    const newest = async () => (await producer.get('/v2/requests')).body.items[0].id as string;
    for (const how of ['SIGKILL', 'time-out'] as const) {
      const command = `deploy ${how}`;
      const call = bash(command);
      const limit = how === 'time-out' ? { ...patient, timeout: 8 } : patient;
      const before = await newest();
      const agent = fire('PreToolUse', call.about, limit);
      const id = await until(newest, (found) => found !== before);
      if (how === 'SIGKILL') agent.process.kill('SIGKILL');
      expect(await agent.decided).toMatchObject({ runs: false });
      // No process waits for this decision any more: it starts nothing by itself.
      await authorise(id);
      expect(await executionOf(id)).toBe('unclaimed');
      // The same call again finds it, and runs once.
      expect(await bash(command).before().decided).toMatchObject({ runs: true });
      expect(await executionOf(id)).toBe('admitted');
      expect(await bash(command).before().decided).toMatchObject({ runs: false });
    }
  });

  it('while the service is away, and goes on when it is back', async () => {
    const command = 'deploy without the service';
    const bringBack = takeAway(instance);
    const verdict = await bash(command).before().decided;
    await bringBack();
    expect(verdict).toEqual({ runs: false, reason: expect.stringContaining('cannot be reached') });
    const id = await asked(command);
    // It goes away while the hook waits for a decision that is there, and comes back within the wait.
    const backAgain = takeAway(instance);
    const patient = {
      ...handler(),
      command: handler().command.replace(/--wait \S+/, '--wait 5m'),
    };
    const waiting = fire('PreToolUse', bash(command).about, patient);
    await backAgain();
    const { runs } = await waiting.decided;
    if (!runs) expect(await bash(command).before().decided).toMatchObject({ runs: true });
    expect(await executionOf(id)).toBe('admitted');
    expect(await bash(command).before().decided).toMatchObject({ runs: false });
  });

  it('late: the agent kills it', async () => {
    const slow = { ...handler(), command: 'sleep 60', timeout: 1 };
    expect(await fire('PreToolUse', bash('deploy late').about, slow).decided).toMatchObject({
      runs: false,
    });
  });

  it('not there: it cannot be started', async () => {
    const gone = { ...handler(), command: '/nowhere/countersign hook' };
    expect(await fire('PreToolUse', bash('deploy gone').about, gone).decided).toMatchObject({
      runs: false,
    });
  });

  it.each([
    [
      'a service at another address',
      (text: string) => text.replace(/"origin":\s*"[^"]+"/, '"origin":"http://127.0.0.1:1"'),
    ],
    ['no connection file', () => null],
    ['a connection file that is none', () => '{}'],
  ])('%s', async (_, change) => {
    const path = join(cli.folder, 'changed.json');
    const text = change(readFileSync(join(cli.folder, 'countersign.json'), 'utf8'));
    if (text !== null) writeFileSync(path, text);
    const file = text === null ? '/nowhere.json' : path;
    const changed = {
      ...handler(),
      command: handler().command.replace(/--connection \S+/, `--connection ${file}`),
    };
    const verdict = await fire('PreToolUse', bash('deploy away').about, changed).decided;
    expect(verdict.runs).toBe(false);
    expect(verdict.reason).not.toBe('');
  });

  it.each([
    '{}',
    '',
    'hello',
    '{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Bash"}',
  ])('an event that is none: %j', async (text) => {
    const child = spawn('/bin/sh', ['-c', handler().command], { cwd: folder, env: env() });
    child.stdin.end(text);
    const code = await new Promise((settle) => child.once('close', settle));
    expect(code).toBe(2);
  });

  it('a policy with a fault', async () => {
    const file = join(folder, 'faulty.yaml');
    writeFileSync(file, 'version: 1\nalias: a\ndefault: maybe\n');
    const faulty = {
      ...handler(),
      command: handler().command.replace(/--policy \S+/, `--policy ${file}`),
    };
    const verdict = await fire('PreToolUse', bash('ls').about, faulty).decided;
    expect(verdict).toEqual({ runs: false, reason: expect.stringContaining('faulty.yaml:3:10') });
  });
});

it('an end that could not be reported is so with the next session', async () => {
  const id = await asked('deploy unreported');
  const call = bash('deploy unreported');
  expect(await call.before().decided).toMatchObject({ runs: true });
  const away = { ...handlerOf('PostToolUse') };
  const wrong = { ...away, command: `${TOKEN_VARIABLE}=wrong ${away.command}` };
  await fire('PostToolUse', call.about, { ...wrong, command: `env ${wrong.command}` }).decided;
  expect(await executionOf(id)).toBe('admitted');
  await fire('SessionStart', { session_id: 's-2' }).decided;
  expect(await executionOf(id)).toBe('completed');
  const kept = join(folder, 'state/countersign/hook/laptop/launched');
  await until(
    async () => readdirSync(kept),
    (names) => !names.some((name) => readFileSync(join(kept, name), 'utf8').includes('unreported')),
  );
});
