import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { connect } from '@countersign/client/node';
import type { Client } from '@countersign/client/node';
import { newFolder } from '../support/folder.js';
import { startGuarded } from './support/guarded.js';
import type { Setup } from './support/guarded.js';
import { SCENARIOS } from './support/scenarios.js';
import type { Scenario } from './support/scenarios.js';

// Plausible mistakes in the guard: the history named beside each has to come out wrong. test/guard/histories.test.ts shows
// that it comes out right without.

const ROOT = resolve(__dirname, '../..');
const BUILT = join(ROOT, 'packages/guard/dist');

interface Planted {
  readonly bug: string;
  readonly file: string;
  readonly passage: string;
  readonly becomes: string;
  readonly caughtBy: Scenario;
}

const BUGS: readonly Planted[] = [
  {
    bug: 'a launch nonce that is random',
    file: 'life.js',
    passage:
      "return `launch-${keyOf('countersign.guard/1', digestOf(this.status?.claim)).slice('cs1-'.length)}`;",
    becomes: 'return `launch-${this.guarding.runtime.random()}`;',
    caughtBy: SCENARIOS.restored,
  },
  {
    bug: 'a copy of a folder, taken for the folder',
    file: 'journals/files.js',
    passage: "[NODE.boot, dev, ino, birthtimeNs === 0n ? randomUUID() : birthtimeNs].join(':')",
    becomes: 'NODE.boot',
    caughtBy: SCENARIOS.restoredLater,
  },
  {
    bug: 'a claim of another process that is launched',
    file: 'next.js',
    passage: 'const isOwn = own.identity === ledger.claim.identity;',
    becomes:
      "const isOwn = true; if (own.launch === 'none') return { do: 'launch' }; own.hold = 'held';",
    caughtBy: SCENARIOS.foreign,
  },
  {
    bug: 'a look before the revocation, and none behind it',
    file: 'next.js',
    passage: "return { do: own.hasRevoked ? 'cancel' : 'revoke' };",
    becomes: "return { do: 'cancel' };",
    caughtBy: SCENARIOS.sleeper,
  },
  {
    bug: 'a fence that is passed behind the function',
    file: 'drive.js',
    passage: 'if (!(await life.fence()))\n        return;',
    becomes: '',
    caughtBy: SCENARIOS.inside,
  },
  {
    bug: 'an uncertain end that is reported at once',
    file: 'next.js',
    passage: 'if (now < until)',
    becomes: 'if (false)',
    caughtBy: SCENARIOS.alive,
  },
  {
    bug: "the caller's own object, passed on",
    file: 'guard.js',
    passage: 'return go(plan, known, call);\n    };\n    return Object',
    becomes: 'return go(plan, { ...known, snapshot: args }, call);\n    };\n    return Object',
    caughtBy: SCENARIOS.snapshot,
  },
  {
    bug: 'a result that is taken for a refusal',
    file: 'ends.js',
    passage: "if (end.kind === 'returned')",
    becomes: "if (end.kind === 'returned' && end.value?.ok !== false)",
    caughtBy: SCENARIOS.result,
  },
  {
    bug: 'a deadline by the wall clock',
    file: 'life.js',
    passage:
      'if (Math.abs(wall() - from.wall - elapsed) > 1_000)\n            return false;\n        return from.monotonic + elapsed',
    becomes: 'return from.monotonic + wall() - from.wall',
    caughtBy: SCENARIOS.clockSet,
  },
  {
    bug: 'a permit of another launch, accepted',
    file: 'life.js',
    passage: 'nonce === this.nonce && of === claimDigest',
    becomes: 'true',
    caughtBy: SCENARIOS.otherPermit,
  },
  {
    bug: 'a receipt that refuses, accepted',
    file: 'next.js',
    passage: 'if (authorises !== true)',
    becomes: 'if (false)',
    caughtBy: SCENARIOS.refused,
  },
];

let setup: Setup;
let client: Client;
let folder: string;

beforeAll(async () => {
  setup = await startGuarded();
  client = await connect(setup.connection);
  folder = newFolder('planted');
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await setup?.stop();
});

it.each(BUGS)('catches $bug', async ({ bug, file, passage, becomes, caughtBy }) => {
  const built = join(folder, bug.replaceAll(/\W/g, '-'));
  mkdirSync(built);
  cpSync(BUILT, built, { recursive: true });
  const source = readFileSync(join(built, file), 'utf8');
  expect(source.split(passage).length).toBe(2);
  writeFileSync(
    join(built, file),
    source.replace(passage, () => becomes),
  );
  expect(await caughtBy.run(setup, client, built)).not.toEqual(caughtBy.comes);
});
