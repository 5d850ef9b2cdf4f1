import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { ConfigurationError, flag, list, loadConfig, wholeNumber } from './config.js';

const shape = {
  PORT: wholeNumber(1, 65_535).default(8080).describe('the port to listen on'),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }).describe('postgres://user@host/database'),
  PRODUCTION: flag().default(false),
  NATS_URL: list().optional(),
};
const right = { DATABASE_URL: 'postgres://a@b/c' };

function faultsOf(work: () => unknown): ConfigurationError {
  try {
    work();
  } catch (error) {
    if (error instanceof ConfigurationError) return error;
  }
  throw new Error('no configuration error');
}

it('reads, converts and fills in', () => {
  expect(
    loadConfig(shape, { ...right, NATS_URL: 'nats://a:1, nats://b:2', PRODUCTION: 'true' }),
  ).toEqual({
    PORT: 8080,
    DATABASE_URL: 'postgres://a@b/c',
    PRODUCTION: true,
    NATS_URL: ['nats://a:1', 'nats://b:2'],
  });
});

it('counts an empty value as absent', () => {
  expect(loadConfig(shape, { ...right, PORT: '', NATS_URL: '' })).toMatchObject({
    PORT: 8080,
    NATS_URL: undefined,
  });
});

it('names every fault at once, with its remedy and without its value', () => {
  const error = faultsOf(() =>
    loadConfig(shape, { PORT: '70000', PRODUCTION: 'hunter2', NATS_URL: 'a,,b' }),
  );
  expect(error.faults.map(({ variable }) => variable)).toEqual([
    'PORT',
    'DATABASE_URL',
    'PRODUCTION',
    'NATS_URL',
  ]);
  expect(error.message).toContain('from 1 to 65535');
  expect(error.message).toContain(
    'DATABASE_URL is missing. Set it to postgres://user@host/database.',
  );
  expect(error.message).not.toContain('hunter2');
  expect(error.message).not.toContain('70000');
});

it.each(['0', '65536', '1.5', '-1', ' 8080', '8080x', '0x50', '1e3'])(
  'refuses the port %j',
  (PORT) => {
    expect(faultsOf(() => loadConfig(shape, { ...right, PORT })).faults).toHaveLength(1);
  },
);

it('applies rules over several variables', () => {
  const rule = () => [{ variable: 'A', wrong: 'is odd', remedy: 'Even it.' }];
  expect(faultsOf(() => loadConfig(shape, right, rule)).message).toContain('A is odd. Even it.');
});

describe('values in files', () => {
  const dir = mkdtempSync(join(tmpdir(), 'countersign-config-'));
  const file = join(dir, 'secret');
  afterAll(() => rmSync(dir, { recursive: true }));

  it('are read without the line end', () => {
    writeFileSync(file, 'postgres://a@b/c\n');
    expect(loadConfig(shape, { DATABASE_URL_FILE: file }).DATABASE_URL).toBe('postgres://a@b/c');
  });

  it('are not given twice', () => {
    const error = faultsOf(() => loadConfig(shape, { ...right, DATABASE_URL_FILE: file }));
    expect(error.message).toContain('given twice');
  });

  it('must be readable', () => {
    const error = faultsOf(() => loadConfig(shape, { DATABASE_URL_FILE: join(dir, 'none') }));
    expect(error.message).toContain('DATABASE_URL_FILE names a file that cannot be read (ENOENT)');
  });
});
