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
    '^@countersign/platform/(stores|testing)$': '<rootDir>/packages/platform/src/$1/index.ts',
    '^@countersign/platform/jobs$': '<rootDir>/packages/platform/src/jobs.ts',
    '^@countersign/(gateway|request|review|execution-authority|ledger|notifier)$':
      '<rootDir>/services/$1/src/index.ts',
  },
};

export default {
  projects: [
    {
      ...shared,
      displayName: 'unit',
      testMatch: [
        '<rootDir>/{packages,services}/*/src/**/*.test.ts',
        '<rootDir>/deploy/src/**/*.test.ts',
      ],
    },
    { ...shared, displayName: 'system', testMatch: ['<rootDir>/test/**/*.test.ts'] },
  ],
};
