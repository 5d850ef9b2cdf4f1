import type { Refusal } from '../errors.js';
import type { AttentionPolicy } from '../records/index.js';
import { charactersOf, isFasterThanReading, leastReading, requireRead } from './attention.js';

const POLICY: AttentionPolicy = {
  ...{ tier: 'high', read_seconds: 30, reading_rate: 0, cool_down_seconds: 0 },
  ...{ typed: [], open: [], per_hour: 0, per_day: 0 },
};
const AT = Date.parse('2026-05-01T09:00:00.000Z');

/** Null where the person has read enough, else the refusal. */
function refusalAt(
  changes: Partial<AttentionPolicy>,
  now: number,
  { candidateAt = AT, characters = 0 } = {},
) {
  try {
    requireRead({ ...POLICY, ...changes }, { materialAt: AT, candidateAt, characters }, now);
    return null;
  } catch (error) {
    return error as Refusal;
  }
}

describe('a yes needs', () => {
  it('that its giver has read the material, whatever the floors are', () => {
    const policy = { ...POLICY, read_seconds: 0 };
    const read = { materialAt: null, candidateAt: AT, characters: 0 };
    const refused = () => requireRead(policy, read, AT + 3_600_000);
    expect(refused).toThrow(expect.objectContaining({ code: 'attention_required' }));
    expect(refused).toThrow(expect.objectContaining({ retryAfter: undefined }));
  });

  test.each<
    [string, Partial<AttentionPolicy>, number, { candidateAt?: number; characters?: number }]
  >([
    ['the seconds of the policy', {}, 30_000, {}],
    ['the time that its length takes', { reading_rate: 50 }, 40_000, { characters: 2000 }],
    ['the longer one of both', { reading_rate: 200 }, 30_000, { characters: 2000 }],
    [
      'ten minutes at most for the length',
      { reading_rate: 10 },
      600_000,
      { characters: 10_000_000 },
    ],
    ['more than ten minutes where the policy says so', { read_seconds: 3600 }, 3_600_000, {}],
    [
      'the cool-down of the answer',
      { cool_down_seconds: 45 },
      55_000,
      { candidateAt: AT + 10_000 },
    ],
  ])('%s, to the millisecond', (_, changes, over, read) => {
    expect(refusalAt(changes, AT + over - 1, read)?.code).toBe('attention_required');
    expect(refusalAt(changes, AT + over, read)).toBeNull();
    expect(refusalAt(changes, AT + over + 1, read)).toBeNull();
  });

  it('as many seconds as the refusal tells, rounded up', () => {
    expect(refusalAt({}, AT)?.retryAfter).toBe(30);
    expect(refusalAt({}, AT + 1)?.retryAfter).toBe(30);
    expect(refusalAt({}, AT + 29_999)?.retryAfter).toBe(1);
  });

  it('time by the length that is no whole number of milliseconds, rounded up', () => {
    expect(leastReading({ ...POLICY, read_seconds: 0, reading_rate: 30 }, 1)).toBe(34);
  });
});

it('counts code points', () => {
  expect(charactersOf('aé😀\u{1F1E9}')).toBe(4);
  expect(charactersOf('')).toBe(0);
});

describe('faster than reading is', () => {
  const read = (read_ms: number) => ({
    ...{
      tier: 'low' as const,
      read_ms,
      typed: [],
      client: { document_end: true, payload_opened: true },
    },
    ...{ material_first_read_at: '2026-05-01T09:00:00.000Z' },
    candidate_first_read_at: '2026-05-01T09:00:00.000Z',
  });

  it('less than a second for 50 characters', () => {
    expect(isFasterThanReading(read(19_999), 1000)).toBe(true);
    expect(isFasterThanReading(read(20_000), 1000)).toBe(false);
  });

  it('nothing about a short document', () => {
    expect(isFasterThanReading(read(0), 499)).toBe(false);
    expect(isFasterThanReading(read(0), 500)).toBe(true);
  });
});
