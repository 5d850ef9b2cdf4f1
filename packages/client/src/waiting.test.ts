import { EXAMPLES } from '@countersign/protocol';

import { AnswerInvalid, ServiceRefusal, Unreachable, WaitEnded } from './errors.js';
import type { Surroundings } from './exchange.js';
import type { RequestStatus } from './generated/records.js';
import { isReached, until } from './waiting.js';
import type { Goal, ReadStatus } from './waiting.js';

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
  const around: Surroundings = {
    now: () => 0,
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      pauses.push(ms);
    },
    chance: () => 0.5,
  };
  const wait = (options = {}) => until(read, around, 'id', 'decided', options);
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
});
