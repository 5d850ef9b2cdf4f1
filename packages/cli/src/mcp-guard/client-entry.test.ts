import { resolve } from 'node:path';
import { clientEntry } from './client-entry.js';

const POLICY = ['-y', '@countersign/cli', 'mcp-guard', '--policy', resolve('guard.yaml')];

it('starts the guard, which starts the server, from any folder', () => {
  const server = ['node', 'bank.js', '--fast'];
  expect(clientEntry({ policy: 'guard.yaml', server }, 'countersign.json')).toEqual({
    command: 'npx',
    args: [...POLICY, '--', ...server],
    env: { COUNTERSIGN_CONNECTION: resolve('countersign.json') },
  });
});

it('names a server at an address, and the variable of its token', () => {
  const upstream = 'https://mcp.example/mcp';
  const about = { policy: 'guard.yaml', server: [], upstream, upstreamToken: 'BANK_TOKEN' };
  expect(clientEntry(about, '/etc/countersign.json')).toMatchObject({
    args: [...POLICY, '--upstream', upstream, '--upstream-token', 'BANK_TOKEN'],
  });
});
