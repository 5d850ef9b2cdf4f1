import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureKeys, trustManifest } from './keys.js';
import { PlainError } from './plain-error.js';
import { loadTrustFile } from './trust-file.js';

const ORIGIN = 'https://review.example';

let folder: string;
let file: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-trust-'));
  file = join(folder, 'trust.json');
  ensureKeys(folder);
  writeFileSync(file, JSON.stringify(trustManifest(folder, ORIGIN, null, Date.now())));
});
afterAll(() => rmSync(folder, { recursive: true }));

const refusalOf = (name: string, issuer?: string): string => {
  try {
    loadTrustFile(name, issuer);
    return 'none';
  } catch (error) {
    // Anything else is printed with its stack, as a fault of the program.
    expect(error).toBeInstanceOf(PlainError);
    return (error as Error).message;
  }
};

it('a manifest is read to verify by, of any issuer or of one', () => {
  expect([refusalOf(file), refusalOf(file, ORIGIN)]).toEqual(['none', 'none']);
});

it('a manifest of another issuer is refused in one sentence', () => {
  expect(refusalOf(file, 'https://other.example')).toBe(
    `${file}: The manifest is of ${ORIGIN}, the service is https://other.example.`,
  );
});

it.each([
  ['nothing', undefined, /ENOENT|no such file|does not exist/],
  ['no JSON', '{', /invalid_json/],
  ['another record', '{}', /This is no trust manifest/],
])('a file with %s is refused by its name', (_, text, words) => {
  const other = join(folder, 'other.json');
  if (text !== undefined) writeFileSync(other, text);
  expect(refusalOf(other)).toMatch(words);
});
