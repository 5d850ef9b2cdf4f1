// The published package: one ES module with the parts of the protocol that it needs, and its types.
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const path = (name) => fileURLToPath(new URL(name, import.meta.url));

/** From their sources: an earlier build says nothing about the current ones. */
const SOURCES = {
  '@countersign/protocol/strict-reader': path('../protocol/src/json/strict-reader.ts'),
  '@countersign/protocol/timestamp': path('../protocol/src/records/timestamp.ts'),
};

rmSync(path('dist'), { recursive: true, force: true });
const bundle = await rolldown({
  input: { index: path('src/index.ts') },
  platform: 'neutral',
  resolve: { alias: SOURCES },
  // No module of these does anything when it is loaded.
  treeshake: { moduleSideEffects: false },
  onLog(_level, { message }) {
    throw new Error(message);
  },
});
await bundle.write({
  dir: path('dist'),
  format: 'esm',
  entryFileNames: '[name].js',
  sourcemap: true,
});
const tsc = path('../../node_modules/typescript/bin/tsc');
execFileSync(process.execPath, [tsc, '-p', path('tsconfig.build.json')], { stdio: 'inherit' });
