// The published package: an ES module with types, and one script that an app's single HTML file can hold.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';

const root = fileURLToPath(new URL('.', import.meta.url));
const entry = fileURLToPath(new URL('src/index.ts', import.meta.url));

/** Builds `entry` as one file of one format. */
function bundle(format, fileName, emptyOutDir) {
  return build({
    root,
    configFile: false,
    logLevel: 'warn',
    build: {
      outDir: 'dist',
      emptyOutDir,
      target: 'es2022',
      minify: format === 'iife',
      sourcemap: format === 'es',
      reportCompressedSize: false,
      lib: { entry, formats: [format], name: 'CountersignView', fileName: () => fileName },
    },
  });
}

await bundle('es', 'index.js', true);
await bundle('iife', 'countersign-view.js', false);
const tsc = fileURLToPath(
  new URL('../../node_modules/@typescript/native/bin/tsc', import.meta.url),
);
execFileSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' });

const inline = readFileSync(new URL('dist/countersign-view.js', import.meta.url));
console.log(
  `countersign-view.js: ${inline.length} bytes, ${gzipSync(inline, { level: 9 }).length} gzipped`,
);
