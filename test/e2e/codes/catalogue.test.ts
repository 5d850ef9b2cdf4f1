import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  APPROVAL_CODES,
  ERROR_CODES,
  HOLD_CODES,
  KEY_CODES,
  SENT_CODES,
  statusesOf,
} from '@countersign/protocol';
import type { ErrorCode } from '@countersign/protocol';
import { WHERE } from './where.js';

const textOf = (file: string) => readFileSync(join(__dirname, '..', file), 'utf8');

it('has a place for every code of the catalogue, and for no other', () => {
  expect(Object.keys(WHERE).sort()).toEqual([...ERROR_CODES].sort());
});

it('says of every code that is sent where it is reached, and of every other why it is not', () => {
  const reached = (Object.keys(WHERE) as ErrorCode[]).filter((code) => Array.isArray(WHERE[code]));
  expect(reached.sort()).toEqual(
    [...SENT_CODES, ...APPROVAL_CODES, ...KEY_CODES, ...HOLD_CODES].sort(),
  );
});

it.each(Object.entries(WHERE))('%s is asked for where it is said to be', (code, where) => {
  // As the string that an answer is compared with, alone or behind its status.
  const asked = new RegExp(`['"](\\d{3} )?${code}['"]`);
  for (const file of 'never' in where ? [] : where) expect(textOf(file)).toMatch(asked);
});

it('knows a code with two statuses from both', () => {
  const several = ERROR_CODES.filter((code) => statusesOf(code).length > 1);
  for (const code of several) {
    const files = WHERE[code] as readonly string[];
    const text = files.map(textOf).join('\n');
    for (const status of statusesOf(code)) expect(text).toContain(`'${status} ${code}'`);
  }
});
