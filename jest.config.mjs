import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ARCHIVE, ROOT, workspaces } from './tools/prepare.mjs';

const shared = {
  testEnvironment: 'node',
  transform: {
    '^.+\\.(t|j|mj)s$': [
      '@swc/jest',
      {
        swcrc: false,
        jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
        module: { type: 'commonjs' },
      },
    ],
  },
  // Packages published as ES modules only; jest runs CommonJS.
  transformIgnorePatterns: [
    '/node_modules/(?!(jose|marked|canonicalize|fast-check|pure-rand|@nats-io|openid-client|oauth4webapi)/)',
  ],
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': '$1',
    '^canonicalize$': '<rootDir>/node_modules/canonicalize/lib/canonicalize.js',
    ...sources(),
  },
};

/** The sources of our own packages, by what their manifests export. */
function sources() {
  const exported = [...workspaces(), ARCHIVE].flatMap((folder) => {
    const { name, exports = {} } = JSON.parse(
      readFileSync(join(ROOT, folder, 'package.json'), 'utf8'),
    );
    return Object.entries(exports).flatMap(([path, { types }]) =>
      types?.startsWith('./src/') ? [[name + path.slice(1), join(folder, types)]] : [],
    );
  });
  return Object.fromEntries(
    exported.map(([name, file]) => [
      `^${name.replace('*', '(.*)')}$`,
      `<rootDir>/${file.replace('*', '$1')}`,
    ]),
  );
}

// These files kill faster than a busy machine starts, bound how late a worker may be, or compare times and turns: nothing else runs
// beside them (tools/test.mjs).
const ALONE = ['fault/kill', 'fault/workers', 'attacks/turns', 'e2e/isolation/', 'torture/torture'];

/** `npm run test:fast`: the rules of the lifecycle, their statements and their signatures, against Postgres, NATS and Redis. */
const FAST = [
  'database/{lists,migrate,parcels,quotas,roles,states}',
  'conformance/vectors/*',
  'e2e/{evidence,lifecycle,refusals}',
  'e2e/order/order',
];

export default {
  // Only to end tests that hang: a busy machine is no failure.
  testTimeout: 300_000,
  projects: [
    {
      ...shared,
      displayName: 'unit',
      testMatch: [
        '<rootDir>/{packages,services}/*/src/**/*.test.ts',
        '<rootDir>/examples/*/src/**/*.test.ts',
        '<rootDir>/{deploy,tools}/src/**/*.test.ts',
      ],
    },
    {
      ...shared,
      displayName: 'system',
      testMatch: ['<rootDir>/test/**/*.test.ts'],
      testPathIgnorePatterns: [
        '/node_modules/',
        ...[...ALONE, 'cluster/(cells|cluster|storm|unsuitable).test'].map(
          (path) => `<rootDir>/test/${path}`,
        ),
      ],
    },
    {
      ...shared,
      displayName: 'archive',
      testMatch: [`<rootDir>/${ARCHIVE}/{src,test}/**/*.test.ts`],
    },
    {
      // `npm run screenshots`: makes pictures and tests nothing.
      ...shared,
      displayName: 'screenshots',
      testMatch: [
        '<rootDir>/test/browser/screenshots.ts',
        '<rootDir>/test/chart/picture/screenshot.ts',
      ],
    },
    {
      ...shared,
      displayName: 'fast',
      testMatch: FAST.map((path) => `<rootDir>/test/${path}.test.ts`),
    },
    {
      // `npm run walk:browsers`: in the browsers that are on the machine beside Chromium.
      ...shared,
      displayName: 'walk',
      testMatch: ['<rootDir>/test/browser/engines/walk.ts'],
    },
    {
      // `npm run conformance:mcp`: installs and runs the official suite of MCP.
      ...shared,
      displayName: 'conformance',
      testMatch: ['<rootDir>/test/mcp-guard/conformance/conformance.ts'],
    },
    {
      // `npm run test:cluster`: on a Kubernetes that it starts, as root on Linux, or on a given one.
      ...shared,
      displayName: 'cluster',
      testMatch: ['<rootDir>/test/cluster/{cells,cluster,storm,unsuitable}.test.ts'],
    },
    {
      // `npm run cluster`: tests nothing.
      ...shared,
      displayName: 'standing-cluster',
      testMatch: ['<rootDir>/test/cluster/keep.ts'],
    },
    {
      ...shared,
      displayName: 'alone',
      testMatch: ALONE.map(
        (path) => `<rootDir>/test/${path}${path.endsWith('/') ? '**/*' : ''}.test.ts`,
      ),
    },
  ],
};
