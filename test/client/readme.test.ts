import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as client from '@countersign/client';
import { BY_NODE, RESOLUTIONS, typeCheck } from './support/type-checked.js';

// Examples in the documentation compile as they are printed.

const ROOT = resolve(__dirname, '../..');

/** The TypeScript of a page, by the heading above. */
function examplesIn(file: string): (readonly [heading: string, text: string])[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const found = [...text.matchAll(/^#+ (.+)|^```ts\n([\s\S]*?)^```/gm)];
  return found.flatMap(([, , program], at) => {
    const heading = found.slice(0, at).findLast(([, title]) => title !== undefined)?.[1] ?? '';
    return program === undefined ? [] : [[heading.replaceAll('`', ''), program] as const];
  });
}

/** What a program around the lines of the README has. */
const PAYMENTS = `declare const payments: {
  refund(a: { charge: string; amount: number }, o: { signal: AbortSignal; idempotencyKey: string }): Promise<{ id: string }>;
};
`;

it.each(RESOLUTIONS)(
  'the lines at the beginning of the README are five, and compile as they are printed: %s',
  (...resolution) => {
    const [[, lines]] = examplesIn('README.md') as [[string, string]];
    expect(lines.trim().split('\n')).toHaveLength(5);
    const program = PAYMENTS + lines;
    // Wrong arguments do not.
    const wrong = `${program}
// @ts-expect-error an amount is no text
await refund({ charge: 'ch_1', amount: '2000' });
// @ts-expect-error it has no other result
const wrong: { name: string } = await refund({ charge: 'ch_1', amount: 1 });
void wrong;
`;
    typeCheck({ program, wrong }, resolution);
  },
);

describe('docs/client-operations.md', () => {
  const examples = examplesIn('docs/client-operations.md');

  it('has an example of every operation, which compiles as it is printed', () => {
    const operations = Object.entries(client).filter(([, one]) => 'path' in Object(one));
    expect(examples.map(([name]) => name).sort()).toEqual(operations.map(([name]) => name).sort());
    typeCheck(Object.fromEntries(examples), BY_NODE);
  });

  it('would not compile with a member of another operation', () => {
    const [, claim] = examples.find(([heading]) => heading === 'claim')!;
    const wrong = claim.replace('execution_binding_digest', 'claim_id');
    expect(wrong).not.toBe(claim);
    expect(() => typeCheck({ wrong }, BY_NODE)).toThrow(
      "'claim_id' does not exist in type 'ClaimInput'",
    );
  });
});
