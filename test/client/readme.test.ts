import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { newFolder } from '../support/folder.js';

const ROOT = resolve(__dirname, '../..');
const [, FIVE_LINES] =
  /```ts\n([\s\S]*?)```/.exec(readFileSync(join(ROOT, 'README.md'), 'utf8')) ?? [];

/** What a program around them has. */
const PAYMENTS = `declare const payments: {
  refund(a: { charge: string; amount: number }, o: { signal: AbortSignal; idempotencyKey: string }): Promise<{ id: string }>;
};
`;

it.each([
  ['bundler', 'esnext'],
  ['node16', 'node16'],
])(
  'the lines at the beginning of the README are five, and compile as they are printed: %s',
  (moduleResolution, module) => {
    expect(FIVE_LINES?.trim().split('\n')).toHaveLength(5);
    const folder = newFolder('readme');
    try {
      const scope = join(folder, 'node_modules/@countersign');
      mkdirSync(scope, { recursive: true });
      for (const name of ['client', 'guard'])
        symlinkSync(join(ROOT, 'packages', name), join(scope, name));
      writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
      writeFileSync(join(folder, 'program.ts'), PAYMENTS + FIVE_LINES);
      // Wrong arguments do not.
      writeFileSync(
        join(folder, 'wrong.ts'),
        `${PAYMENTS}${FIVE_LINES}
// @ts-expect-error an amount is no text
await refund({ charge: 'ch_1', amount: '2000' });
// @ts-expect-error it has no other result
const wrong: { name: string } = await refund({ charge: 'ch_1', amount: 1 });
void wrong;
`,
      );
      const compilerOptions = {
        ...{ module, moduleResolution, target: 'es2022', lib: ['es2022', 'dom'] },
        ...{ strict: true, noEmit: true, skipLibCheck: false, types: ['node'] },
        ...{ typeRoots: [join(ROOT, 'node_modules/@types')] },
      };
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
      const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
      execFileSync(process.execPath, [tsc, '-p', folder], { stdio: 'pipe', encoding: 'utf8' });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
