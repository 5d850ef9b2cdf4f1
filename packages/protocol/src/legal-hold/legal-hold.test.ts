import { EXAMPLES } from '../records/examples.js';
import { validate } from '../records/index.js';
import type { LegalHoldInput } from '../records/index.js';
import { MOST_HELD_MS, isInForce, liftHold, setHold } from './legal-hold.js';
import type { Custodian, LegalHold } from './legal-hold.js';

const NOW = Date.parse('2026-05-02T09:00:00.000Z');
const ID = EXAMPLES.LegalHoldSet.id;
const FIRST = '0b9a6c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d';
const SECOND = '1f0e9d8c-7b6a-4958-8776-655443322110';
const DIGEST = EXAMPLES.LegalHoldSet.requests[0]?.digest as `sha256:${string}`;
const ALL = new Map([FIRST, SECOND].map((id) => [id, DIGEST]));
const CAROL: Custodian = { principal: 'custodian-1', person: 'carol' };
const DAVE: Custodian = { principal: 'custodian-2', person: 'dave' };
const INPUT: LegalHoldInput = {
  requests: [FIRST],
  reference: 'Case 2026-117',
  until: '2028-05-01T00:00:00.000Z',
};
const END = Date.parse(INPUT.until);

const set = (
  changes: Partial<LegalHoldInput> = {},
  known: LegalHold | null = null,
  { by = CAROL, now = NOW } = {},
) => setHold(known, ID, { ...INPUT, ...changes }, ALL, by, now);
const held = () => set().next as LegalHold;
const inMs = (milliseconds: number) => new Date(NOW + milliseconds).toISOString();

describe('a hold', () => {
  it('is set with the requests in the order of their ids', () => {
    const { refused, record } = set({ requests: [SECOND, FIRST] });
    expect(refused).toBeNull();
    expect(validate('LegalHoldSet', record)).toBe(true);
    expect(record).toMatchObject({ revision: 1, set_by: 'custodian-1', set_at: inMs(0) });
    expect(record?.requests.map(({ id }) => id)).toEqual([FIRST, SECOND]);
  });

  it('grows by requests and by time, as its next revision by the one who changes it', () => {
    const { record, next } = set(
      { requests: [FIRST, SECOND], until: '2029-05-01T00:00:00.000Z' },
      held(),
      { by: DAVE },
    );
    expect(record).toMatchObject({ revision: 2, set_by: 'custodian-2' });
    expect(next?.setter).toBe('dave');
  });

  it('stays as it is when the same is asked again, also by another custodian', () => {
    expect(set({ until: '2028-05-01T02:00:00+02:00' }, held(), { by: DAVE })).toEqual({
      ...{ refused: null, record: null },
      next: held(),
    });
  });

  test.each<[string, Partial<LegalHoldInput>]>([
    ['loses a request', { requests: [SECOND] }],
    ['ends earlier than it said', { until: '2028-04-30T23:59:59.999Z' }],
  ])('never %s', (_, changes) => {
    expect(set(changes, held()).refused).toBe('invalid_LegalHoldInput');
  });

  test.each<[string, number, string | null]>([
    ['now', 0, 'invalid_LegalHoldInput'],
    ['a moment later', 1, null],
    ['after five years', MOST_HELD_MS, null],
    ['after more', MOST_HELD_MS + 1, 'invalid_LegalHoldInput'],
  ])('that ends %s is taken or not', (_, milliseconds, refused) => {
    expect(set({ until: inMs(milliseconds) }).refused).toBe(refused);
  });

  it('is not set on a request that is gone', () => {
    const gone = setHold(null, ID, INPUT, new Map(), CAROL, NOW);
    expect(gone).toEqual({ refused: 'not_found', next: null, record: null });
  });

  it('may be renewed after it ran out, and not after it was lifted', () => {
    const later = { until: '2029-05-01T00:00:00.000Z' };
    expect(set(later, held(), { now: END }).record?.revision).toBe(2);
    const { next } = liftHold(held(), DAVE, NOW);
    expect(set(later, next).refused).toBe('identity_conflict');
  });

  it('is in force until its end', () => {
    expect([END - 1, END].map((now) => isInForce(held(), now))).toEqual([true, false]);
    expect(isInForce(liftHold(held(), DAVE, NOW).next as LegalHold, NOW)).toBe(false);
  });
});

describe('a lift', () => {
  it('is by another custodian, and names the one who set the hold', () => {
    const { record } = liftHold(held(), DAVE, NOW);
    expect(validate('LegalHoldLifted', record)).toBe(true);
    expect(record).toMatchObject({ lifted_by: 'custodian-2', set_by: 'custodian-1' });
  });

  test.each<[string, Custodian]>([
    ['the custodian who set it', CAROL],
    ['the same person as another principal', { ...DAVE, person: 'carol' }],
    ['the same principal as another person', { ...CAROL, person: 'dave' }],
  ])('is not by %s', (_, by) => {
    expect(liftHold(held(), by, NOW)).toEqual({
      ...{ refused: 'second_person_required', record: null },
      next: held(),
    });
  });

  it('is by the first custodian where another one changed the hold since', () => {
    const { next } = set({ requests: [FIRST, SECOND] }, held(), { by: DAVE });
    expect(liftHold(next, CAROL, NOW).record?.set_by).toBe('custodian-2');
    expect(liftHold(next, DAVE, NOW).refused).toBe('second_person_required');
  });

  it('finds nothing where there is no hold, one that ran out, or one that was lifted', () => {
    const lifted = liftHold(held(), DAVE, NOW).next;
    expect(liftHold(null, DAVE, NOW).refused).toBe('not_found');
    expect(liftHold(held(), DAVE, END).refused).toBe('not_found');
    expect(liftHold(lifted, DAVE, NOW).refused).toBe('not_found');
  });
});
