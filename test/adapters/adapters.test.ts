import { spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Client as ProducersClient } from '@countersign/client';
import { countersign } from '@countersign/client';
import { takeAway } from '../fault/support/outage.js';
import { personOf, producerOf } from '../support/client.js';
import type { Client } from '../support/client.js';
import type { Installed } from '../cli/support/packed.js';
import { TOKEN_VARIABLE, installed } from '../cli/support/packed.js';
import type { Instance } from '../support/instance.js';
import { startInstance } from '../support/instance.js';
import { BUILD_MS, obtained } from '../support/programs/obtained.js';
import { decide, until } from '../support/requests.js';

// docs/adapters.md: eight runs with the real frameworks and scripted models, behind the adapter and with the framework's own
// approval. Each step is a process of its own. What is compared is the number of times that the tool ran.

let instance: Instance;
let cli: Installed;
let reviewer: Client;
let producer: Client;
/** Mastra's package asks for a newer Node than the others. */
let newerNode: string;

beforeAll(async () => {
  newerNode = await obtained('node');
  instance = await startInstance();
  cli = await installed(instance);
  const { demo, dataDirectory } = instance;
  reviewer = await personOf(demo, dataDirectory, demo.people[1]!.id);
  producer = producerOf(demo);
}, BUILD_MS);
afterAll(async () => {
  cli?.remove();
  await instance?.stop();
});

interface Step {
  readonly waits: readonly string[];
  readonly text: string;
}
interface Agent {
  readonly state: string;
  start(env?: Env): Promise<Step>;
  /** Null for a process that was killed. */
  resume(approve?: boolean | readonly boolean[], env?: Env): Promise<Step | null>;
  /** How often the tool ran, with which amounts. */
  effects(): string[];
  edit(from: number, to: number): void;
}
type Env = Readonly<Record<string, string>>;

let count = 0;

function agentOf(framework: string, kind: 'guarded' | 'own', amounts: readonly number[]): Agent {
  count += 1;
  const folder = join(cli.folder, `agent-${count}`);
  mkdirSync(folder);
  const [state, effects] = [join(folder, 'state.json'), join(folder, 'effects')];
  const calls = amounts.map((amount, at) => ({ id: `call-${count}-${at}`, amount }));
  const step = (name: 'start' | 'resume', approve: unknown, env: Env = {}) =>
    new Promise<Step | null>((settle, fail) => {
      const program = resolve(__dirname, `support/${framework}.mjs`);
      const child = spawn(
        framework === 'mastra' ? newerNode : process.execPath,
        [program, kind, name, state, JSON.stringify({ calls, approve })],
        {
          env: {
            ...{ PATH: process.env['PATH'], HOME: folder, EFFECTS: effects },
            ...{ ROUTE: instance.demo.routes.execution, JOURNAL: join(folder, 'journal') },
            COUNTERSIGN_CONNECTION: join(cli.folder, 'countersign.json'),
            [TOKEN_VARIABLE]: instance.demo.producer.token,
            ...env,
          },
        },
      );
      let [stdout, stderr] = ['', ''];
      child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
      child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
      child.once('close', (code, signal) => {
        if (signal === 'SIGKILL') settle(null);
        else if (code === 0) settle(JSON.parse(stdout.trim().split('\n').at(-1)!) as Step);
        else fail(new Error(`${framework} ${kind} ${name}: ${code}\n${stdout}${stderr}`));
      });
    });
  return {
    state,
    start: async (env) => (await step('start', true, env)) as Step,
    resume: (approve = true, env = {}) => step('resume', approve, env),
    effects: () =>
      existsSync(effects) ? readFileSync(effects, 'utf8').trim().split('\n').filter(Boolean) : [],
    edit(from, to) {
      const text = readFileSync(state, 'utf8');
      const edited = text.replaceAll(
        new RegExp(String.raw`(amount\\*":\s*)${from}\b`, 'g'),
        (_, before: string) => `${before}${to}`,
      );
      expect(edited).not.toBe(text);
      writeFileSync(state, edited);
    },
  };
}
const idIn = (link: string) => /\/review\/([\w-]+)/.exec(link)![1]!;
const authorise = (id: string) => decide(reviewer, id, 'authorise', {});
async function amountOf(id: string): Promise<number> {
  const { body } = await reviewer.get(`/v2/requests/${id}/material`);
  return body.payload.proposal.args.amount;
}

const FRAMEWORKS = ['langgraph', 'langchain', 'ai-sdk', 'openai-agents', 'mastra'];
/** Those whose model makes calls; a node of a graph is one action. */
const AGENTS = FRAMEWORKS.slice(1);

/** The example of docs/adapters/README.md, "Waking", which has these names. */
const wake = ((): ((
  client: Pick<ProducersClient, 'events'>,
  waiting: Map<string, Agent>,
  goOn: (thread: Agent) => Promise<boolean>,
  kept: number,
) => Promise<void>) => {
  const page = readFileSync(resolve(__dirname, '../../docs/adapters/README.md'), 'utf8');
  const [, code] = /^## Waking$.*?^```ts$(.*?)^```$/ms.exec(page)!;
  const AsyncFunction = (async () => {}).constructor as FunctionConstructor;
  return new AsyncFunction('client', 'waiting', 'goOn', 'kept', code!) as never;
})();

/** An agent whose calls wait for people. */
async function guarded(framework: string, amounts: readonly number[], env?: Env) {
  const agent = agentOf(framework, 'guarded', amounts);
  const { waits } = await agent.start(env);
  expect(waits).toHaveLength(amounts.length);
  return { agent, ids: waits.map(idIn) as [string, ...string[]] };
}
async function own(framework: string, amounts: readonly number[]): Promise<Agent> {
  const agent = agentOf(framework, 'own', amounts);
  expect((await agent.start()).waits.length).toBeGreaterThan(0);
  return agent;
}

describe.each(FRAMEWORKS)('%s, guarded', (framework) => {
  const asked = (amounts: readonly number[], env?: Env) => guarded(framework, amounts, env);

  it('approve, in another process: it runs once, and not before', async () => {
    const { agent, ids } = await asked([50]);
    expect((await agent.resume())!.waits).toHaveLength(1);
    expect(agent.effects()).toEqual([]);
    await authorise(ids[0]);
    expect((await agent.resume())!.text).toContain('transferred 50');
    expect(agent.effects()).toEqual(['50']);
  });

  it('woken by the feed, too early and in time: it runs once', async () => {
    const { agent, ids } = await asked([60]);
    const { origin, producer: own } = instance.demo;
    const client = countersign({ origin, token: own.token, trust: 'unverified' });
    const end = new AbortController();
    const waiting = new Map([[ids[0], agent]]);
    let early = 0;
    const woken = wake(
      { events: (from) => client.events({ ...from, signal: end.signal }) },
      waiting,
      async (thread) => {
        const step = await thread.resume();
        if (step!.waits.length > 0) early += 1;
        return step!.waits.length === 0;
      },
      0,
    );
    const ended = expect(woken).rejects.toThrow('it is over');
    await until(
      async () => early,
      (many) => many > 0,
    );
    expect(agent.effects()).toEqual([]);
    await authorise(ids[0]);
    await until(
      async () => waiting.size,
      (many) => many === 0,
    );
    end.abort(new Error('it is over'));
    await ended;
    expect(agent.effects()).toEqual(['60']);
  });

  it('refuse: it never runs', async () => {
    const { agent, ids } = await asked([51]);
    await decide(reviewer, ids[0], 'refuse', {});
    expect((await agent.resume())!.waits).toEqual([]);
    expect(agent.effects()).toEqual([]);
  });

  it('expire: it never runs', async () => {
    const { agent, ids } = await asked([52], { REVIEW_SECONDS: '8' });
    await until(
      async () => (await producer.get(`/v2/requests/${ids[0]}`)).body.decision_state,
      (state) => state === 'expired',
    );
    expect((await agent.resume())!.waits).toEqual([]);
    expect(agent.effects()).toEqual([]);
  });

  it('revoked while it waits: it never runs', async () => {
    const { agent, ids } = await asked([58]);
    await authorise(ids[0]);
    expect((await producer.post(`/v2/requests/${ids[0]}/revoke`, {})).status).toBe(200);
    expect((await agent.resume())!.waits).toEqual([]);
    expect(agent.effects()).toEqual([]);
  });

  it('the service away, when it asks and when it is resumed: it runs once, when it is back', async () => {
    const agent = agentOf(framework, 'guarded', [59]);
    const without = async (step: () => Promise<Step | null>) => {
      const bringBack = takeAway(instance);
      // Some frameworks throw, others tell their model: neither runs the tool.
      await step().catch(() => null);
      await bringBack();
      expect(agent.effects()).toEqual([]);
    };
    await without(() => agent.start());
    rmSync(agent.state, { force: true });
    const { waits } = await agent.start();
    const id = idIn(waits[0]!);
    await authorise(id);
    copyFileSync(agent.state, `${agent.state}.before`);
    await without(() => agent.resume());
    copyFileSync(`${agent.state}.before`, agent.state);
    expect((await agent.resume())!.text).toContain('transferred 59');
    expect(agent.effects()).toEqual(['59']);
  });

  it('edited arguments: they never run', async () => {
    const { agent, ids } = await asked([53]);
    await authorise(ids[0]);
    agent.edit(53, 5_300);
    await agent.resume().catch(() => null);
    expect(agent.effects()).toEqual([]);
  });

  it('a replayed approval: it ran once', async () => {
    const { agent, ids } = await asked([54]);
    await authorise(ids[0]);
    copyFileSync(agent.state, `${agent.state}.before`);
    await agent.resume();
    for (const _ of [1, 2]) {
      copyFileSync(`${agent.state}.before`, agent.state);
      await agent.resume();
    }
    expect(agent.effects()).toEqual(['54']);
  });

  it('a crash between the approval and the result: it ran once', async () => {
    const { agent, ids } = await asked([55]);
    await authorise(ids[0]);
    expect(await agent.resume(true, { CRASH: '1' })).toBeNull();
    const after = await agent.resume();
    expect(after!.text).toContain('unknown');
    expect(agent.effects()).toEqual(['55']);
    await until(
      async () => (await producer.get(`/v2/requests/${ids[0]}`)).body.execution_state,
      (state) => state === 'uncertain',
    );
  });
});

it.each(AGENTS)('%s, guarded: of two in one turn the refused one never runs', async (framework) => {
  const agent = agentOf(framework, 'guarded', [56, 57]);
  const asked = new Map<number, string>();
  /** Both are asked at the same time, in any order, or one after the other. */
  const learn = async ({ waits }: Step) => {
    for (const id of waits.filter((wait) => wait.includes('/review/')).map(idIn))
      asked.set(await amountOf(id), id);
    return waits.length;
  };
  await learn(await agent.start());
  await authorise(asked.get(56)!);
  expect(await learn((await agent.resume())!)).toBe(1);
  await decide(reviewer, asked.get(57)!, 'refuse', {});
  expect(await learn((await agent.resume())!)).toBe(0);
  expect(agent.effects()).toEqual(['56']);
});

describe.each(FRAMEWORKS)('%s, its own approval', (framework) => {
  const asked = (amounts: readonly number[]) => own(framework, amounts);

  it('approve and refuse', async () => {
    const [yes, no] = [await asked([50]), await asked([51])];
    await yes.resume(true);
    await no.resume(false);
    expect([yes.effects(), no.effects()]).toEqual([['50'], []]);
  });

  it('edited arguments run with the approval of others', async () => {
    const agent = await asked([53]);
    agent.edit(53, 5_300);
    await agent.resume(true);
    expect(agent.effects()).toEqual(['5300']);
  });

  it('a replayed approval runs again', async () => {
    const agent = await asked([54]);
    copyFileSync(agent.state, `${agent.state}.before`);
    await agent.resume();
    copyFileSync(`${agent.state}.before`, agent.state);
    await agent.resume();
    expect(agent.effects()).toEqual(['54', '54']);
  });

  it('after a crash it runs again', async () => {
    const agent = await asked([55]);
    expect(await agent.resume(true, { CRASH: '1' })).toBeNull();
    await agent.resume();
    expect(agent.effects()).toEqual(['55', '55']);
  });
});

it.each([
  // The refusal takes the whole turn back to the model.
  ['langchain', []],
  ['ai-sdk', ['56']],
  ['openai-agents', ['56']],
  ['mastra', ['56']],
])('%s, its own approval: of two in one turn %j runs', async (framework, runs) => {
  const agent = await own(framework, [56, 57]);
  await agent.resume([true, false]);
  expect(agent.effects()).toEqual(runs);
});
