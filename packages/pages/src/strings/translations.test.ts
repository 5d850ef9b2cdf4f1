import { readdirSync } from 'node:fs';
import { join } from 'node:path';

// TypeScript sees that no text is missing. These see that none was left in English, and that nothing but text differs.

const names = readdirSync(__dirname);
const LANGUAGES = names.filter((name) => !name.includes('.'));
const areas = names.filter((name) => /^[\w-]+\.ts$/.test(name) && !name.includes('.test.'));

/** Texts that are the same in both: names, keys, units, and words that German has, too. */
const SAME = new Set([
  'App',
  'Countersign',
  'Ctrl-Enter',
  'Ctrl-K',
  'Enter',
  'GiB',
  'KiB',
  'Ledger',
  'MiB',
  'Name',
  'Person',
  'Revision',
  'Route',
  'TiB',
  'Token',
  'Webhook',
]);
/** Members that name a look and not a text. */
const LOOKS = new Set(['tone']);

type Found = readonly (readonly [path: string, value: unknown])[];

/** Every value of a catalogue by its path; functions are called with numbers and words. */
function leaves(value: unknown, path: string): Found {
  if (typeof value === 'function') return [[path, called(value as Text)]];
  if (typeof value !== 'object' || value === null) return [[path, value]];
  return Object.entries(value).flatMap(([name, each]) => leaves(each, `${path}.${name}`));
}

type Text = (...given: readonly unknown[]) => unknown;
function called(text: Text): unknown {
  try {
    return text(2, 3, 5, 7, 11);
  } catch {
    // Its values are texts.
    return text('A', 'B', 'C');
  }
}

describe.each(LANGUAGES)('%s', (language) => {
  it('has the areas of the English texts', () => {
    const translated = readdirSync(join(__dirname, language));
    expect(translated.filter((name) => !name.includes('.test.')).sort()).toEqual([...areas].sort());
  });

  it.each(areas.filter((area) => area !== 'time.ts'))('%s is translated whole', async (area) => {
    const english = leaves(await import(join(__dirname, area)), '');
    const other = leaves(await import(join(__dirname, language, area)), '');
    expect(other.map(([path]) => path)).toEqual(english.map(([path]) => path));
    for (const [at, [path, text]] of english.entries()) {
      const translated = other[at]![1];
      const isLook = LOOKS.has(path.split('.').at(-1)!);
      const isText =
        typeof text === 'string' && /[a-z]{2}/i.test(text) && !isLook && !SAME.has(text);
      if (isText) expect([path, translated]).not.toEqual([path, text]);
      if (isLook || text === null) expect([path, translated]).toEqual([path, text]);
    }
  });
});
