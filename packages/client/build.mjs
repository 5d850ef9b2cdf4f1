// The published package: ES modules with the parts of the protocol that they need, once for runtimes with Node's modules and
// once for all others, and their types.
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { BUFFER, IN_PLACE_OF_NODE } from '@countersign/verifier-page/browser';
import { rolldown } from 'rolldown';

const path = (name) => fileURLToPath(new URL(name, import.meta.url));
const protocol = (name) => path(`../protocol/src/${name}`);

/** From their sources: an earlier build says nothing about the current ones. */
const SOURCES = {
  '@countersign/protocol/strict-reader': protocol('json/strict-reader.ts'),
  '@countersign/protocol/timestamp': protocol('records/timestamp.ts'),
  '@countersign/protocol/verifier/parts': protocol('verifier/parts.ts'),
  '@countersign/protocol/verifier': protocol('verifier/index.ts'),
};
const { 'node:crypto': crypto, ...compilers } = IN_PLACE_OF_NODE;

/** Parts of the protocol that a client has a smaller form of. */
const SMALLER = {
  [protocol('records/validation.ts')]: path('src/bundled/validation.ts'),
  [protocol('response-schema/index.ts')]: path('src/bundled/no-schemas.ts'),
  [protocol('signing/reasons.ts')]: path('src/bundled/no-sentences.ts'),
};
const smaller = {
  name: 'smaller',
  load(id) {
    const instead = SMALLER[id];
    return instead === undefined ? null : `export * from ${JSON.stringify(instead)};`;
  },
};

/** Where the verifier and the reader of JSON say why, which a client never prints: its errors have codes and places. */
const SILENT = /[\\/]protocol[\\/]src[\\/](verifier[\\/][\w-]+|json[\\/]strict-reader)\.ts$/;
const silent = {
  name: 'silent',
  transform(code, id) {
    if (!SILENT.test(id)) return null;
    return { code: code.replaceAll(/(['`])[A-Z][a-z]+ [^'`]+\.\1/g, "''"), map: null };
  },
};

/** The verifier of whole files is built with all of its parts, and approvals need it as it is. */
const isBuiltApart = (id, from) => id === './export.js' && from === path('src/approvals.ts');

const NODE = { platform: 'node', alias: SOURCES };
const NEUTRAL = {
  platform: 'neutral',
  alias: { ...SOURCES, 'node:crypto': crypto },
  inject: { Buffer: [BUFFER, 'Buffer'] },
};

async function build(folder, names, { platform, alias, inject = {} }, plugins) {
  const bundle = await rolldown({
    input: Object.fromEntries(names.map((name) => [name, path(`src/${name}.ts`)])),
    platform,
    resolve: { alias },
    plugins,
    transform: { inject },
    external: (id, from) =>
      isBuiltApart(id, from) || (platform === 'node' && id.startsWith('node:')),
    // No module of these does anything when it is loaded.
    treeshake: { moduleSideEffects: false },
    onLog(_level, { message }) {
      throw new Error(message);
    },
  });
  await bundle.write({
    dir: path(`dist/${folder}`),
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
    sourcemap: true,
  });
}

rmSync(path('dist'), { recursive: true, force: true });
await build('node', ['index', 'node', 'webhook', 'approvals'], NODE, [smaller, silent]);
const calls = { ...NEUTRAL.alias, '@noble/curves/nist.js': path('src/bundled/no-p256.ts') };
await build('neutral', ['index', 'webhook', 'approvals'], { ...NEUTRAL, alias: calls }, [
  smaller,
  silent,
]);
for (const [folder, at] of [
  ['node', NODE],
  ['neutral', NEUTRAL],
])
  await build(folder, ['export'], { ...at, alias: { ...at.alias, ...compilers } }, []);
const tsc = path('../../node_modules/@typescript/native/bin/tsc');
execFileSync(process.execPath, [tsc, '-p', path('tsconfig.build.json')], { stdio: 'inherit' });
