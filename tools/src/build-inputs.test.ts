import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

interface Plan {
  tasks: { task: string; directory: string; command: string; inputs: Record<string, string> }[];
}

const ROOT = resolve(__dirname, '../..');
const CONFIGURATION = /(^build|vite\.config)\.mjs$/;

it('builds a workspace again when the file that configures its build changed', () => {
  const turbo = join(ROOT, 'node_modules', '.bin', 'turbo');
  const plan = execFileSync(turbo, ['run', 'build', '--dry-run=json'], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const { tasks } = JSON.parse(plan.toString()) as Plan;
  const configured = tasks
    .filter(({ task, command }) => task === 'build' && command !== '<NONEXISTENT>')
    .flatMap(({ directory, inputs }) =>
      readdirSync(join(ROOT, directory))
        .filter((name) => CONFIGURATION.test(name))
        .map((name) => ({ file: join(directory, name), isInput: name in inputs })),
    );
  expect(configured.map(({ file }) => file)).toContain('packages/pages/vite.config.mjs');
  expect(configured.filter(({ isInput }) => !isInput)).toEqual([]);
});
