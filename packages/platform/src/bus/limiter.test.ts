import { createLimiter } from './limiter.js';
import type { Task } from './limiter.js';

/** A task that ends on a signal. */
function task(overdue = () => false): Task & { started: boolean; end: () => void } {
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const made = {
    started: false,
    end,
    isOverdue: overdue,
    run: () => {
      made.started = true;
      return ended;
    },
  };
  return made;
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('runs as many as it may, then in order', async () => {
  const limiter = createLimiter(2, 10);
  const tasks = Array.from({ length: 5 }, () => task());
  for (const one of tasks) expect(limiter.submit(one)).toBe(true);
  const started = (): boolean[] => tasks.map((one) => one.started);
  expect(started()).toEqual([true, true, false, false, false]);
  tasks[1]?.end();
  await turn();
  expect(started()).toEqual([true, true, true, false, false]);
  tasks[0]?.end();
  tasks[2]?.end();
  await turn();
  expect(started()).toEqual([true, true, true, true, true]);
});

it('takes no more than its backlog', () => {
  const limiter = createLimiter(1, 2);
  expect([1, 2, 3, 4].map(() => limiter.submit(task()))).toEqual([true, true, true, false]);
});

it('takes nothing to wait when it has no backlog', async () => {
  const limiter = createLimiter(1, 0);
  const first = task();
  expect([limiter.submit(first), limiter.submit(task())]).toEqual([true, false]);
  first.end();
  await turn();
  expect(limiter.submit(task())).toBe(true);
});

it('drops overdue items when their turn comes', async () => {
  const limiter = createLimiter(1, 10);
  const first = task();
  const overdue = task(() => true);
  const last = task();
  for (const one of [first, overdue, last]) limiter.submit(one);
  first.end();
  await turn();
  expect([overdue.started, last.started]).toEqual([false, true]);
});

it('gives the place of the overdue to new ones', () => {
  const limiter = createLimiter(1, 1);
  let late = false;
  limiter.submit(task());
  limiter.submit(task(() => late));
  expect(limiter.submit(task())).toBe(false);
  late = true;
  expect(limiter.submit(task())).toBe(true);
});

it('is idle when nothing runs and nothing waits', async () => {
  const limiter = createLimiter(1, 10);
  await limiter.idle();
  const tasks = [task(), task(() => true), task()];
  for (const one of tasks) limiter.submit(one);
  let idle = false;
  void limiter.idle().then(() => {
    idle = true;
  });
  tasks[0]?.end();
  await turn();
  expect(idle).toBe(false);
  tasks[2]?.end();
  await turn();
  expect(idle).toBe(true);
});

it('holds nothing back over many turns', async () => {
  const limiter = createLimiter(1, 10_000);
  let done = 0;
  const first = task();
  limiter.submit(first);
  for (let i = 0; i < 5000; i += 1) {
    limiter.submit({ isOverdue: () => i % 3 === 0, run: async () => void (done += 1) });
  }
  first.end();
  await limiter.idle();
  expect(done).toBe(3333);
});
