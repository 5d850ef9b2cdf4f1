import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { SECRET } from './rig.js';

const MAIN = join(__dirname, '..', 'dist', 'main.js');

async function run(variables: Record<string, string>) {
  const child = spawn(process.execPath, [MAIN], {
    env: { PORT: '0', HOST: '127.0.0.1', ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  child.stdout.on('data', (data: Buffer) => {
    said += data.toString();
    if (said.includes('Listening')) child.kill('SIGTERM');
  });
  child.stderr.on('data', (data: Buffer) => (said += data.toString()));
  const [code] = (await once(child, 'exit')) as [number | null];
  return { code, said };
}

describe('the process', () => {
  it('says archived and unsupported, and ends when it is told to', async () => {
    const { code, said } = await run({ JWT_SECRET: SECRET });
    expect(code).toBe(0);
    expect(said.split('\n')[0]).toMatch(/^archived and unsupported/i);
    expect(said).not.toContain(SECRET);
  });

  it('does not start in production', async () => {
    const { code, said } = await run({ JWT_SECRET: SECRET, NODE_ENV: 'production' });
    expect(code).toBe(1);
    expect(said).toContain('FIRST_GENERATION_ALLOW');
    expect(said).not.toContain('Listening');
  });

  it('starts in production for somebody who says that it is archived', async () => {
    const { code, said } = await run({
      JWT_SECRET: SECRET,
      NODE_ENV: 'production',
      FIRST_GENERATION_ALLOW: 'archived',
    });
    expect(code).toBe(0);
    expect(said).toContain('Listening');
  });

  it.each([{}, { JWT_SECRET: SECRET, MAX_CONNECTIONS: 'many' }])(
    'does not start without what it needs: %j',
    async (variables) => {
      const { code, said } = await run(variables);
      expect(code).toBe(1);
      expect(said.trim().split('\n')).toHaveLength(1);
    },
  );
});
