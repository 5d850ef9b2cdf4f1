import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { newFolder } from '../support/folder.js';

const PROGRAM = resolve(__dirname, '../../packages/cli/dist/countersign.js');
const script = (shell: string) =>
  execFileSync(process.execPath, [PROGRAM, 'completion', shell], { encoding: 'utf8' });
const isThere = (shell: string) => spawnSync(shell, ['--version']).error === undefined;

/** What bash offers after those words. */
function offered(...words: readonly string[]): string[] {
  const lines = [
    script('bash'),
    `COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')})`,
    `COMP_CWORD=${words.length - 1}`,
    '_countersign',
    `printf '%s\\n' "\${COMPREPLY[@]}"`,
  ];
  return execFileSync('bash', ['-c', lines.join('\n')], { encoding: 'utf8' })
    .trim()
    .split('\n');
}

it('offers commands, their options, and files', () => {
  expect(offered('countersign', 'r')).toEqual(['run', 'resume']);
  expect(offered('countersign', 'run', '--bind')).toEqual(['--bind', '--bind-env']);
  expect(offered('countersign', 'ask', '--bind')).toEqual(['']);
  expect(offered('countersign', 'run', '--', '/etc/host')).toContain('/etc/hosts');
});

it.each(['bash', 'zsh', 'fish'])('is a script that %s reads', (shell) => {
  const text = script(shell);
  for (const word of ['run', 'ask', 'occurrence', 'completion']) expect(text).toContain(word);
  if (!isThere(shell)) return;
  const file = join(newFolder('completion'), 'script');
  writeFileSync(file, text);
  expect(spawnSync(shell, ['-n', file], { encoding: 'utf8' })).toMatchObject({
    ...{ status: 0, stderr: '' },
  });
});
