// Who may import whom: the first half of this file is the drawing, the second half makes ESLint rules of it.
// tools/src/boundaries.test.ts shows that they refuse what is not drawn here.
//
//   protocol <- platform, database <- services <- deploy <- tools <- test
//   protocol <- webauthn <- services request and review
//   protocol <- client (published with it inside) <- guard <- cli (with all three inside) <- test
//   dev-servers <- tools, test
//   first-generation (archived; imports nothing of the house, and nothing of the house imports it)

import { readdirSync } from 'node:fs';

const BASE = ['protocol', 'platform', 'database'];
/** Services that take signatures by keys of people. */
const TAKE_SIGNATURES = ['request', 'review'];
const ADAPTERS = ['ai-sdk', 'langgraph', 'mastra', 'openai-agents'];
const SERVICES = readdirSync(new URL('services', import.meta.url));

/** Every part of the house: its folder, and the parts that it may import. Services never import each other. */
export const PARTS = {
  protocol: { folder: 'packages/protocol', imports: [] },
  platform: { folder: 'packages/platform', imports: ['protocol'] },
  database: { folder: 'packages/database', imports: ['protocol'] },
  // Registrations and signatures by keys of people.
  webauthn: { folder: 'packages/webauthn', imports: ['protocol'] },
  ...Object.fromEntries(
    SERVICES.map((name) => [
      name,
      {
        folder: `services/${name}`,
        imports: TAKE_SIGNATURES.includes(name) ? [...BASE, 'webauthn'] : BASE,
      },
    ]),
  ),
  // The pages, built by Vite and served by the gateway: they run in a browser.
  pages: { folder: 'packages/pages', imports: ['protocol', 'verifier-page'] },
  // Published for authors of apps, who have nothing else of ours.
  view: { folder: 'packages/view', imports: [] },
  'payment-batch': { folder: 'examples/payment-batch', imports: ['view'] },
  charge: { folder: 'examples/charge', imports: ['client', 'guard'] },
  // Published for producers, who have nothing else of ours: it is bundled with the parts of the protocol that it needs.
  client: { folder: 'packages/client', imports: ['protocol', 'verifier-page'] },
  // Published for executors, beside the client.
  guard: { folder: 'packages/guard', imports: ['client'] },
  // Published for users of agent frameworks, each with its framework as a peer.
  ...Object.fromEntries(
    ADAPTERS.map((name) => [name, { folder: `packages/${name}`, imports: ['client', 'guard'] }]),
  ),
  // Published as one file, with the client, the guard and the protocol's reader of JSON inside.
  cli: { folder: 'packages/cli', imports: ['protocol', 'client', 'guard'] },
  // The verifier as one file for a browser, and the replacements of Node's modules, for the pages too; the gateway serves
  // the built file.
  'verifier-page': { folder: 'packages/verifier-page', imports: ['protocol'] },
  'first-generation': { folder: 'archive/first-generation', imports: [] },
  // Starters of Postgres, NATS and Redis.
  'dev-servers': { folder: 'packages/dev-servers', imports: [] },
  deploy: { folder: 'deploy', imports: [...BASE, ...SERVICES] },
  // The launcher, its demonstration and what runs checks and tests: for developers, no part of the image.
  tools: { folder: 'tools', imports: ['protocol', 'database', 'deploy', 'dev-servers'] },
  test: {
    folder: 'test',
    imports: [...BASE, ...SERVICES, 'dev-servers', 'deploy', 'tools', 'pages', 'client', 'guard'],
  },
};

/** Files that may hold SQL and speak to Postgres. */
const SQL_FILES = [
  'packages/database/**',
  'packages/dev-servers/**',
  'packages/guard/src/journals/postgres.ts',
  'packages/platform/src/jobs*',
  'packages/platform/src/jobs/**',
  'services/*/src/store/**',
  'test/**',
];

/** Libraries with an owner: only it imports them, so each can be replaced in one place. */
const LIBRARIES = [
  {
    names: ['pg', 'prisma'],
    only: SQL_FILES,
    why: 'only a store and packages/database speak to Postgres',
  },
  {
    names: ['@nats-io/*'],
    only: ['packages/platform/**', 'test/**'],
    why: 'messages travel by the bus of packages/platform',
  },
  {
    names: ['bullmq'],
    only: ['packages/platform/**', 'test/**'],
    why: 'queues are reached through the jobs of packages/platform',
  },
  {
    names: ['ioredis'],
    only: ['packages/platform/**', 'services/gateway/**', 'test/**'],
    why: 'Redis holds queues (packages/platform) and rates (services/gateway)',
  },
  {
    names: ['express', 'oidc-provider', 'openid-client', 'rate-limiter-flexible'],
    only: ['services/gateway/**'],
    why: 'HTTP and login end at the gateway',
  },
  {
    names: ['ws', 'eventsource'],
    only: ['archive/first-generation/**'],
    why: 'streaming transports belong to the archived first generation',
  },
  {
    names: ['@aws-sdk/*', '@smithy/*'],
    only: ['services/ledger/**', 'test/**'],
    why: 'only the anchor store of the ledger is kept in S3',
  },
  {
    names: ['@simplewebauthn/server'],
    only: ['packages/webauthn/**', 'test/**'],
    why: 'a signature by a key of a person is judged by the protocol beside the library',
  },
  {
    names: ['commander'],
    only: ['deploy/**', 'packages/cli/**', 'tools/**'],
    why: 'commands are given in deploy, packages/cli and tools',
  },
];

/** Parts without input, output, clock or randomness (everything comes in as an argument), and their libraries. */
const PURE = {
  protocol: {
    libraries: ['@sinclair/typebox', 'ajv', 'canonicalize', 'node:crypto'],
    // New keys are random by nature; tests may read files and count time.
    except: ['src/signing/keys.ts', '**/*.test.ts', '*.ts'],
  },
};

const IMPURE = 'A pure part has no clock and no randomness: take the value as an argument.';
const IMPURE_SYNTAX = [
  "MemberExpression[object.name='Date'][property.name='now']",
  "NewExpression[callee.name='Date'][arguments.length=0]",
  "CallExpression[callee.name='Date']",
  "MemberExpression[object.name='Math'][property.name='random']",
].map((selector) => ({ selector, message: IMPURE }));
const IMPURE_GLOBALS = [
  'console',
  'crypto',
  'fetch',
  'performance',
  'process',
  'setImmediate',
  'setInterval',
  'setTimeout',
].map((name) => ({ name, message: IMPURE }));
const IMPURE_CRYPTO = [
  'default',
  'generateKey',
  'generateKeyPair',
  'generateKeyPairSync',
  'generateKeySync',
  'getRandomValues',
  'randomBytes',
  'randomFill',
  'randomFillSync',
  'randomInt',
  'randomUUID',
  'subtle',
  'webcrypto',
];

const SQL_TEXT = String.raw`/^\s*(SELECT\s|INSERT INTO\s|UPDATE\s+\S+\s+SET\s|DELETE FROM\s|WITH\s+\w+\s+AS\s)/`;
const SQL_SYNTAX = [`Literal[value=${SQL_TEXT}]`, `TemplateElement[value.raw=${SQL_TEXT}]`].map(
  (selector) => ({ selector, message: 'SQL lives in a store and in packages/database.' }),
);

/** The results of a step have one writer. Retention, which removes it later, and the ledger's functions are not steps. */
const STEP_WRITER = ['packages/database/src/step-consequences.ts', 'packages/database/src/step.ts'];
const WITHOUT_STEPS = ['deploy', 'tools', 'test', 'first-generation'];
const STEP_TEXT = String.raw`/(INSERT INTO\s+(lifecycle|record|outbox|deadline|idempotency|incident)|UPDATE\s+(lifecycle|deadline|incident))\b/`;
const STEP_SYNTAX = [`Literal[value=${STEP_TEXT}]`, `TemplateElement[value.raw=${STEP_TEXT}]`].map(
  (selector) => ({
    selector,
    message: 'Steps are written by packages/database/src/step.ts alone.',
  }),
);

/**
 * The drawing as ESLint configuration: for every part one entry for all of its files, then one for each set of
 * files with more rights. A later entry replaces the rules of an earlier one, so each states all of them.
 * `style` is syntax refused everywhere.
 */
export function boundaryRules(style = []) {
  return Object.keys(PARTS).flatMap((part) => {
    const { folder } = PARTS[part];
    const { libraries, except = [] } = PURE[part] ?? {};
    const files = (glob) => [`${folder}/${glob}`];
    const owned = [...new Set(LIBRARIES.flatMap(({ only }) => only))]
      .map((glob) => below(folder, glob))
      .filter((rest) => rest !== null)
      .sort((a, b) => a.length - b.length);
    return [
      { files: files('**/*.{ts,tsx}'), rules: rules(part, '', libraries, style) },
      ...owned.map((rest) => ({
        files: files(rest.endsWith('**') ? `${rest}/*.ts` : rest),
        rules: rules(part, rest, libraries, style),
      })),
      ...STEP_WRITER.map((file) => below(folder, file))
        .filter((rest) => rest !== null)
        .map((rest) => ({ files: files(rest), rules: rules(part, rest, libraries, style) })),
      ...except.map((rest) => ({ files: files(rest), rules: rules(part, rest, undefined, style) })),
    ];
  });
}

/** The rules of a part's files that match `rest`, a glob below the part's folder. */
function rules(part, rest, pureLibraries, style) {
  const allows = (globs) =>
    globs
      .map((glob) => below(PARTS[part].folder, glob))
      .some(
        (owned) => owned === rest || (owned?.endsWith('**') && rest.startsWith(owned.slice(0, -2))),
      );
  const patterns = [...strangers(part), ...foreignLibraries(allows)];
  if (pureLibraries !== undefined) patterns.push(allBut(part, pureLibraries));
  const pure = pureLibraries !== undefined;
  return {
    'no-restricted-imports': [
      'error',
      {
        patterns,
        paths: pure ? [{ name: 'node:crypto', importNames: IMPURE_CRYPTO, message: IMPURE }] : [],
      },
    ],
    'no-restricted-syntax': [
      'error',
      ...style,
      ...(allows(SQL_FILES) ? [] : SQL_SYNTAX),
      ...(isStepWriter(part, rest) ? [] : STEP_SYNTAX),
      ...(pure ? IMPURE_SYNTAX : []),
      ...patterns.map(({ regex, message }) => ({
        selector: `ImportExpression[source.value=/${regex.replaceAll('/', String.raw`\u002f`)}/]`,
        message,
      })),
    ],
    'no-restricted-globals': pure ? ['error', ...IMPURE_GLOBALS] : 'off',
  };
}

function isStepWriter(part, rest) {
  return WITHOUT_STEPS.includes(part) || STEP_WRITER.includes(`${PARTS[part].folder}/${rest}`);
}

function strangers(part) {
  const { imports } = PARTS[part];
  const others = Object.keys(PARTS).filter((name) => name !== part && !imports.includes(name));
  const may = imports.length === 0 ? 'no other part' : imports.join(', ');
  return [
    {
      regex: `^@countersign/(${others.join('|')})(/|$)`,
      message: `${part} may import ${may} (boundaries.config.mjs).`,
    },
    {
      regex: String.raw`^(\.\./)+([\w-]+/)*(src|dist)(/|$)`,
      message: 'Import another part by its package name.',
    },
  ];
}

function foreignLibraries(allows) {
  return LIBRARIES.filter(({ only }) => !allows(only)).map(({ names, why }) => ({
    regex: `^(${alternatives(names)})(/|$)`,
    message: `Not here: ${why} (boundaries.config.mjs).`,
  }));
}

function allBut(part, libraries) {
  return {
    regex: String.raw`^(?!\.\.?/|(${alternatives(libraries)})(/|$))`,
    message: `${part} is pure and imports only ${libraries.join(', ')} (boundaries.config.mjs).`,
  };
}

function alternatives(names) {
  return names
    .map((name) => name.replaceAll('.', String.raw`\.`).replaceAll('*', '[^/]+'))
    .join('|');
}

// The meaning of a glob below a folder (services/*/src/store/** below services/ledger: src/store/**), or null.
function below(folder, glob) {
  const steps = folder.split('/');
  const wanted = glob.split('/');
  const inside = steps.every((step, at) => wanted[at] === step || wanted[at] === '*');
  return inside ? wanted.slice(steps.length).join('/') : null;
}
