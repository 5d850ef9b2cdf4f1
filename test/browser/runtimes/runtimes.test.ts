import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { EXAMPLES } from '@countersign/protocol';
import { startBrowser } from '../support/browser.js';
import { documentOf, expectationOf } from '../../conformance/vectors/vector.js';
import type { Vector } from '../../conformance/vectors/vector.js';
import { newFolder } from '../../support/folder.js';

// The client gives the same under every runtime: the verifier's words on each vector, and the ends of calls.

const ROOT = resolve(__dirname, '../../..');
const VECTORS = join(ROOT, 'test/conformance/vectors');
const DIST = join(ROOT, 'packages/client/dist');

interface Outcome {
  readonly verdicts: readonly unknown[];
  readonly calls: Readonly<Record<string, unknown>>;
  readonly keys: string;
}

/** Programs that take a module's path; `NODE_24` names a Node of that version. */
const RUNTIMES: Readonly<Record<string, readonly string[]>> = {
  'Node 24': [process.env['NODE_24'] ?? 'node24'],
  Deno: ['deno', 'run', '--allow-all', '--quiet'],
  Bun: ['bun', 'run'],
};
const isThere = ([program]: readonly string[]) =>
  spawnSync(program!, ['--version']).error === undefined;

let folder: string;
let input: { readonly vectors: readonly object[]; readonly status: unknown };
let expected: Outcome;

beforeAll(() => {
  folder = newFolder('runtimes');
  const scope = join(folder, 'node_modules/@countersign');
  mkdirSync(scope, { recursive: true });
  symlinkSync(join(ROOT, 'packages/client'), join(scope, 'client'));
  const vectors = readdirSync(VECTORS)
    .filter((file) => file.endsWith('.json'))
    .map((file) => JSON.parse(readFileSync(join(VECTORS, file), 'utf8')) as Vector)
    .map((vector) => ({
      name: vector.name,
      document: Buffer.from(documentOf(vector)).toString('base64'),
      trust: vector.trust,
      store: vector.store,
      expected: { now: Date.parse('2026-05-03T00:00:00.000Z'), ...expectationOf(vector) },
    }));
  input = { vectors, status: { ...EXAMPLES.RequestStatus, decision_state: 'pending' } };
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'input.json'), JSON.stringify(input));
  const suite = readFileSync(join(__dirname, 'suite.mjs'), 'utf8');
  writeFileSync(join(folder, 'suite.mjs'), suite);
  writeFileSync(
    join(folder, 'main.mjs'),
    `import { readFileSync } from 'node:fs';
     import * as index from '@countersign/client/node';
     import * as exported from '@countersign/client/export';
     import { suite } from './suite.mjs';
     const input = JSON.parse(readFileSync(new URL('input.json', import.meta.url), 'utf8'));
     console.log(JSON.stringify(await suite({ index, exported, ...input })));`,
  );
  expected = ran([process.execPath]);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function ran([program, ...args]: readonly string[]): Outcome {
  const main = join(folder, 'main.mjs');
  const text = execFileSync(program!, [...args, main], {
    ...{ cwd: folder, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  });
  return JSON.parse(text) as Outcome;
}

it('gives what it has to under this Node', () => {
  expect(expected.verdicts.length).toBeGreaterThan(50);
  expect(expected.calls).toMatchObject({
    repeated: ['gives', 3],
    refused: ['throws', { name: 'ServiceRefusal', code: 'not_found' }],
    invalid: ['throws', { name: 'AnswerInvalid', why: 'wrong_record' }],
    keyed: ['gives', 3],
    away: ['throws', { name: 'Unreachable', effect: 'none' }],
    body: ['throws', { name: 'TypeError' }],
    option: ['throws', { name: 'ConfigurationInvalid', field: 'origin' }],
    late: ['throws', { name: 'WaitEnded', why: 'timeout' }],
  });
});

/** A runtime that does not say whether anything was sent: it may have been. */
function untold(outcome: Outcome): Outcome {
  const away = ['throws', { name: 'Unreachable', effect: 'unknown', attempts: 1 }];
  return { ...outcome, calls: { ...outcome.calls, away } };
}

describe.each(Object.entries(RUNTIMES))('under %s', (name, command) => {
  (isThere(command) ? it : it.skip)('gives the same (skipped where it is not installed)', () => {
    const outcome = ran(command);
    expect(outcome).toEqual(name === 'Deno' ? untold(expected) : expected);
  });
});

it('gives the same in Chromium', async () => {
  const files: Readonly<Record<string, () => [string, string]>> = {
    '/favicon.ico': () => ['image/x-icon', ''],
    '/': () => ['text/html', '<!doctype html><title>runtimes</title>'],
    '/suite.mjs': () => ['text/javascript', readFileSync(join(folder, 'suite.mjs'), 'utf8')],
    '/input.json': () => ['application/json', JSON.stringify(input)],
  };
  const server = createServer(({ url = '' }, response) => {
    const [type, text] = files[url]?.() ?? [
      'text/javascript',
      readFileSync(join(DIST, 'neutral', url.replaceAll(/[^\w.-]/g, '')), 'utf8'),
    ];
    response.writeHead(200, { 'content-type': type }).end(text);
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const browser = await startBrowser();
  try {
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    const text = await page.evaluate(`(async () => {
      const [index, exported, { suite }, input] = await Promise.all([
        import('/index.js'), import('/export.js'), import('/suite.mjs'), fetch('/input.json').then((it) => it.json()),
      ]);
      return JSON.stringify(await suite({ index, exported, ...input }));
    })()`);
    const outcome = JSON.parse(text as string) as Outcome;
    expect(outcome).toEqual(untold(expected));
  } finally {
    await browser.close();
    server.close();
  }
});
