import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as fc from 'fast-check';
import type { Installed } from '../cli/support/packed.js';
import { installed } from '../cli/support/packed.js';
import type { Instance } from '../support/instance.js';
import { startInstance } from '../support/instance.js';
import { until } from '../support/requests.js';
import { newBank } from './support/bank.js';
import type { Bank } from './support/bank.js';
import type { Session } from './support/session.js';

// What is not about tools passes byte for byte, and what is no JSON-RPC never reaches the server.

const TEE = resolve(__dirname, 'support/tee.mjs');

let instance: Instance;
let cli: Installed;
let bank: Bank;
let session: Session;
let into: string;

beforeAll(async () => {
  instance = await startInstance();
  cli = await installed(instance);
  bank = await newBank(instance, cli);
});
afterAll(async () => {
  cli?.remove();
  await instance?.stop();
});

/** A guard in front of a server that keeps what it gets, and says these lines. */
function begin(name: string, says: string): Session {
  into = join(bank.folder, `${name}.in`);
  const from = join(bank.folder, `${name}.out`);
  writeFileSync(into, '');
  writeFileSync(from, says);
  session = bank.start({ server: [process.execPath, TEE, into, from] });
  return session;
}
afterEach(() => session?.process.kill('SIGKILL'));

const METHODS = [
  ...['ping', 'resources/list', 'resources/read', 'prompts/get', 'completion/complete'],
  ...['notifications/initialized', 'notifications/progress', 'logging/setLevel'],
  ...['subscriptions/listen', 'resources/subscribe', 'sampling/createMessage', 'roots/list'],
  ...['elicitation/create', 'x-vendor/anything', 'tools/unknown', 'tasks/list'],
];
const FORBIDDEN = /^(tools\/(call|list)|server\/discover|initialize)$/;
const method = fc.oneof(
  fc.constantFrom(...METHODS),
  fc.string({ minLength: 1, maxLength: 30 }).filter((text) => !FORBIDDEN.test(text)),
);
const params = fc.dictionary(
  fc.string({ maxLength: 12 }).filter((name) => name !== '__proto__'),
  fc.jsonValue({ maxDepth: 3 }),
  { maxKeys: 4 },
);
/** Since 2026-07-28 each request says who sends it. */
const era = fc.constantFrom(
  {},
  { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } },
);
const message = fc.oneof(
  fc.record({ method, params, era }).map(({ method: name, params: some, era: meta }) => ({
    ...{ method: name, params: { ...some, ...meta } },
  })),
  fc.record({ id: fc.oneof(fc.integer(), fc.string()), method, params }),
  fc.record({ id: fc.integer(), result: params }),
  fc.record({
    id: fc.integer(),
    error: fc.record({ code: fc.integer(), message: fc.string() }),
  }),
);
/** As some writers write it: members in any order, blanks, escapes, a carriage return at the end. */
const line = fc
  .record({
    message,
    shift: fc.integer({ min: 0, max: 3 }),
    blanks: fc.boolean(),
    escapes: fc.boolean(),
    ending: fc.constantFrom('', '\r', '  '),
  })
  .map(({ message: body, shift, blanks, escapes, ending }) => {
    const members = Object.entries({ jsonrpc: '2.0', ...body });
    const turned = [...members.slice(shift), ...members.slice(0, shift)];
    const text = JSON.stringify(Object.fromEntries(turned), null, blanks ? 1 : 0)
      // A line has no end within.
      .replaceAll('\n', ' ');
    const written = escapes ? text.replaceAll('o', String.raw`\u006f`) : text;
    return written + ending;
  });
const SEED = 20_261_125;
const framesOf = (count: number, seed: number) =>
  fc
    .sample(line, { numRuns: 3 * count, seed })
    // Exact integers alone can be read in one way.
    .filter((text) => !/\d{16}|e[+-]?\d|-0\b/i.test(text))
    .slice(0, count);

it('passes 10,000 frames of both eras in each direction as they are', async () => {
  const [out, back] = [framesOf(10_000, SEED), framesOf(10_000, SEED + 1)];
  expect([out.length, back.length]).toEqual([10_000, 10_000]);
  const says = back.map((text) => `${text}\n`).join('');
  const { write, lines, ended } = begin('many', says);
  for (const text of out) write(`${text}\n`);
  await until(
    async () => lines.length,
    (count) => count >= back.length,
  );
  session.process.stdin!.end();
  await ended;
  expect(lines.join('\n')).toBe(back.join('\n'));
  expect(readFileSync(into, 'utf8')).toBe(out.map((text) => `${text}\n`).join(''));
});

const call = (members: string) =>
  `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":${members}}`;
it.each([
  ['no JSON', 'hello', -32_700, null],
  ['half of a frame', '{"jsonrpc":"2.0","id":7,', -32_700, null],
  ['a batch', '[{"jsonrpc":"2.0","id":7,"method":"ping"}]', -32_600, null],
  ['a number', '7', -32_600, null],
  ['another version', '{"jsonrpc":"1.0","id":7,"method":"ping"}', -32_600, 7],
  ['no method', '{"jsonrpc":"2.0","id":7}', -32_600, 7],
  ['an id that is none', '{"jsonrpc":"2.0","id":{},"method":"ping"}', -32_600, null],
  ['parameters in a list', '{"jsonrpc":"2.0","id":7,"method":"ping","params":[]}', -32_600, 7],
  ['a request and an answer', '{"jsonrpc":"2.0","id":7,"method":"x","result":{}}', -32_600, 7],
  [
    'a method that stands twice',
    '{"jsonrpc":"2.0","id":7,"method":"ping","method":"tools/call"}',
    -32_602,
    7,
  ],
  [
    'a method in another case',
    '{"jsonrpc":"2.0","id":7,"method":"ping","Method":"tools/call","params":{}}',
    -32_600,
    7,
  ],
  [
    'an argument that stands twice',
    call('{"name":"transfer","arguments":{"a":1,"a":2}}'),
    -32_602,
    7,
  ],
  ['a name in another case', call('{"name":"get_balance","Name":"transfer"}'), -32_602, 7],
  ['an unsafe integer', call('{"name":"transfer","arguments":{"a":9007199254740993}}'), -32_602, 7],
  [
    'half a character',
    call(String.raw`{"name":"transfer","arguments":{"a":"\ud800"}}`),
    -32_602,
    7,
  ],
  ['arguments that are no object', call('{"name":"transfer","arguments":[1]}'), -32_602, 7],
])('%s is refused and never reaches the server', async (_, text, code, id) => {
  const { write, lines, ended } = begin('bad', '');
  write(`${text}\n{"jsonrpc":"2.0","method":"last"}\n`);
  await until(
    async () => lines.length,
    (count) => count > 0,
  );
  session.process.stdin!.end();
  await ended;
  expect(lines.map((each) => JSON.parse(each))).toEqual([
    { jsonrpc: '2.0', id, error: { code, message: expect.any(String) } },
  ]);
  expect(readFileSync(into, 'utf8')).toBe('{"jsonrpc":"2.0","method":"last"}\n');
});

it('arguments that a server may read otherwise than the policy do not pass its conditions', async () => {
  session = bank.start();
  await session.initialize();
  const sent = (args: object) =>
    session.request('tools/call', { name: 'transfer', arguments: args });
  expect((await sent({ amount: 1, Amount: 1_000_000 })).error.code).toBe(-32_602);
  expect(bank.effects()).toEqual([]);
});

it.each([
  ['no policy', 'nowhere.yaml', null, /nowhere\.yaml: there is no such file/],
  ['a fault', 'bad.yaml', 'version: 1\nalias: a\ndefault: perhaps\n', /bad\.yaml:3:10: default/],
  ['no lock', 'open.yaml', 'version: 1\nalias: a\ndefault: deny\n', /open\.lock.*mcp-guard lock/],
])('%s ends it before the server starts', async (_, name, text, says) => {
  const file = join(bank.folder, name);
  if (text !== null) writeFileSync(file, text);
  const started = join(bank.folder, 'started');
  const { env } = bank.command();
  const result = await cli.run(['mcp-guard', '--policy', file, '--', 'touch', started], env);
  expect([result.code, result.stdout]).toEqual([2, '']);
  expect(result.stderr).toMatch(says);
  expect(() => readFileSync(started)).toThrow();
});

it('explains which rule decides', async () => {
  const explain = async (args: object) => {
    const file = join(bank.folder, 'arguments.json');
    writeFileSync(file, JSON.stringify(args));
    return (await cli.run(['mcp-guard', 'explain', '--policy', bank.policy, 'transfer', file]))
      .stdout;
  };
  expect(await explain({ amount: 5 })).toMatch(/^allow\n[^]*line 7: transfer, allow: this rule/);
  expect(await explain({ amount: 50 })).toMatch(/^ask\n[^]*lte 10 does not hold/);
});

it('writes a first policy that denies, allows what calls itself read-only, and asks', async () => {
  const file = join(bank.folder, 'first.yaml');
  const { args, env } = bank.command();
  const server = args.slice(args.indexOf('--'));
  const first = ['mcp-guard', 'init', '--policy', file, '--route', 'payments', '--alias', 'bank'];
  const { code, stdout } = await cli.run([...first, ...server], env);
  expect(code).toBe(0);
  const entry = JSON.parse(stdout);
  expect(entry.args.slice(-server.length - 2)).toEqual(['--policy', file, ...server]);
  expect(entry.env).toEqual({ COUNTERSIGN_CONNECTION: env['COUNTERSIGN_CONNECTION'] });
  const text = readFileSync(file, 'utf8');
  expect(text).toContain('default: deny');
  expect(text).toContain('- tool: get_balance\n    do: allow');
  expect(text).toContain('- tool: transfer\n    do: ask');
  expect(await cli.run([...first, ...server], env)).toMatchObject({ code: 2 });
});
