import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { newFolder } from '../../support/folder.js';

const ROOT = resolve(__dirname, '../../..');

/** How programs find packages. */
type Resolution = readonly [moduleResolution: string, module: string];

export const BY_NODE: Resolution = ['node16', 'node16'];
export const RESOLUTIONS: readonly Resolution[] = [['bundler', 'esnext'], BY_NODE];

/** Compiles programs, by their names, as their authors would, who have the client and the guard. Throws what the compiler says. */
export function typeCheck(
  programs: Readonly<Record<string, string>>,
  [moduleResolution, module]: Resolution,
): void {
  const folder = newFolder('type-checked');
  try {
    const scope = join(folder, 'node_modules/@countersign');
    mkdirSync(scope, { recursive: true });
    for (const name of ['client', 'guard'])
      symlinkSync(join(ROOT, 'packages', name), join(scope, name));
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    for (const [name, text] of Object.entries(programs))
      writeFileSync(join(folder, `${name}.ts`), text);
    const compilerOptions = {
      ...{ module, moduleResolution, target: 'es2022', lib: ['es2022', 'dom'] },
      ...{ strict: true, noEmit: true, skipLibCheck: false, types: ['node'] },
      ...{ typeRoots: [join(ROOT, 'node_modules/@types')] },
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
    const tsc = join(ROOT, 'node_modules/@typescript/native/bin/tsc');
    execFileSync(process.execPath, [tsc, '-p', folder], { stdio: 'pipe', encoding: 'utf8' });
  } catch (error) {
    throw new Error((error as { stdout?: string }).stdout, { cause: error });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
