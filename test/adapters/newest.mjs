#!/usr/bin/env node
// `npm run test:newest`, for a nightly job: the runs of the adapters with the newest versions of their frameworks, one after the
// other, and which of them broke. It leaves what the lock file says.
import { execFileSync, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FRAMEWORKS = {
  langgraph: ['@langchain/langgraph', 'langchain', '@langchain/core'],
  langchain: ['langchain', '@langchain/langgraph', '@langchain/core'],
  'ai-sdk': ['ai'],
  'openai-agents': ['@openai/agents-core'],
  mastra: ['@mastra/core'],
};
const npm = (...args) =>
  execFileSync('npm', [...args, '--no-audit', '--no-fund'], { cwd: ROOT, encoding: 'utf8' });

let broken = 0;
for (const [framework, packages] of Object.entries(FRAMEWORKS)) {
  npm('install', '--no-save', '--legacy-peer-deps', ...packages.map((name) => `${name}@latest`));
  const versions = packages.map((name) => `${name} ${versionOf(name)}`).join(', ');
  const { status, stdout, stderr } = spawnSync(
    'npx',
    [
      ...['jest', '--selectProjects', 'system', '--testPathPatterns', 'test/adapters'],
      ...['--testNamePattern', `^${framework},`, '--forceExit'],
    ],
    { cwd: ROOT, encoding: 'utf8' },
  );
  console.log(`${status === 0 ? 'holds ' : 'BROKEN'}  ${framework}: ${versions}`);
  if (status === 0) continue;
  broken += 1;
  console.log(stdout + stderr);
}
npm('ci');
process.exitCode = broken === 0 ? 0 : 1;

function versionOf(name) {
  const found = JSON.parse(npm('ls', name, '--json', '--depth=0', '--workspace', 'test'));
  return Object.values(found.dependencies ?? {})[0]?.dependencies?.[name]?.version ?? 'unknown';
}
