import { resolve } from 'node:path';
import { clientEntry } from './client-entry.js';

const INSTALLED = { node: '/usr/bin/node', script: '/home/ann/node_modules/x/countersign.js' };
const FETCHED = { ...INSTALLED, script: '/home/ann/.npm/_npx/4f1c/node_modules/x/countersign.js' };
const GUARD = ['mcp-guard', '--policy', resolve('guard.yaml')];

it('starts the guard, which starts the server, from any folder', () => {
  const server = ['node', '/srv/bank.js', '--fast'];
  expect(clientEntry({ policy: 'guard.yaml', server }, 'countersign.json', INSTALLED)).toEqual({
    command: INSTALLED.node,
    args: [INSTALLED.script, ...GUARD, '--', ...server],
    env: { COUNTERSIGN_CONNECTION: resolve('countersign.json') },
  });
});

it('has npx fetch what npx fetched', () => {
  const about = { policy: 'guard.yaml', server: ['node', '/srv/bank.js'] };
  expect(clientEntry(about, 'countersign.json', FETCHED)).toMatchObject({
    command: 'npx',
    args: ['-y', '@countersign/cli', ...GUARD, '--', 'node', '/srv/bank.js'],
  });
});

it('names a server at an address, and the variable of its token', () => {
  const upstream = 'https://mcp.example/mcp';
  const about = { policy: 'guard.yaml', server: [], upstream, upstreamToken: 'BANK_TOKEN' };
  expect(clientEntry(about, '/etc/countersign.json', INSTALLED)).toMatchObject({
    args: [INSTALLED.script, ...GUARD, '--upstream', upstream, '--upstream-token', 'BANK_TOKEN'],
  });
});
