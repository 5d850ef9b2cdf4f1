// The published package, or one beside it that is built alike: modules as they are, with their types; nothing is bundled.
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const [name = 'guard'] = process.argv.slice(2);
const path = (file) => fileURLToPath(new URL(file, import.meta.url));

rmSync(path(`../${name}/dist`), { recursive: true, force: true });
const tsc = path('../../node_modules/@typescript/native/bin/tsc');
const project = path(`../${name}/tsconfig.build.json`);
execFileSync(process.execPath, [tsc, '-p', project], { stdio: 'inherit' });
