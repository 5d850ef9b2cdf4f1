import { LONG_POLLS, Refusal } from '@countersign/protocol';

import type { LongPoll, LongPollLimits } from './long-polls.js';
import { createLongPolls } from './long-polls.js';

jest.useFakeTimers();
// No jitter.
jest.spyOn(Math, 'random').mockReturnValue(0.5);

const hint = 'changed';

function setup(limits?: LongPollLimits) {
  const polls = createLongPolls(limits);
  /** What a look finds. */
  const found: { value: number | Error } = { value: 1 };
  let looks = 0;
  let begun = 0;
  let waited = 0;
  const read = async () => {
    if (found.value instanceof Error) throw found.value;
    return found.value;
  };
  const hold = (changes: Partial<LongPoll<number>> = {}) => {
    const gone = new AbortController();
    const answer = polls.answer({
      tenant: 'acme',
      principal: 'bot',
      hint,
      ms: 10_000,
      gone: gone.signal,
      isNew: (value) => value > 1,
      first: read,
      begin: () => (begun += 1),
      look: () => {
        looks += 1;
        return read();
      },
      waited: (ms) => (waited += ms),
      ...changes,
    });
    answer.catch(() => {});
    return { answer, leave: () => gone.abort() };
  };
  return { ...polls, found, hold, looks: () => looks, begun: () => begun, waited: () => waited };
}

const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

describe('a call that may wait', () => {
  test('is answered at once when there is something new', async () => {
    const { hold, found, begun } = setup();
    found.value = 2;
    await expect(hold().answer).resolves.toEqual({ reply: 2, applied: true });
    expect(begun()).toBe(0);
  });

  test('looks again after a hint, and answers what it finds', async () => {
    const { hold, found, wake, looks, begun } = setup();
    const { answer } = hold();
    await pass(300);
    found.value = 2;
    wake(hint, 'acme');
    await pass(0);
    await expect(answer).resolves.toEqual({ reply: 2, applied: true });
    expect([looks(), begun()]).toEqual([1, 1]);
  });

  test('loses no hint that comes during its first look', async () => {
    const { hold, found, wake } = setup();
    const { answer } = hold({
      first: async () => {
        wake(hint, 'acme');
        found.value = 2;
        return 1;
      },
    });
    await pass(200);
    await expect(answer).resolves.toMatchObject({ reply: 2 });
  });

  test('rests between two looks, however many hints come', async () => {
    const { hold, wake, looks } = setup();
    hold();
    for (let at = 0; at < 600; at += 10) {
      wake(hint, 'acme');
      await pass(10);
    }
    expect(looks()).toBe(3);
  });

  test('hears no hint of another tenant or kind, and looks once a second without one', async () => {
    const { hold, found, wake, looks } = setup();
    const { answer } = hold();
    await pass(300);
    wake(hint, 'other');
    wake('other', 'acme');
    await pass(600);
    expect(looks()).toBe(0);
    found.value = 2;
    await pass(100);
    await expect(answer).resolves.toEqual({ reply: 2, applied: true });
  });

  test('is answered with the state of the moment when its time is up', async () => {
    const { hold, waited } = setup();
    const { answer } = hold({ ms: 2_500 });
    await pass(2_500);
    await expect(answer).resolves.toEqual({ reply: 1, applied: true });
    expect(waited()).toBe(2_500);
  });

  test('outlives a service that is away for a moment, unless its time is up', async () => {
    const { hold, found } = setup();
    const [short, long] = [hold({ ms: 2_500 }), hold()];
    await pass(500);
    found.value = new Refusal('service_unavailable');
    await pass(2_000);
    await expect(short.answer).rejects.toMatchObject({ code: 'service_unavailable' });
    found.value = 2;
    await pass(1_000);
    await expect(long.answer).resolves.toMatchObject({ reply: 2 });
  });

  test('is refused as soon as a look is refused', async () => {
    const { hold, found } = setup();
    const { answer } = hold();
    await pass(500);
    found.value = new Refusal('unauthenticated');
    await pass(500);
    await expect(answer).rejects.toMatchObject({ code: 'unauthenticated' });
  });
});

describe('the number of held calls', () => {
  const ended = () => setup({ ofPrincipal: 2, ofGateway: 3 });

  test('is bounded for a principal and for the gateway: others are answered at once', async () => {
    const { hold } = ended();
    hold();
    hold();
    await expect(hold().answer).resolves.toEqual({ reply: 1, applied: false });
    hold({ principal: 'second' });
    await expect(hold({ principal: 'third' }).answer).resolves.toMatchObject({ applied: false });
  });

  test('is 8 for a principal and 2000 for a gateway', async () => {
    const { hold } = setup();
    const { ofPrincipal, ofGateway } = LONG_POLLS;
    expect([ofPrincipal, ofGateway]).toEqual([8, 2000]);
    for (let number = 0; number < ofGateway; number += 1) {
      hold({ principal: `bot ${Math.floor(number / ofPrincipal)}` });
    }
    await expect(hold({ principal: 'late' }).answer).resolves.toMatchObject({ applied: false });
  });

  test('falls when a call is answered, refused, or its caller has gone', async () => {
    const { hold, found, wake } = ended();
    const first = hold();
    const second = hold();
    await pass(0);
    second.leave();
    await expect(second.answer).rejects.toMatchObject({ name: 'CallerGone' });
    const third = hold();
    await pass(300);
    found.value = 2;
    wake(hint, 'acme');
    await pass(0);
    await Promise.all([first.answer, third.answer]);
    found.value = 1;
    const more = [hold(), hold()];
    await pass(0);
    await expect(hold().answer).resolves.toMatchObject({ applied: false });
    found.value = new Refusal('unauthenticated');
    await pass(1_000);
    for (const { answer } of more) await expect(answer).rejects.toBeInstanceOf(Refusal);
    found.value = 1;
    const { answer } = hold({ ms: 1_000 });
    await pass(1_000);
    await expect(answer).resolves.toMatchObject({ applied: true });
  });
});

describe('a gateway that stops', () => {
  test('answers all held calls with the state of the moment, and holds no others', async () => {
    const { hold, stop, looks } = setup();
    const answers = [hold().answer, hold().answer];
    await pass(0);
    stop();
    await expect(Promise.all(answers)).resolves.toEqual(Array(2).fill({ reply: 1, applied: true }));
    expect(looks()).toBe(2);
    await expect(hold().answer).resolves.toEqual({ reply: 1, applied: false });
  });

  test('says what a last look says, when that fails', async () => {
    const { hold, stop, found } = setup();
    const { answer } = hold();
    await pass(0);
    found.value = new Refusal('service_unavailable');
    stop();
    await expect(answer).rejects.toMatchObject({ code: 'service_unavailable' });
  });
});
