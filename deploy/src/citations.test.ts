import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { OPERATIONS, RECORD_NAMES, SENT_CODES } from '@countersign/protocol';

interface Citations {
  placesOf(pages: Record<string, string>): Set<string>;
  wrongCitations(path: string, text: string, places: Set<string>): string[];
  wrongLinks(path: string, page: string, read: (path: string) => string | null): string[];
}
const { placesOf, wrongCitations, wrongLinks } = jest.requireActual<Citations>('../citations.mjs');

// In two parts, so that this file cites nothing itself.
const section = (place: string) => `§${place}`;
const numbered = (letter: string, number: number) => letter + number;

const places = placesOf({
  'docs/protocol/06-http.md':
    '# 6. HTTP\n\n## 6.1 Order\n\n### 6.1.2 Bodies\n\n```\n# 6.9 no heading\n```\n',
  'docs/protocol/07-operations.md': '# 7. Operations\n\n## #17 execution-authority.claim\n',
  'docs/protocol/16-rulings.md': '## R18 Restored databases\n',
  'docs/protocol/17-invariants.md': '## I3 Withdrawn is withdrawn\n',
  'docs/architecture.md': '## The services\n',
  'docs/other.md': '# 8. Not of the protocol\n',
});

describe('a citation', () => {
  it.each([
    `protocol ${section('6')} and ${section('6.1')}, ${section('6.1.2')}`,
    `protocol ${section('7 #17')}`,
    `protocol ${section('7 execution-authority.claim')}`,
    'R18 and invariant I3',
    'docs/architecture.md, "The services"',
    `RFC 9162 ${section('2.1.1')}, another document`,
    'https://example.org/R99, a name',
  ])('leads somewhere: %s', (text) => {
    expect(wrongCitations('a.ts', text, places)).toEqual([]);
  });

  it.each([
    [`protocol ${section('6.9')}`, `there is no ${section('6.9')}`],
    [`protocol ${section('8')}`, `there is no ${section('8')}`],
    [`protocol ${section('7 #17')} and #18`, 'there is no operation #18'],
    [`protocol ${section('7 review.claim')}`, 'there is no operation review.claim'],
    [numbered('R', 19), `there is no ${numbered('R', 19)}`],
    [`invariant ${numbered('I', 17)}`, `there is no ${numbered('I', 17)}`],
    ['architecture' + '.md, "The moon"', 'there is no "The moon" in docs/architecture.md'],
    ['interface ' + 'part 4', '"interface part" is now in docs/protocol/'],
  ])('is refused with its line: %s', (text, what) => {
    expect(wrongCitations('a.ts', `// One.\n// ${text}\n`, places)).toContain(`a.ts:2: ${what}`);
  });
});

describe('a link of the pages', () => {
  const pages: Record<string, string> = { 'docs/b.md': '# Who may call\n' };
  const wrong = (page: string) => wrongLinks('docs/a.md', page, (path) => pages[path] ?? null);

  it('leads to a file, or to a heading of it', () => {
    expect(wrong('# Here\n[one](b.md) [two](b.md#who-may-call) [three](#here)')).toEqual([]);
  });

  it('is refused when either is missing', () => {
    expect(wrong('[one](c.md)\n[two](b.md#nowhere)')).toEqual([
      'docs/a.md:1: the link c.md leads nowhere',
      'docs/a.md:2: the link b.md#nowhere leads nowhere',
    ]);
  });
});

describe('docs/protocol', () => {
  const folder = join(process.cwd(), 'docs', 'protocol');
  const chapters = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  const whole = chapters.join('\n');
  const written = whole.replace(/<!-- table:[\s\S]*?<!-- end of table -->/g, '');

  it.each(RECORD_NAMES)('describes the record %s', (name) => {
    expect(written).toMatch(new RegExp(`\\b${name}\\b`));
  });

  // `invalid_<RecordName>` stands for the codes of the records' schemas.
  it.each(SENT_CODES.filter((code) => !/^invalid_[A-Z]/.test(code)))(
    'says when %s is answered',
    (code) => {
      expect(written).toContain(`\`${code}\``);
    },
  );

  it('has a section for each operation under its number and name', () => {
    const titles = [...whole.matchAll(/^## #(\d+) (\S+)$/gm)].map(([, number, name]) => [
      number,
      name,
    ]);
    expect(titles).toEqual(OPERATIONS.map(({ number, name }) => [String(number), name]));
  });

  it('has the rulings and invariants without a gap', () => {
    const numbers = (letter: string) =>
      [...whole.matchAll(new RegExp(`^## ${letter}(\\d+) `, 'gm'))].map(([, number]) =>
        Number(number),
      );
    const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);
    expect(numbers('R')).toEqual(upTo(42));
    expect(numbers('I')).toEqual(upTo(16));
  });
});
