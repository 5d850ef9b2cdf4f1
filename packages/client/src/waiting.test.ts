import { EXAMPLES } from '@countersign/protocol';

import { AnswerInvalid, ServiceRefusal, Unreachable, WaitEnded } from './errors.js';
import type { Runtime } from './exchange.js';
import type { RequestStatus } from './generated/records.js';
import type { ReadPage } from './shared-reader.js';
import { isReached, newWaits } from './waiting.js';
import type { Goal, ReadStatus, WaitOptions } from './waiting.js';

const states = (
  decision: RequestStatus['decision_state'],
  grant: RequestStatus['grant_state'],
  more: Partial<RequestStatus> = {},
): RequestStatus => ({
  ...(EXAMPLES.RequestStatus as RequestStatus),
  ...{ decision_state: decision, grant_state: grant, claim: null, outcome: null, revision: 1 },
  ...more,
});
const record = EXAMPLES.SignedRecord;
const pending = states('pending', 'none');
const decided = states('confirmed', 'available', { revision: 2 });

describe('a goal is reached', () => {
  it.each<[string, RequestStatus, Goal[]]>([
    ['while it is pending', pending, []],
    ['when it expired', states('expired', 'none'), ['decided', 'available', 'settled']],
    [
      'when a review was answered',
      states('confirmed', 'not_applicable'),
      ['decided', 'available', 'settled'],
    ],
    ['when it was refused', states('confirmed', 'none'), ['decided', 'available', 'settled']],
    ['before its anchor', states('confirmed', 'pending_anchor'), ['decided']],
    ['when it may be claimed', decided, ['decided', 'available']],
    [
      'when it was claimed',
      states('confirmed', 'consumed', { claim: record }),
      ['decided', 'available'],
    ],
    [
      'when its claim was revoked too',
      states('cancelled', 'revoked', { claim: record }),
      ['decided', 'available'],
    ],
    [
      'when its outcome is there',
      states('confirmed', 'consumed', { claim: record, outcome: record }),
      ['decided', 'available', 'settled'],
    ],
    [
      'when nobody claimed it in time',
      states('confirmed', 'expired'),
      ['decided', 'available', 'settled'],
    ],
  ])('%s', (_, status, reached) => {
    const goals: Goal[] = ['decided', 'available', 'settled'];
    expect(goals.filter((goal) => isReached(goal, status))).toEqual(reached);
  });
});

type Step = RequestStatus | Error | 'held' | 'hang';

/** Looks that find one thing after the other. `held`: the service held the call, and nothing changed. */
function setup(steps: readonly Step[]) {
  const asked: (number | null)[] = [];
  const pauses: number[] = [];
  const read: ReadStatus = async (_id, revision, signal) => {
    const step = steps[Math.min(asked.length, steps.length - 1)] as Step;
    asked.push(revision);
    if (step instanceof Error) throw step;
    if (step === 'hang')
      return new Promise((_, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason as Error)),
      );
    return step === 'held' ? { status: pending, wasHeld: true } : { status: step, wasHeld: false };
  };
  const runtime: Runtime = {
    now: () => 0,
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      pauses.push(ms);
    },
    chance: () => 0.5,
  };
  const noFeed = () => Promise.reject(new Error('one wait reads no feed'));
  const waits = newWaits(read, noFeed, runtime);
  const wait = (options: WaitOptions = {}, goal: Goal = 'decided') =>
    waits.until('id', goal, options);
  return { asked, pauses, wait };
}

const refusal = (retry: ServiceRefusal['retry']) =>
  new ServiceRefusal({
    ...{ status: 503, code: 'admission_fenced', detail: '', instance: '' },
    ...{ retryAfter: null, retry, afterUnanswered: false },
  });

describe('a wait', () => {
  it('ends at once when the request was decided before', async () => {
    const { asked, wait } = setup([decided]);
    await expect(wait()).resolves.toBe(decided);
    expect(asked).toEqual([null]);
  });

  it('asks at once again after a call that was held, with the revision that it knows', async () => {
    const { asked, pauses, wait } = setup([pending, 'held', 'held', decided]);
    await expect(wait()).resolves.toBe(decided);
    expect(asked).toEqual([null, 1, 1, 1]);
    expect(pauses).toEqual([]);
  });

  it('pauses for longer and longer where calls are not held, and begins anew when something changed', async () => {
    const changed = { ...pending, revision: 2 };
    const { pauses, wait } = setup([...Array<Step>(8).fill(pending), changed, changed, decided]);
    await wait();
    expect(pauses).toEqual([1, 2, 5, 10, 30, 30, 30, 1, 2].map((seconds) => seconds * 1_000));
  });

  it('has no call held for an anchor, which raises no revision', async () => {
    const due = states('confirmed', 'pending_anchor', { revision: 2 });
    const { asked, pauses, wait } = setup([pending, due, due, due, decided]);
    await expect(wait({}, 'available')).resolves.toBe(decided);
    expect(asked).toEqual([null, 1, null, null, null]);
    expect(pauses).toEqual([250, 500, 1_000]);
  });

  it('goes on while the service is away, and when a person has to act first', async () => {
    const away = new Unreachable(6, 'none', new Error('refused'));
    const { pauses, wait } = setup([
      away,
      pending,
      away,
      refusal('after'),
      refusal('person'),
      decided,
    ]);
    await expect(wait()).resolves.toBe(decided);
    expect(pauses).toEqual([1_000, 1_000, 2_000, 30_000]);
  });

  it.each([
    ['a refusal', refusal('never')],
    ['an invalid answer', new AnswerInvalid('wrong_record')],
    [
      'answers that are none of the service',
      new Unreachable(6, 'none', new AnswerInvalid('not_json')),
    ],
  ])('ends with %s', async (_, fault) => {
    const { wait } = setup([pending, fault]);
    await expect(wait()).rejects.toBe(fault);
  });

  it('ends when its signal aborts or its time is up, and says which', async () => {
    const stop = new AbortController();
    const { wait } = setup([pending, 'hang']);
    const aborted = wait({ signal: stop.signal });
    stop.abort();
    await expect(aborted).rejects.toMatchObject({ name: 'WaitEnded', why: 'aborted' });
    await expect(wait({ signal: stop.signal })).rejects.toBeInstanceOf(WaitEnded);
    await expect(wait({ timeout: 5 })).rejects.toMatchObject({ why: 'timeout' });
  });

  it('looks once without any time', async () => {
    const open = setup([pending, decided]);
    await expect(open.wait({ timeout: 0 })).rejects.toMatchObject({ why: 'timeout' });
    expect(open.asked).toEqual([null]);
    await expect(setup([decided]).wait({ timeout: 0 })).resolves.toBe(decided);
  });
});

/** A service that holds calls, and remembers how many. */
function service() {
  const revisions = new Map<string, number>();
  const log: string[] = [];
  const changes = new Set<() => void>();
  let [held, mostHeld, feedsHeld, looking, mostLooking] = [0, 0, 0, 0, 0];
  let fault: Error | null = null;
  const holding = async (signal: AbortSignal, isNew: () => boolean) => {
    mostHeld = Math.max(mostHeld, (held += 1));
    try {
      while (!isNew() && fault === null)
        await new Promise<void>((go, end) => {
          changes.add(go);
          signal.addEventListener('abort', () => end(signal.reason as Error), { once: true });
        });
    } finally {
      held -= 1;
    }
  };
  const read: ReadStatus = async (id, revision, signal) => {
    signal.throwIfAborted();
    const now = () => revisions.get(id) ?? 1;
    if (revision !== null) await holding(signal, () => now() > revision);
    else {
      mostLooking = Math.max(mostLooking, (looking += 1));
      await new Promise((resolve) => setImmediate(resolve));
      looking -= 1;
    }
    const base = now() > 1 ? decided : pending;
    return { status: { ...base, revision: now() }, wasHeld: revision !== null };
  };
  const readPage: ReadPage = async (after, signal) => {
    const ids = () => log.slice(after ?? log.length);
    if (after !== null) {
      feedsHeld += 1;
      await holding(signal, () => ids().length > 0).finally(() => (feedsHeld -= 1));
    }
    if (fault !== null) throw fault;
    return { ids: ids(), next: log.length, wasHeld: after !== null };
  };
  const tell = () => {
    for (const go of changes) go();
    changes.clear();
  };
  const sleep: Runtime['sleep'] = (ms, signal) =>
    new Promise((resolve, reject) => {
      // Looks without an event never come: only events wake these waits.
      if (ms < 10_000) setImmediate(resolve);
      signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
  return {
    waits: newWaits(read, readPage, { now: () => 0, chance: () => 0.5, sleep }),
    decide(id: string) {
      revisions.set(id, 2);
      log.push(id);
      tell();
    },
    breakFeed(error: Error | null) {
      fault = error;
      tell();
    },
    figures: () => ({ held, mostHeld, feedsHeld, mostLooking }),
  };
}

const settled = async (isSo: () => boolean) => {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
};
const idsOf = (count: number) => Array.from({ length: count }, (_, at) => `request-${at}`);

describe('many waits of one client', () => {
  it('500 of them cost one held call, and eight looks at the same time', async () => {
    const { waits, decide, figures } = service();
    const ids = idsOf(500);
    const ends = ids.map((id) => waits.until(id, 'decided', {}));
    await settled(() => figures().feedsHeld === 1);
    for (const id of ids.slice(0, 450)) decide(id);
    await Promise.all(ends.slice(0, 450));
    expect(figures()).toEqual({ held: 1, mostHeld: 1, feedsHeld: 1, mostLooking: 8 });
    for (const id of ids.slice(450)) decide(id);
    await Promise.all(ends);
    expect(figures().held).toBe(0);
  });

  it('begin to share when a ninth comes, and have calls of their own when it has gone', async () => {
    const { waits, decide, figures } = service();
    const ids = idsOf(9);
    const ends = ids.slice(0, 8).map((id) => waits.until(id, 'decided', {}));
    await settled(() => figures().held === 8);
    ends.push(waits.until(ids[8]!, 'decided', {}));
    await settled(() => figures().held === 1 && figures().feedsHeld === 1);
    decide(ids[8]!);
    await ends[8];
    await settled(() => figures().held === 8 && figures().feedsHeld === 0);
    for (const id of ids) decide(id);
    await Promise.all(ends);
    expect(figures().held).toBe(0);
  });

  it('end in time and by their signals, and with the last of them the reader', async () => {
    const { waits, figures } = service();
    const stop = new AbortController();
    const { signal } = stop;
    const ends = idsOf(20).map((id) => waits.until(id, 'decided', { signal }));
    await settled(() => figures().feedsHeld === 1);
    await expect(waits.until('late', 'decided', { timeout: 5 })).rejects.toMatchObject({
      why: 'timeout',
    });
    stop.abort();
    for (const end of await Promise.allSettled(ends))
      expect(end).toMatchObject({ status: 'rejected', reason: { why: 'aborted' } });
    await settled(() => figures().held === 0);
  });

  it('go on when the feed is away for a while', async () => {
    const { waits, decide, breakFeed, figures } = service();
    const ids = idsOf(20);
    const ends = ids.map((id) => waits.until(id, 'decided', {}));
    await settled(() => figures().feedsHeld === 1);
    breakFeed(new Unreachable(6, 'none', new Error('refused')));
    await settled(() => figures().feedsHeld === 0);
    breakFeed(null);
    for (const id of ids) decide(id);
    await Promise.all(ends);
  });

  it('all end with a feed that is refused', async () => {
    const { waits, breakFeed, figures } = service();
    const ends = idsOf(20).map((id) => waits.until(id, 'decided', {}));
    await settled(() => figures().feedsHeld === 1);
    const fault = refusal('never');
    breakFeed(fault);
    for (const end of await Promise.allSettled(ends))
      expect(end).toEqual({ status: 'rejected', reason: fault });
  });
});
