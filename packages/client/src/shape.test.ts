import { EXAMPLES, isTimestamp, validate } from '@countersign/protocol';
import type { RecordName } from '@countersign/protocol';

import * as records from './generated/records.js';
import { misfit } from './shape.js';
import type { Shape } from './shape.js';

const SHAPES = Object.entries(records) as [RecordName, Shape][];

/** Values that fit few places. */
const STRANGERS: readonly unknown[] = [
  ...[null, true, 0, -1, 1.5, 2 ** 53, '', 'x', 'x'.repeat(2_000), [], {}, [1], { x: 1 }],
  ...[
    'sha256:00',
    '2026-01-01',
    '2026-02-30T00:00:00.000Z',
    '2026-01-01T00:00:00Z',
    '\u{1F600}'.repeat(160),
  ],
];

/** The value with one part replaced, left out, or given a neighbour, for each part of it. */
function* changed(value: unknown): Generator<unknown> {
  yield* STRANGERS;
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    yield [...value, ...value];
    for (const [at, item] of value.entries())
      for (const other of changed(item)) yield value.with(at, other);
    return;
  }
  yield { ...value, unknown_member: 1 };
  for (const [name, member] of Object.entries(value)) {
    const { [name]: _, ...rest } = value as Record<string, unknown>;
    yield rest;
    for (const other of changed(member)) yield { ...value, [name]: other };
  }
}

it.each(SHAPES)('%s fits what the service takes for one, and nothing else', (name, shape) => {
  const example = EXAMPLES[name];
  expect(misfit(shape, example, { isTimestamp })).toBeNull();
  let refused = 0;
  for (const value of changed(example)) {
    const pointer = misfit(shape, value, { isTimestamp });
    if ((pointer === null) !== validate(name, value))
      throw new Error(`${pointer}: ${JSON.stringify(value)}`);
    if (pointer !== null) refused += 1;
  }
  expect(refused).toBeGreaterThan(0);
});

it('names the place of a fault', () => {
  const { protected: header, ...rest } = EXAMPLES.SignedRecord;
  const faulty = { ...rest, protected: { ...header, 'a/b': 1 } };
  expect(misfit(records.SignedRecord, faulty, { isTimestamp })).toBe('/protected/a~1b');
});
