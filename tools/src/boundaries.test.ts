import { Linter } from 'eslint';
import { parser } from 'typescript-eslint';

interface Boundaries {
  boundaryRules(): Linter.Config[];
}
const { boundaryRules } = jest.requireActual<Boundaries>('../../boundaries.config.mjs');
const linter = new Linter();
const config: Linter.Config[] = [
  { files: ['**/*.ts'], languageOptions: { parser } },
  ...boundaryRules(),
];

/** The rules, each once, that refuse `code` as the content of `filename`. */
function refusals(filename: string, code: string): (string | null)[] {
  return [...new Set(linter.verify(code, config, { filename }).map(({ ruleId }) => ruleId))];
}

const REFUSED: [string, string, string][] = [
  [
    'a service importing another service',
    'services/review/src/module.ts',
    "import '@countersign/ledger';",
  ],
  [
    'a service importing the deployment',
    'services/review/src/module.ts',
    "import '@countersign/deploy';",
  ],
  [
    'a type of another service',
    'services/request/src/a.ts',
    "import type { A } from '@countersign/review';",
  ],
  [
    'a path into another part',
    'services/review/src/a.ts',
    "export * from '../../ledger/src/module.js';",
  ],
  [
    'a path into a package',
    'test/e2e/a.test.ts',
    "import { a } from '../../packages/protocol/src/a.js';",
  ],
  [
    'a service that takes no signatures importing their judge',
    'services/ledger/src/a.ts',
    "import '@countersign/webauthn';",
  ],
  [
    'a service importing the library of signatures',
    'services/review/src/a.ts',
    "import '@simplewebauthn/server';",
  ],
  ['platform importing database', 'packages/platform/src/a.ts', "import '@countersign/database';"],
  [
    'a service starting servers for development',
    'services/gateway/src/a.ts',
    "import '@countersign/dev-servers';",
  ],
  ['database importing platform', 'packages/database/src/a.ts', "import '@countersign/platform';"],
  [
    'protocol importing platform',
    'packages/protocol/src/a.ts',
    "import '@countersign/platform/tracing';",
  ],
  [
    'protocol reading files',
    'packages/protocol/src/a.ts',
    "import { readFileSync } from 'node:fs';",
  ],
  [
    'randomness in protocol',
    'packages/protocol/src/a.ts',
    "import { randomUUID } from 'node:crypto';",
  ],
  ['pg outside a store', 'services/ledger/src/operations/export.ts', "import pg from 'pg';"],
  [
    'nats outside platform',
    'services/ledger/src/module.ts',
    "import { connect } from '@nats-io/transport-node';",
  ],
  [
    'the archived first generation in a target',
    'deploy/src/modules.ts',
    "import { Server } from '@countersign/first-generation';",
  ],
  [
    'the archived first generation in a test of the product',
    'test/e2e/a.test.ts',
    "import '@countersign/first-generation/client';",
  ],
  [
    'the first generation importing the product',
    'archive/first-generation/src/server.ts',
    "import { Refusal } from '@countersign/protocol';",
  ],
  [
    'ws outside the first generation',
    'services/gateway/src/a.ts',
    "import { WebSocket } from 'ws';",
  ],
  [
    'express outside the gateway',
    'services/review/src/module.ts',
    "import express from 'express';",
  ],
];

describe('boundaries', () => {
  it.each(REFUSED)('refuse %s', (_what, filename, code) => {
    expect(refusals(filename, code)).toEqual(['no-restricted-imports']);
  });

  it('refuse a forbidden import that is written as an expression', () => {
    expect(refusals('services/review/src/a.ts', "void import('@countersign/ledger');")).toEqual([
      'no-restricted-syntax',
    ]);
  });

  it.each([
    ['packages/protocol/src/a.ts', 'export const now = Date.now();', 'no-restricted-syntax'],
    ['packages/protocol/src/a.ts', 'export const now = new Date();', 'no-restricted-syntax'],
    ['packages/protocol/src/a.ts', 'export const die = Math.random();', 'no-restricted-syntax'],
    ['packages/protocol/src/a.ts', 'export const env = process.env;', 'no-restricted-globals'],
    [
      'services/review/src/operations/confirm.ts',
      'f(`SELECT id FROM request`);',
      'no-restricted-syntax',
    ],
    ['deploy/src/main.ts', "f('DELETE FROM outbox');", 'no-restricted-syntax'],
    [
      'services/review/src/store/index.ts',
      'f(`WITH a AS (INSERT INTO record (id) VALUES ($1)) SELECT 1`);',
      'no-restricted-syntax',
    ],
    [
      'services/ledger/src/store/lag.ts',
      "f('UPDATE lifecycle SET a = 1');",
      'no-restricted-syntax',
    ],
    ['packages/database/src/deadlines.ts', "f('INSERT INTO incident');", 'no-restricted-syntax'],
    ['packages/database/src/deadlines.ts', "f('UPDATE deadline SET');", 'no-restricted-syntax'],
  ])('refuse in %s: %s', (filename, code, rule) => {
    expect(refusals(filename, code)).toEqual([rule]);
  });

  it.each([
    ['services/review/src/store/index.ts', "import pg from 'pg'; f('SELECT id FROM request');"],
    ['packages/database/src/step.ts', "import pg from 'pg'; f('UPDATE lifecycle SET a = 1');"],
    ['packages/database/src/migrate.ts', "import pg from 'pg'; f('UPDATE a SET b = 1');"],
    ['packages/dev-servers/src/postgres.ts', "import pg from 'pg'; f('SELECT id FROM request');"],
    ['packages/platform/src/jobs.ts', "import pg from 'pg'; import '@nats-io/nats-core';"],
    [
      'services/gateway/src/routes.ts',
      "import express from 'express'; import { a } from '../a.js';",
    ],
    ['services/review/src/a.ts', "import '@countersign/protocol'; import '@countersign/database';"],
    ['packages/protocol/src/signing/keys.ts', "import { generateKeyPairSync } from 'node:crypto';"],
    [
      'packages/protocol/src/a.ts',
      "import { createHash } from 'node:crypto'; import Ajv from 'ajv/dist/2020.js';",
    ],
    [
      'archive/first-generation/src/a.ts',
      "import { WebSocket } from 'ws'; import { jwtVerify } from 'jose';",
    ],
    ['deploy/src/modules.ts', "import '@countersign/review'; import { Command } from 'commander';"],
    ['test/e2e/a.test.ts', "import '@countersign/deploy'; import pg from 'pg';"],
  ])('allow what is drawn in %s', (filename, code) => {
    expect(refusals(filename, code)).toEqual([]);
  });
});
