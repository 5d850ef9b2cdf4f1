import type { Lifecycle } from '@countersign/protocol';
import { Refusal } from '@countersign/protocol';
import { Recollection, withKnownState } from './recall.js';
import type { RequestRow } from './request-row.js';
import { StaleRead } from './fresh-state.js';

const row = {
  request_id: 'r',
  version: 3,
  now: 1_000_000,
  canonical: '{}',
  marks: '7,8,9,10,f',
  replay_digest: 'of the step before',
} as unknown as RequestRow;
const saved = { mark: '77', now: 1_000_005 };
const next = { execution: 'claimed', revision: 5 } as Lifecycle;

beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick'] }));
afterEach(() => jest.useRealTimers());

it('recalls what a step left behind, once, for its caller', () => {
  const recollection = new Recollection<RequestRow>();
  recollection.keep('t', 'bot', { row, saved, next });
  expect(recollection.take('t', 'r', 'somebody else')).toBeUndefined();
  expect(recollection.take('other', 'r', 'bot')).toBeUndefined();
  expect(recollection.take('t', 'r', 'bot')).toMatchObject({
    version: 4,
    execution: 'claimed',
    marks: '77,8,9,10,f',
    replay_digest: null,
    recalled: { marks: '77,8,9,10,f', at: saved.now },
  });
  expect(recollection.take('t', 'r', 'bot')).toBeUndefined();
});

it('leaves version and marks alone where the request was not moved', () => {
  const recollection = new Recollection<RequestRow>();
  recollection.keep('t', 'bot', { row, saved });
  expect(recollection.take('t', 'r', 'bot')).toMatchObject({ version: 3, marks: row.marks });
});

it("tells the database's time by the time that has passed, and nothing when it was not asked lately", () => {
  const recollection = new Recollection<RequestRow>();
  recollection.keep('t', 'bot', { row, saved });
  jest.advanceTimersByTime(700);
  expect(recollection.take('t', 'r', 'bot')?.now).toBe(saved.now + 700);
  recollection.keep('t', 'bot', { row, saved: { ...saved, now: saved.now + 700 } });
  jest.advanceTimersByTime(2000);
  expect(recollection.take('t', 'r', 'bot')).toBeUndefined();
});

it('forgets after a minute', () => {
  const recollection = new Recollection<RequestRow>();
  recollection.keep('t', 'bot', { row, saved });
  jest.advanceTimersByTime(60_001);
  recollection.noteTime(saved.now + 60_001);
  expect(recollection.take('t', 'r', 'bot')).toBeUndefined();
});

it('keeps a thousand, the newest', () => {
  const recollection = new Recollection<RequestRow>();
  for (let place = 0; place <= 1000; place += 1) {
    recollection.keep('t', 'bot', { row: { ...row, request_id: `r${place}` }, saved });
  }
  expect(recollection.take('t', 'r0', 'bot')).toBeUndefined();
  expect(recollection.take('t', 'r1', 'bot')).toBeDefined();
  expect(recollection.take('t', 'r1000', 'bot')).toBeDefined();
});

describe('a step on what is recalled', () => {
  const fresh = { ...row, version: 4 } as RequestRow;
  const load = jest.fn(async () => fresh);
  beforeEach(() => load.mockClear());

  it('reads nothing when it succeeds', async () => {
    expect(await withKnownState(row, load, async (known) => known?.version)).toBe(3);
    expect(load).not.toHaveBeenCalled();
  });

  it.each([new Refusal('grant_expired'), new StaleRead('execution.admit')])(
    'is decided again on what is read when it ends with %s',
    async (fault) => {
      const attempt = async (known: RequestRow | undefined) => {
        if (known === row) throw fault;
        return known?.version;
      };
      expect(await withKnownState(row, load, attempt)).toBe(4);
    },
  );

  it('fails when the database does', async () => {
    const attempt = async () => {
      throw new Error('connection lost');
    };
    await expect(withKnownState(row, load, attempt)).rejects.toThrow('connection lost');
    expect(load).not.toHaveBeenCalled();
  });
});
