import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { execFileSync } from 'node:child_process';
import { obtained } from '../../support/programs/obtained.js';
import { programOf } from '../support/reference.js';
import { newBank } from '../support/bank.js';
import { guardedForAll } from '../support/guarded.js';
import { startAsker } from './asker.js';

// `npm run conformance:mcp`: the official suite against servers without a guard, with one that allows, and with one that asks
// and whose requests are authorised at once. It prints a table, and fails where a guard makes a difference that is not written
// down here.

const SUITE = resolve(__dirname, 'suite');
const CACHE = process.env['COUNTERSIGN_CACHE'] ?? join(homedir(), '.cache', 'countersign');
const INSTALLED = join(CACHE, 'mcp-conformance');
const FIXTURE = [process.execPath, resolve(__dirname, 'fixture-server.mjs')];
const EVERYTHING = [
  process.execPath,
  programOf('@modelcontextprotocol/server-everything'),
  'stdio',
];

/** Checks that come out worse behind a guard that asks, and why. */
const KNOWN: Readonly<Record<string, string>> = {
  'input-required-result-ignore-extra-params sep-2322-ignore-unexpected-params':
    'input that no tool asked for is refused',
  'input-required-result-missing-input-response sep-2322-missing-response-rerequests':
    'input without the state of its question is refused',
  'server-stateless sep-2575-server-rejects-undeclared-capability':
    'an error of a tool that was launched leaves its outcome unknown',
  'server-stateless sep-2575-http-server-no-independent-requests-on-stream':
    'the suite waits 0.6 s for the answer of a call, and a decision takes longer',
  'server-stateless sep-2575-server-no-log-without-loglevel':
    'the suite waits 0.5 s for the answer of a call, and a decision takes longer',
};

/** What `countersign mcp` has to hold in full; the other scenarios want tools that it does not have. */
const ASKER = {
  '2026-07-28': ['tools-list', 'http-header-validation', 'dns-rebinding-protection'],
  '2025-11-25': ['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection'],
};
/** Only to end a suite that hangs: it waits for thousands of answers, and a busy machine is no failure. */
const LONGEST_MS = 1_800_000;
type Revision = keyof typeof ASKER;

const guarded = guardedForAll();
let node: string;
let count = 0;

beforeAll(async () => {
  node = await obtained('node');
  const lock = (folder: string) => readFileSync(join(folder, 'package-lock.json'), 'utf8');
  const done = join(INSTALLED, 'installed');
  if (existsSync(done) && readFileSync(done, 'utf8') === lock(SUITE)) return;
  mkdirSync(INSTALLED, { recursive: true });
  cpSync(SUITE, INSTALLED, { recursive: true });
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  execFileSync('npm', ['ci', ...flags], { cwd: INSTALLED, stdio: 'inherit' });
  writeFileSync(done, lock(SUITE));
}, LONGEST_MS);

/** Checks of a scenario, by name, with how they came out, each time. */
type Checks = ReadonlyMap<string, string>;
type Found = ReadonlyMap<string, Checks>;

/** Runs the scenarios that a revision asks for, those of extensions among them. */
async function suite(url: string, revision: Revision): Promise<Found> {
  count += 1;
  const folder = join(guarded.cli.folder, `conformance-${count}`);
  const program = join(INSTALLED, 'node_modules/.bin/conformance');
  const args = ['server', '--url', url, '--requirements', revision, '--output-dir', folder];
  await new Promise((settle) =>
    spawn(node, [program, ...args], { stdio: 'ignore' }).once('close', settle),
  );
  const found = new Map<string, Checks>();
  for (const name of readdirSync(folder)) {
    const [, scenario] = /^server-(.+)-\d{4}-\d\d-\d\dT/.exec(name)!;
    const text = readFileSync(join(folder, name, 'checks.json'), 'utf8');
    const checks = JSON.parse(text) as { id: string; status: string }[];
    const byId = new Map<string, string>();
    for (const { id, status } of checks)
      byId.set(id, [...(byId.get(id)?.split(', ') ?? []), status].sort().join(', '));
    found.set(scenario!, byId);
  }
  expect(found.size).toBeGreaterThan(20);
  return found;
}

const BRIDGE = resolve(__dirname, 'bridge.mjs');
/** The suite against a command, through a bridge of its own process. */
async function suiteOf(command: object, revision: Revision): Promise<Found> {
  const program = `import { startBridge } from ${JSON.stringify(BRIDGE)};
    console.log((await startBridge(${JSON.stringify(command)})).url);`;
  const bridge = spawn(process.execPath, ['--input-type=module', '--eval', program]);
  try {
    const url = await new Promise<string>((settle) =>
      bridge.stdout.once('data', (chunk: Buffer) => settle(chunk.toString().trim())),
    );
    return await suite(url, revision);
  } finally {
    bridge.kill('SIGKILL');
  }
}

/** Authorises whatever is asked until it is stopped. */
function authorising(): () => Promise<void> {
  let isOver = false;
  const done = (async () => {
    while (!isOver) {
      const { body } = await guarded.producer.get('/v2/requests?state=pending');
      for (const { id } of body.items) await guarded.authorise(id).catch(() => {});
      await new Promise((resume) => setTimeout(resume, 150));
    }
  })();
  return () => {
    isOver = true;
    return done;
  };
}

const totals = (found: Found) => {
  const all = [...found.values()].flatMap((checks) =>
    [...checks.values()].flatMap((statuses) => statuses.split(', ')),
  );
  const of = (status: string) => all.filter((each) => each === status).length;
  return { scenarios: found.size, passed: of('SUCCESS'), failed: of('FAILURE') };
};

/** Failed or was not made before, and does not fail now. */
const isBetter = (before: string | undefined, now = '') =>
  (before === undefined || before === 'FAILURE') && !/FAILURE|WARNING/.test(now);

/** Checks that come out otherwise and not better, as those of tasks do, beside those that are known to. */
function differences(plain: Found, behind: Found): string[] {
  const names = new Set([...plain.keys(), ...behind.keys()]);
  return [...names].flatMap((scenario) => {
    const [one, other] = [plain.get(scenario), behind.get(scenario)];
    const checks = new Set([...(one?.keys() ?? []), ...(other?.keys() ?? [])]);
    return [...checks]
      .filter((check) => one?.get(check) !== other?.get(check))
      .filter((check) => !isBetter(one?.get(check), other?.get(check)))
      .filter((check) => KNOWN[`${scenario} ${check}`] === undefined)
      .map((check) => `${scenario} ${check}: ${one?.get(check)} -> ${other?.get(check)}`);
  });
}

const table: string[] = [];
const row = (name: string, revision: string, found: Found) => {
  const { scenarios, passed, failed } = totals(found);
  table.push(`| ${name} | ${revision} | ${scenarios} | ${passed} | ${failed} |`);
};
afterAll(() => {
  const head =
    '| Server | Revision | Scenarios | Passed | Failed |\n| --- | --- | ---: | ---: | ---: |';
  process.stdout.write(`\n${head}\n${table.join('\n')}\n\n`);
});

const ALLOW = 'version: 1\nalias: suite\ndefault: allow\n';
const ASK = `version: 1
alias: suite
default: ask
route: ROUTE
tools:
  - tool: greet
    do: allow
  - tool: '*'
    do: ask
    hold: 25s
    window: 60s
    more_input: permit
`;

describe.each<[string, readonly string[], Revision]>([
  ['server-everything', EVERYTHING, '2025-11-25'],
  ['fixture', FIXTURE, '2025-11-25'],
  ['fixture', FIXTURE, '2026-07-28'],
])('%s', (name, server, revision) => {
  let plain: Found;
  const bank = async (policy: string) => {
    const { command } = await newBank(guarded.instance, guarded.cli, policy, server);
    return command();
  };

  it(
    `without a guard, ${revision}`,
    async () => {
      const [command, ...args] = server;
      plain = await suiteOf({ command, args, env: process.env, cwd: guarded.cli.folder }, revision);
      row(name, revision, plain);
      expect(totals(plain).passed).toBeGreaterThan(20);
    },
    LONGEST_MS,
  );

  it(
    `behind a guard that allows, ${revision}`,
    async () => {
      const behind = await suiteOf(await bank(ALLOW), revision);
      row(`${name}, allowed`, revision, behind);
      expect(differences(plain, behind)).toEqual([]);
    },
    LONGEST_MS,
  );

  it(
    `behind a guard that asks, and is authorised at once, ${revision}`,
    async () => {
      const stop = authorising();
      const behind = await suiteOf(await bank(ASK), revision);
      await stop();
      row(`${name}, asked`, revision, behind);
      expect(differences(plain, behind)).toEqual([]);
    },
    LONGEST_MS,
  );
});

it.each(Object.entries(ASKER) as [Revision, string[]][])(
  'countersign mcp, %s',
  async (revision, whole) => {
    const asker = await startAsker(guarded.instance, guarded.cli);
    try {
      const found = await suite(asker.url, revision);
      row('countersign mcp', revision, found);
      const failed = whole.filter((name) =>
        [...(found.get(name)?.values() ?? ['missing'])].some(
          (status) => status === 'FAILURE' || status === 'missing',
        ),
      );
      expect(failed).toEqual([]);
    } finally {
      asker.stop();
    }
  },
  LONGEST_MS,
);
