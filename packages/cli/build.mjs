// The published program: one file with all that it needs but Node.
import { chmodSync, copyFileSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const path = (name) => fileURLToPath(new URL(name, import.meta.url));
const { version } = JSON.parse(readFileSync(path('package.json'), 'utf8'));

const bundle = await rolldown({
  input: path('src/main.ts'),
  platform: 'node',
  transform: { define: { __VERSION__: JSON.stringify(version) } },
  onLog(level, { message }) {
    if (level === 'warn') throw new Error(message);
  },
});
rmSync(path('dist'), { recursive: true, force: true });
await bundle.write({
  file: path('dist/countersign.js'),
  format: 'esm',
  banner: '#!/usr/bin/env node',
  codeSplitting: false,
});
chmodSync(path('dist/countersign.js'), 0o755);
// Its licence wants to go wherever it goes.
const commander = dirname(createRequire(import.meta.url).resolve('commander'));
copyFileSync(join(commander, 'LICENSE'), path('dist/LICENSE-commander'));
