import { next } from './next.js';
import type { Facts, Ledger, Own, Permit, Step } from './next.js';

// docs/guard.md, "What happens after a crash": what to do next, from the state of the request and what the process has.

const NOW = 1_000_000_000;
const FOREIGN_MS = 60_000;
const WINDOW_MS = 300_000;
const MARGIN_MS = 30_000;
const ME = 'guard-me';

const asked: Ledger = {
  ...{ decision: 'pending', authorises: null, grant: 'none', claim: null, isSettled: false },
};
const authorised: Ledger = { ...asked, decision: 'confirmed', authorises: true };
const available: Ledger = { ...authorised, grant: 'available' };
const claimedBy = (identity: string, age = 0): Ledger => ({
  ...available,
  ...{ grant: 'consumed', claim: { identity, at: NOW - age } },
});
const mine = claimedBy(ME);
/** Of a service that was restored, and has no claim. */
const lost: Ledger = { ...authorised, grant: 'revoked' };
const nothing: Own = {
  ...{ identity: null, hold: 'free', launch: 'none', inTime: false, isFenced: false },
  ...{ isDead: false, hasEnd: false, isAborted: false, probe: 'none', hasRevoked: false },
};
const holder: Own = { ...nothing, identity: ME, hold: 'held' };
const launched = (age: number): Permit => ({ checkedAt: NOW - age });

const stepOf = (ledger: Ledger | null, own: Partial<Own> = {}, permit: Permit = 'unread'): Step => {
  const facts: Facts = {
    ...{ now: NOW, ledger, own: { ...nothing, ...own }, permit },
    ...{ foreignMs: FOREIGN_MS, windowMs: WINDOW_MS, marginMs: MARGIN_MS },
  };
  return next(facts);
};

describe('before a claim', () => {
  it.each<[string, Ledger | null, Partial<Own>, Step]>([
    ['nothing asked', null, {}, { do: 'ask' }],
    ['people decide', asked, {}, { do: 'wait' }],
    ['a refusal', { ...authorised, authorises: false }, {}, { do: 'refused' }],
    ['a confirmation without a receipt', { ...available, authorises: null }, {}, { do: 'refused' }],
    [
      'no decision in time',
      { ...asked, decision: 'expired' },
      {},
      { do: 'lapsed', why: 'expired' },
    ],
    ['cancelled', { ...asked, decision: 'cancelled' }, {}, { do: 'lapsed', why: 'cancelled' }],
    ['replaced', { ...asked, decision: 'superseded' }, {}, { do: 'lapsed', why: 'superseded' }],
    ['not anchored', { ...authorised, grant: 'pending_anchor' }, {}, { do: 'wait' }],
    ['not used', { ...authorised, grant: 'expired' }, {}, { do: 'lapsed', why: 'grant_expired' }],
    ['taken back', { ...authorised, grant: 'revoked' }, {}, { do: 'lapsed', why: 'revoked' }],
    ['available', available, {}, { do: 'hold' }],
    ['available and held', available, holder, { do: 'claim' }],
    ['held by another process', available, { hold: 'taken' }, { do: 'follow', until: NOW }],
    ['taken back before it was claimed', lost, holder, { do: 'lapsed', why: 'revoked' }],
    ['lost with its claim', lost, { identity: ME }, { do: 'hold' }],
    ['lost, and held', lost, { identity: ME, hold: 'taken' }, { do: 'follow', until: NOW }],
    ['lost behind its fence', lost, { ...holder, isFenced: true }, { do: 'unknown' }],
    ['lost behind its end', lost, { ...holder, hasEnd: true }, { do: 'report' }],
  ])('%s', (_, ledger, own, step) => {
    expect(stepOf(ledger, own)).toEqual(step);
  });
});

describe('with its own claim', () => {
  it.each<[string, Partial<Own>, Permit, Step]>([
    ['no process holds it', { identity: ME }, 'unread', { do: 'hold' }],
    ['no launch', holder, 'unread', { do: 'launch' }],
    ['a launch whose answer was lost', { ...holder, launch: 'sent' }, 'unread', { do: 'launch' }],
    [
      'admitted and in time',
      { ...holder, launch: 'admitted', inTime: true },
      launched(0),
      { do: 'start' },
    ],
    ['admitted and late', { ...holder, launch: 'admitted' }, launched(0), { do: 'cancel' }],
    [
      'admitted and given up',
      { ...holder, launch: 'admitted', inTime: true, isAborted: true },
      launched(0),
      { do: 'cancel' },
    ],
    ['refused', { ...holder, launch: 'refused' }, 'unread', { do: 'look' }],
    ['refused, and no copy launched', { ...holder, launch: 'refused' }, 'none', { do: 'cancel' }],
    [
      'refused, and a copy launched',
      { ...holder, launch: 'refused' },
      launched(0),
      { do: 'follow', until: NOW + WINDOW_MS + MARGIN_MS },
    ],
    ['over', { ...holder, launch: 'over' }, 'unread', { do: 'cancel' }],
    ['given up before the launch', { ...holder, isAborted: true }, 'unread', { do: 'look' }],
    ['given up, and no copy launched', { ...holder, isAborted: true }, 'none', { do: 'cancel' }],
    ['an end to report', { ...holder, hasEnd: true, isFenced: true }, 'unread', { do: 'report' }],
  ])('%s', (_, own, permit, step) => {
    expect(stepOf(mine, own, permit)).toEqual(step);
  });
});

describe('a launch whose end was not seen', () => {
  const past = WINDOW_MS + MARGIN_MS;
  const fenced: Own = { ...holder, isFenced: true };
  it.each<[string, Partial<Own>, Permit, Step]>([
    ['is looked up', fenced, 'unread', { do: 'look' }],
    [
      'may go on within its window',
      fenced,
      launched(1_000),
      { do: 'follow', until: NOW - 1_000 + past },
    ],
    ['is uncertain behind it', fenced, launched(past), { do: 'uncertain' }],
    [
      'is uncertain at once when its process is gone',
      { ...fenced, isDead: true },
      'unread',
      { do: 'uncertain' },
    ],
    ['is asked for in the world', { ...fenced, probe: 'unasked' }, launched(past), { do: 'probe' }],
    [
      'is asked for once',
      { ...fenced, probe: 'unknown', isDead: true },
      'unread',
      { do: 'uncertain' },
    ],
    [
      'of a copy is never started',
      { ...holder, launch: 'unexplained', inTime: true },
      launched(past),
      { do: 'uncertain' },
    ],
  ])('%s', (_, own, permit, step) => {
    expect(stepOf(mine, own, permit)).toEqual(step);
  });
});

describe('a claim of another process', () => {
  const old = claimedBy('guard-other', FOREIGN_MS);
  it.each<[string, Ledger, Partial<Own>, Permit, Step]>([
    [
      'is given time',
      claimedBy('guard-other', 1),
      holder,
      'unread',
      { do: 'follow', until: NOW - 1 + FOREIGN_MS },
    ],
    ['is looked up then', old, {}, 'unread', { do: 'look' }],
    ['is revoked when nothing launched', old, {}, 'none', { do: 'revoke' }],
    [
      'is looked up again behind the revocation',
      old,
      { hasRevoked: true },
      'unread',
      { do: 'look' },
    ],
    [
      'is closed when there is no permit behind the revocation',
      old,
      { hasRevoked: true },
      'none',
      { do: 'cancel' },
    ],
    [
      'is followed when it launched',
      old,
      { hasRevoked: true },
      launched(0),
      { do: 'follow', until: NOW + WINDOW_MS + MARGIN_MS },
    ],
    [
      'is uncertain behind its window',
      old,
      {},
      launched(WINDOW_MS + MARGIN_MS),
      { do: 'uncertain' },
    ],
    [
      'of a copied journal is revoked too',
      claimedBy(ME, FOREIGN_MS),
      { ...holder, launch: 'elsewhere' },
      'none',
      { do: 'revoke' },
    ],
    [
      'that another process holds is followed',
      mine,
      { identity: ME, hold: 'taken' },
      'unread',
      { do: 'follow', until: NOW + FOREIGN_MS },
    ],
  ])('%s', (_, ledger, own, permit, step) => {
    expect(stepOf(ledger, own, permit)).toEqual(step);
  });
});

it('starts with the own claim, the hold, the permit and an open fence, and never otherwise', () => {
  const all = <Value>(...values: Value[]) => values;
  const starts: object[] = [];
  const settled = { ...mine, isSettled: true };
  for (const ledger of [asked, available, mine, claimedBy('guard-other', FOREIGN_MS), settled])
    for (const hold of all<Own['hold']>('free', 'held', 'taken'))
      for (const launch of all<Own['launch']>(
        'none',
        'sent',
        'admitted',
        'refused',
        'over',
        'unexplained',
        'elsewhere',
      ))
        for (const bits of Array.from({ length: 64 }, (_, at) => at))
          for (const permit of all<Permit>('unread', 'none', launched(0))) {
            const bit = (at: number) => (bits & (1 << at)) !== 0;
            const own: Own = {
              ...{ identity: ME, hold, launch, inTime: bit(0), isFenced: bit(1), isDead: bit(2) },
              ...{ hasEnd: bit(3), isAborted: bit(4), hasRevoked: bit(5), probe: 'unasked' },
            };
            if (stepOf(ledger, own, permit).do === 'start') starts.push({ ledger, ...own });
          }
  expect(starts.length).toBeGreaterThan(0);
  for (const start of starts)
    expect(start).toMatchObject({
      ...{ ledger: mine, hold: 'held', launch: 'admitted', inTime: true },
      ...{ isFenced: false, hasEnd: false, isAborted: false },
    });
});
