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
    '/node_modules/(?!(jose|canonicalize|fast-check|pure-rand|@nats-io|openid-client|oauth4webapi)/)',
  ],
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': '$1',
    '^canonicalize$': '<rootDir>/node_modules/canonicalize/lib/canonicalize.js',
    '^@countersign/(protocol|platform|database)$': '<rootDir>/packages/$1/src/index.ts',
    '^@countersign/protocol/constants$': '<rootDir>/packages/protocol/src/constants.ts',
    '^@countersign/gateway/sandbox$': '<rootDir>/services/gateway/src/sandbox/index.ts',
    '^@countersign/first-generation$': '<rootDir>/packages/first-generation/src/index.ts',
    '^@countersign/first-generation/client$':
      '<rootDir>/packages/first-generation/src/client/index.ts',
    '^@countersign/dev-servers$': '<rootDir>/packages/dev-servers/src/index.ts',
    '^@countersign/dev-servers/testing$': '<rootDir>/packages/dev-servers/src/testing/index.ts',
    '^@countersign/platform/body-job$': '<rootDir>/packages/platform/src/body-workers/job.ts',
    '^@countersign/platform/jobs$': '<rootDir>/packages/platform/src/jobs.ts',
    '^@countersign/platform/schema-check$': '<rootDir>/packages/platform/src/schema-check/index.ts',
    '^@countersign/platform/tracing$': '<rootDir>/packages/platform/src/tracing/index.ts',
    '^@countersign/deploy$': '<rootDir>/deploy/src/index.ts',
    '^@countersign/deploy/person$': '<rootDir>/deploy/src/demo/person.ts',
    '^@countersign/(gateway|request|review|execution-authority|ledger|notifier)$':
      '<rootDir>/services/$1/src/index.ts',
  },
};

// These files kill faster than a busy machine starts, bound how late a worker may be, or compare times: nothing else runs
// beside them (deploy/test.mjs).
const ALONE = ['fault/kill', 'fault/workers', 'e2e/isolation/'];

/** `npm run test:fast`: the rules of the lifecycle, their statements and their signatures, against Postgres, NATS and Redis. */
const FAST = [
  'database/{lists,migrate,parcels,quotas,roles,states}',
  'conformance/vectors/*',
  'e2e/{evidence,lifecycle,refusals}',
  'e2e/order/order',
];

export default {
  // Only to end what hangs: a busy machine is no failure.
  testTimeout: 60_000,
  projects: [
    {
      ...shared,
      displayName: 'unit',
      testMatch: [
        '<rootDir>/{packages,services}/*/src/**/*.test.ts',
        '<rootDir>/examples/*/src/**/*.test.ts',
        '<rootDir>/deploy/src/**/*.test.ts',
      ],
    },
    {
      ...shared,
      displayName: 'system',
      testMatch: ['<rootDir>/test/**/*.test.ts', '<rootDir>/packages/*/test/**/*.test.ts'],
      testPathIgnorePatterns: ['/node_modules/', ...ALONE.map((path) => `<rootDir>/test/${path}`)],
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
      ...shared,
      displayName: 'alone',
      testMatch: ALONE.map(
        (path) => `<rootDir>/test/${path}${path.endsWith('/') ? '**/*' : ''}.test.ts`,
      ),
    },
  ],
};
