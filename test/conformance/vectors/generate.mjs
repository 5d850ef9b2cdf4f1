#!/usr/bin/env node
// Writes the vectors anew: `node test/conformance/vectors/generate.mjs`. Keys and times are fixed, so the files are the
// same on every machine, and vectors.test.ts compares them with its own.
import { join } from 'node:path';
import { ROOT, endWithNpm, prepare, run } from '../../../tools/prepare.mjs';

endWithNpm();
await prepare();
const jest = join(ROOT, 'node_modules', 'jest', 'bin', 'jest.js');
const pattern = join('test', 'conformance', 'vectors', 'vectors.test.ts');
const args = ['--selectProjects', 'system', '--runInBand', '--testPathPatterns', pattern];
const env = { ...process.env, VECTORS_WRITE: '1' };
const { code } = await run(process.execPath, [jest, ...args], env, { inherit: true });
process.exitCode = code;
