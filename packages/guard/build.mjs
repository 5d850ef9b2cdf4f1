// The published package: modules as they are, with their types; nothing is bundled.
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const path = (name) => fileURLToPath(new URL(name, import.meta.url));

rmSync(path('dist'), { recursive: true, force: true });
const tsc = path('../../node_modules/typescript/bin/tsc');
execFileSync(process.execPath, [tsc, '-p', path('tsconfig.build.json')], { stdio: 'inherit' });
