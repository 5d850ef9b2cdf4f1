// Writes src/generated/prisma from schema.prisma, without a network.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('..', import.meta.url));
const { status, stdout, stderr } = spawnSync(
  process.execPath,
  [
    createRequire(import.meta.url).resolve('prisma/build/index.js'),
    'generate',
    '--generator',
    'client',
  ],
  {
    cwd: folder,
    encoding: 'utf8',
    env: {
      ...process.env,
      // Prisma downloads its schema engine unless a path is set. Generating needs none: any executable will do.
      PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
      CHECKPOINT_DISABLE: '1',
    },
  },
);
if (status !== 0) {
  process.stderr.write(`${stdout}${stderr}`);
  process.exitCode = 1;
}
