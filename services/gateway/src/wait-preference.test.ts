import { HINTS } from '@countersign/platform';
import { operationNamed } from '@countersign/protocol';

import { etagOf } from './etag.js';
import { readWait } from './wait-preference.js';

const status = operationNamed('request.status');
const events = operationNamed('ledger.events');
const poll = operationNamed('request.hitl-poll');

const seconds = (prefer: string) => readWait(events, { prefer }, { after: '0' })?.seconds ?? null;
const reply = (value: unknown) => ({ status: 200, body: JSON.stringify(value) });

describe('the preference to wait', () => {
  test.each([
    ['wait=1', 1],
    ['wait=30', 30],
    ['Wait = "25"', 25],
    ['respond-async, wait=5;x=y', 5],
    ['wait=5, wait=9', 5],
  ])('is read from %s', (prefer, found) => expect(seconds(prefer)).toBe(found));

  test.each([
    'wait=0',
    'wait=31',
    'wait',
    'wait=',
    'wait=1.5',
    'wait=-1',
    'waits=5',
    'wait="5',
    '',
  ])('is not followed when it is %p', (prefer) => expect(seconds(prefer)).toBeNull());

  test('is not followed by operations that do not wait', () => {
    const list = operationNamed('request.list');
    expect(readWait(list, { prefer: 'wait=5; revision=1' }, {})).toBeNull();
  });

  test('of a status needs the revision that the caller knows', () => {
    expect(readWait(status, { prefer: 'wait=5' }, {})).toBeNull();
    expect(readWait(status, { prefer: 'wait=5; revision=x' }, {})).toBeNull();
    const wait = readWait(status, { prefer: 'wait=5; revision=2' }, {});
    expect(wait).toMatchObject({ seconds: 5, hint: HINTS.outbox });
    const isNew = (revision: number) => wait?.isNew(reply({ revision }));
    expect([1, 2, 3].map(isNew)).toEqual([false, false, true]);
  });

  test('of events ends with one above the cursor, even if only its number is left', () => {
    const wait = readWait(events, { prefer: 'wait=5' }, { after: '7' });
    expect(wait?.hint).toBe(HINTS.grown);
    const isNew = (items: unknown[], next: number) => wait?.isNew(reply({ items, next }));
    expect([isNew([], 7), isNew([{}], 8), isNew([], 9)]).toEqual([false, true, true]);
    expect(wait?.isNew({ status: 200, body: '', bytes: Buffer.alloc(300_000) })).toBe(true);
  });

  test('of a poll needs the answer that the caller has', () => {
    expect(readWait(poll, { prefer: 'wait=5' }, {})).toBeNull();
    const had = etagOf(reply({ status: 'pending' }).body);
    const wait = readWait(poll, { prefer: 'wait=5', 'if-none-match': `W/${had}` }, {});
    expect(wait?.isNew(reply({ status: 'pending' }))).toBe(false);
    expect(wait?.isNew(reply({ status: 'completed' }))).toBe(true);
  });
});
