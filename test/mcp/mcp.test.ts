import { createServer, request as httpRequest } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { SignJWT, exportJWK, generateKeyPair } from 'jose';
import type { CryptoKey } from 'jose';
import { personOf } from '../support/client.js';
import type { Client as HttpClient } from '../support/client.js';
import type { Installed } from '../cli/support/packed.js';
import { TOKEN_VARIABLE, installed } from '../cli/support/packed.js';
import type { Instance } from '../support/instance.js';
import { startInstance } from '../support/instance.js';
import { decide, until } from '../support/requests.js';
import { modern, sessionOf } from '../mcp-guard/support/session.js';
import type { Session } from '../mcp-guard/support/session.js';

// docs/mcp.md: the server by which agents ask people, with the clients of the official SDK.

let instance: Instance;
let cli: Installed;
let reviewer: HttpClient;

beforeAll(async () => {
  instance = await startInstance();
  cli = await installed(instance);
  const { demo, dataDirectory } = instance;
  reviewer = await personOf(demo, dataDirectory, demo.people[1]!.id);
});
afterAll(async () => {
  cli?.remove();
  await instance?.stop();
});

type Json = any;
interface Agent {
  call(name: string, args: object): Promise<Json>;
  names(): Promise<string[]>;
  close(): Promise<void>;
}
const ABOUT = { name: 'test', version: '1' };
const env = () => ({
  ...{ PATH: process.env['PATH'] as string, HOME: cli.folder },
  [TOKEN_VARIABLE]: instance.demo.producer.token,
});
const command = (...more: readonly string[]) => ({
  ...{ command: cli.program, cwd: cli.folder, env: env(), stderr: 'ignore' as const },
  args: ['mcp', '--route', instance.demo.routes.review, ...more],
});
function agentOf(client: Client | OldClient): Agent {
  return {
    call: (name, args) =>
      (client as Client).callTool({ name, arguments: args as Record<string, unknown> }),
    names: async () => (await (client as Client).listTools()).tools.map(({ name }) => name),
    close: () => client.close(),
  };
}
const PEERS: [string, () => Promise<Agent>][] = [
  ...(['auto', 'legacy'] as const).map((mode): [string, () => Promise<Agent>] => [
    `SDK 2, ${mode}`,
    async () => {
      const client = new Client(ABOUT, { versionNegotiation: { mode } });
      await client.connect(new StdioClientTransport(command()));
      return agentOf(client);
    },
  ]),
  [
    'SDK 1',
    async () => {
      const client = new OldClient(ABOUT);
      await client.connect(new OldTransport(command()));
      return agentOf(client);
    },
  ],
];
const question = (text: string) => ({ summary: text, document: `# ${text}\n` });

describe.each(PEERS)('%s', (peer, connect) => {
  it('asks people, waits and reads their answer', async () => {
    const { call, names, close } = await connect();
    expect(await names()).toEqual([
      ...['countersign_ask', 'countersign_await', 'countersign_status', 'countersign_cancel'],
    ]);
    const asked = await call('countersign_ask', question(`May it? ${peer}`));
    const { request_id, review_link, state } = asked.structuredContent;
    expect([state, review_link]).toEqual(['pending', expect.stringContaining(request_id)]);
    // The same question on one day is one request.
    const again = await call('countersign_ask', question(`May it? ${peer}`));
    expect(again.structuredContent.request_id).toBe(request_id);
    const waiting = call('countersign_await', { request_id, wait_seconds: 40 });
    await decide(reviewer, request_id, 'approve', { note: 'Yes.' });
    expect((await waiting).structuredContent).toMatchObject({
      ...{ request_id, state: 'confirmed', decision: 'approve', response: { note: 'Yes.' } },
    });
    const { structuredContent: status } = await call('countersign_status', { request_id });
    expect(status).toMatchObject({
      decision_state: 'confirmed',
      receipt_digest: expect.stringMatching(/^sha256:/),
    });
    await close();
  });
});

describe('tools', () => {
  let agent: Agent;
  beforeAll(async () => (agent = await PEERS[0]![1]()));
  afterAll(() => agent.close());

  it('withdraw a question', async () => {
    const { structuredContent } = await agent.call('countersign_ask', question('Withdrawn?'));
    const { request_id } = structuredContent;
    const cancelled = await agent.call('countersign_cancel', { request_id });
    expect(cancelled.structuredContent.decision_state).toBe('cancelled');
  });

  it('take a form, and a route', async () => {
    const asked = await agent.call('countersign_ask', {
      ...question('How many?'),
      ...{ route: instance.demo.routes.review, payload: { offered: 3 } },
      response_schema: {
        ...{ type: 'object', additionalProperties: false, required: ['count'] },
        properties: { count: { type: 'integer' } },
      },
      wait_seconds: 1,
    });
    const { request_id } = asked.structuredContent;
    await decide(reviewer, request_id, 'approve', { count: 2 });
    const { structuredContent } = await agent.call('countersign_await', {
      request_id,
      wait_seconds: 1,
    });
    expect(structuredContent.response).toEqual({ count: 2 });
  });

  it.each([
    [
      'another producer’s request',
      'countersign_status',
      { request_id: '01a00000-0000-7000-8000-000000000000' },
      /no such request/,
    ],
    ['an unknown route', 'countersign_ask', { ...question('x'), route: 'nowhere' }, /refused/],
    ['no document', 'countersign_ask', { summary: 'x' }, /document/],
    ['too long a wait', 'countersign_await', { request_id: 'x', wait_seconds: 51 }, /wait_seconds/],
    [
      'an unknown argument',
      'countersign_ask',
      { ...question('x'), decision: 'approve' },
      /decision|additional/i,
    ],
  ])('%s is an error that says why', async (_, name, args, says) => {
    const { isError, content } = await agent.call(name, args).catch((error: Error) => ({
      ...{ isError: true, content: [{ text: error.message }] },
    }));
    expect([isError, content[0].text]).toEqual([true, expect.stringMatching(says)]);
  });

  it('of none of them decides', async () => {
    for (const name of [
      'approve',
      'authorise',
      'claim',
      'confirm',
      'reconcile',
      'countersign_decide',
    ])
      await expect(
        agent.call(name, {}).then(({ isError }: Json) => {
          if (isError) throw new Error('no such tool');
        }),
      ).rejects.toThrow();
  });
});

describe('a question as a task', () => {
  const TASKS = modern({ extensions: { 'io.modelcontextprotocol/tasks': {} } });
  let session: Session;
  beforeEach(() => {
    const { command: program, args, cwd, env: variables } = command();
    session = sessionOf(program, args, { cwd, env: variables });
  });
  afterEach(() => session.process.kill('SIGKILL'));

  const ask = async (text: string, meta = TASKS, more: object = {}) =>
    (
      await session.request('tools/call', {
        ...{ name: 'countersign_ask', arguments: { ...question(text), ...more }, _meta: meta },
      })
    ).result;
  const about = (method: string, taskId: string, meta = TASKS) =>
    session.request(method, { taskId, _meta: meta });

  it('goes on without the client, and ends with the answer', async () => {
    const { result: server } = await session.request('server/discover', { _meta: TASKS });
    expect(server.capabilities.extensions).toEqual({ 'io.modelcontextprotocol/tasks': {} });
    const task = await ask('As a task?');
    expect(task).toMatchObject({ resultType: 'task', status: 'working', pollIntervalMs: 5_000 });
    expect(task.statusMessage).toContain(`/review/${task.taskId}`);
    expect((await about('tasks/get', task.taskId)).result.status).toBe('working');
    expect((await about('tasks/update', task.taskId)).result).toMatchObject({
      resultType: 'complete',
    });
    await decide(reviewer, task.taskId, 'approve', { note: 'Yes.' });
    const { result: ended } = await about('tasks/get', task.taskId);
    expect([ended.status, ended.resultType]).toEqual(['completed', 'complete']);
    expect(ended.result.structuredContent).toMatchObject({
      ...{ state: 'confirmed', decision: 'approve', response: { note: 'Yes.' } },
    });
  });

  it('is withdrawn by tasks/cancel, and not once it is decided', async () => {
    const { taskId } = await ask('Withdrawn as a task?');
    await about('tasks/cancel', taskId);
    expect((await about('tasks/get', taskId)).result.status).toBe('cancelled');
    const { taskId: decided } = await ask('Decided before it is withdrawn?');
    await decide(reviewer, decided, 'approve', {});
    expect((await about('tasks/cancel', decided)).error).toBeUndefined();
    expect((await about('tasks/get', decided)).result.status).toBe('completed');
  });

  it('is none for clients that declare no tasks or say how long they wait, nor of an id that is no request of its producer', async () => {
    expect((await ask('No task?', modern())).structuredContent.state).toBe('pending');
    const waited = await ask('Waited for?', TASKS, { wait_seconds: 0 });
    expect(waited.structuredContent.state).toBe('pending');
    const { taskId } = await ask('Whose task?');
    for (const method of ['tasks/get', 'tasks/cancel'])
      expect((await about(method, taskId, modern())).error.code).toBe(-32_021);
    const { error } = await about('tasks/get', '01a00000-0000-7000-8000-000000000000');
    expect(error.code).toBe(-32_602);
  });
});

describe('--elicit', () => {
  const asked: { mode: string; url: string; message: string }[] = [];
  beforeEach(() => void asked.splice(0));

  async function clientOf(
    mode: 'auto' | 'legacy',
    elicitation: Record<string, Record<string, never>>,
    ...more: string[]
  ) {
    const client = new Client(ABOUT, {
      capabilities: { elicitation },
      versionNegotiation: { mode },
    });
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      asked.push(params as never);
      return { action: 'accept' };
    });
    await client.connect(new StdioClientTransport(command(...more)));
    return agentOf(client);
  }

  it.each(['auto', 'legacy'] as const)('puts the link before the person, %s', async (mode) => {
    const route = instance.demo.routes.review;
    const { call, close } = await clientOf(mode, { url: {} }, '--elicit', route);
    const { structuredContent } = await call('countersign_ask', question(`Seen, ${mode}?`));
    // To open the link answers nothing.
    expect(structuredContent.state).toBe('pending');
    const { mode: how, url, message } = asked[0]!;
    expect([asked.length, how, url]).toEqual([1, 'url', structuredContent.review_link]);
    expect(message).toContain(`Seen, ${mode}?`);
    await close();
  });

  it.each<[string, Record<string, Record<string, never>>, string[]]>([
    ['no such option', { url: {} }, []],
    ['another route', { url: {} }, ['--elicit', 'elsewhere']],
    ['a client that opens no links', { form: {} }, ['--elicit', 'ROUTE']],
  ])('%s: nothing is put before the person', async (name, abilities, more) => {
    const words = more.map((word) => word.replace('ROUTE', instance.demo.routes.review));
    const { call, close } = await clientOf('auto', abilities, ...words);
    const { structuredContent } = await call('countersign_ask', question(`Unseen, ${name}?`));
    expect([structuredContent.state, asked]).toEqual(['pending', []]);
    await close();
  });
});

describe('over HTTP', () => {
  let issuer: Server;
  let issuerUrl: string;
  let key: CryptoKey;
  let strange: CryptoKey;
  let server: ChildProcess;
  let origin: string;
  let resource: string;

  beforeAll(async () => {
    const pair = await generateKeyPair('ES256', { extractable: true });
    key = pair.privateKey;
    strange = (await generateKeyPair('ES256')).privateKey;
    const jwk = { ...(await exportJWK(pair.publicKey)), kid: 'k', alg: 'ES256' };
    issuer = createServer(({ url }, response) => {
      const body =
        url === '/.well-known/oauth-authorization-server'
          ? { issuer: issuerUrl, jwks_uri: `${issuerUrl}/keys` }
          : { keys: [jwk] };
      response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
    });
    await new Promise<void>((settle) => issuer.listen(0, '127.0.0.1', () => settle()));
    issuerUrl = `http://127.0.0.1:${(issuer.address() as AddressInfo).port}`;
    writeFileSync(
      join(cli.folder, 'subjects.yaml'),
      `- iss: ${issuerUrl}\n  sub: ann\n  connection: countersign.json\n`,
    );
    // The clients' address is a name of this machine; the port is found out.
    const probe = createServer();
    await new Promise<void>((settle) => probe.listen(0, '127.0.0.1', () => settle()));
    const { port } = probe.address() as AddressInfo;
    await new Promise((settle) => probe.close(settle));
    origin = `http://127.0.0.1:${port}`;
    resource = `${origin}/mcp`;
    const args = [
      ...['mcp', '--route', instance.demo.routes.review, '--listen', `127.0.0.1:${port}`],
      ...['--resource', resource, '--issuer', issuerUrl, '--subjects', 'subjects.yaml'],
    ];
    server = spawn(cli.program, args, { cwd: cli.folder, env: env() });
    let said = '';
    server.stderr!.on('data', (chunk: Buffer) => (said += chunk.toString()));
    await until(
      async () => said,
      (text) => text.includes('listens on'),
    );
  });
  afterAll(() => {
    server?.kill();
    issuer?.close();
  });

  interface Claims {
    readonly iss?: string;
    readonly aud?: string;
    readonly sub?: string;
    readonly scope?: string;
    readonly seconds?: number | null;
    readonly by?: CryptoKey;
  }
  function tokenOf({ iss, aud, sub, scope, seconds, by }: Claims = {}): Promise<string> {
    const jwt = new SignJWT({ scope: scope ?? 'countersign:ask countersign:read' })
      .setProtectedHeader({ alg: 'ES256', kid: 'k' })
      .setIssuer(iss ?? issuerUrl)
      .setAudience(aud ?? resource)
      .setSubject(sub ?? 'ann');
    if (seconds !== null) jwt.setExpirationTime(Math.floor(Date.now() / 1_000) + (seconds ?? 600));
    return jwt.sign(by ?? key);
  }
  async function post(token: string | null, name = 'countersign_ask', headers: object = {}) {
    const args = name === 'countersign_ask' ? question('Over HTTP?') : { request_id: 'x' };
    return fetch(resource, {
      method: 'POST',
      headers: {
        ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...headers,
      },
      body: JSON.stringify({
        ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
        params: { name, arguments: args },
      }),
    });
  }

  it.each(['auto', 'legacy'] as const)('serves the official client, %s', async (mode) => {
    const client = new Client(ABOUT, { versionNegotiation: { mode } });
    const token = await tokenOf();
    await client.connect(
      new StreamableHTTPClientTransport(new URL(resource), {
        authProvider: { token: async () => token },
      }),
    );
    const { structuredContent } = (await client.callTool({
      ...{ name: 'countersign_ask', arguments: question(`HTTP ${mode}?`) },
    })) as Json;
    expect(structuredContent.state).toBe('pending');
    await client.close();
  });

  it('shows a task to a request that names it in its header and may read, and to no other', async () => {
    const _meta = modern({ extensions: { 'io.modelcontextprotocol/tasks': {} } });
    const send = async (token: string, method: string, params: object, header: string) => {
      const answer = await fetch(resource, {
        method: 'POST',
        headers: {
          ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
          ...{ authorization: `Bearer ${token}`, 'mcp-method': method, 'mcp-name': header },
          'mcp-protocol-version': '2026-07-28',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
      });
      return (await answer.json()) as Json;
    };
    const [token, read] = [await tokenOf(), await tokenOf({ scope: 'countersign:read' })];
    const call = { name: 'countersign_ask', arguments: question('A task over HTTP?') };
    const { taskId } = (await send(token, 'tools/call', call, call.name)).result;
    expect((await send(token, 'tasks/get', { taskId }, taskId)).result.status).toBe('working');
    expect((await send(token, 'tasks/get', { taskId }, 'another')).error.code).toBe(-32_020);
    expect((await send(read, 'tasks/cancel', { taskId }, taskId)).error.message).toContain(
      'countersign:ask',
    );
    expect((await send(read, 'tasks/get', { taskId }, taskId)).result.status).toBe('working');
  });

  it('says at both places who gives tokens for it', async () => {
    for (const path of ['', '/mcp']) {
      const found = await fetch(`${origin}/.well-known/oauth-protected-resource${path}`);
      expect(await found.json()).toMatchObject({
        ...{ resource, authorization_servers: [issuerUrl] },
        scopes_supported: ['countersign:ask', 'countersign:read'],
      });
    }
  });

  it.each<[string, Claims | null]>([
    ['no token', null],
    ['another audience', { aud: 'https://other.example/mcp' }],
    ['another issuer', { iss: 'https://other.example' }],
    ['an expired token', { seconds: -120 }],
    ['a token without an end', { seconds: null }],
  ])('%s: 401 with the place of the metadata and the scopes', async (_, claims) => {
    const answer = await post(claims === null ? null : await tokenOf(claims));
    expect(answer.status).toBe(401);
    const challenge = answer.headers.get('www-authenticate');
    expect(challenge).toContain(
      `resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`,
    );
    expect(challenge).toContain('scope="countersign:ask countersign:read"');
  });

  it('a key of another issuer, and a token without a signature: 401', async () => {
    expect((await post(await tokenOf({ by: strange }))).status).toBe(401);
    const [, claims] = (await tokenOf()).split('.');
    const none = Buffer.from('{"alg":"none"}').toString('base64url');
    expect((await post(`${none}.${claims}.`)).status).toBe(401);
  });

  it('a subject without a producer, and a scope that is missing: 403', async () => {
    expect((await post(await tokenOf({ sub: 'bob' }))).status).toBe(403);
    const answer = await post(await tokenOf({ scope: 'countersign:read' }));
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([
      403,
      expect.stringMatching(/insufficient_scope.*countersign:ask/),
    ]);
    expect(
      (await post(await tokenOf({ scope: 'countersign:ask' }), 'countersign_status')).status,
    ).toBe(403);
  });

  it('a page of another origin, and a host name that was bound to it: 403', async () => {
    const token = await tokenOf();
    const far = await post(token, 'countersign_ask', { origin: 'https://evil.example' });
    expect(far.status).toBe(403);
    const status = await new Promise<number | undefined>((settle) => {
      httpRequest(
        resource,
        { method: 'POST', headers: { host: 'evil.example', authorization: `Bearer ${token}` } },
        (answer) => settle(answer.statusCode),
      ).end('{}');
    });
    expect(status).toBe(403);
  });

  it('headers that do not say what the body says are refused, as is an unknown method', async () => {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': ABOUT,
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const send = async (method: string, params: object, header: string) => {
      const answer = await fetch(resource, {
        method: 'POST',
        headers: {
          ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
          ...{ authorization: `Bearer ${await tokenOf()}`, 'mcp-method': header },
          'mcp-protocol-version': '2026-07-28',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } }),
      });
      const { error } = (await answer.json()) as Json;
      return [answer.status, error.code];
    };
    expect(await send('tools/list', {}, 'tools/call')).toEqual([400, -32_020]);
    expect(await send('nothing/here', {}, 'nothing/here')).toEqual([404, -32_601]);
  });

  it('never passes a token of its callers on', async () => {
    // The service would refuse it: an answer shows that the producer's own token was used.
    const answer = await post(await tokenOf());
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('pending')]);
  });

  it.each([
    [['--listen', '127.0.0.1:0'], /--resource, --issuer and --subjects/],
    [['--resource', 'https://x.example'], /--resource goes with --listen/],
  ])('wrong use: %j', async (args, says) => {
    const result = await cli.run(['mcp', ...args]);
    expect([result.code, result.stderr]).toEqual([2, expect.stringMatching(says)]);
  });
});
