import { createDatabaseClock } from './database-clock.js';
import { createLogger } from './log.js';

const log = createLogger({ name: 'test', level: 'silent' });
const NOON = Date.UTC(2026, 10, 22, 12);

/** A database whose clock shows noon at the start, asked over a line that takes `lineMs` each way. */
function setup({ lineMs = 0 } = {}) {
  const line = { ms: lineMs, broken: false };
  let monotonic = 5_000;
  const clock = createDatabaseClock({
    log,
    monotonicMs: () => monotonic,
    read: async () => {
      if (line.broken) throw new Error('away');
      monotonic += line.ms;
      const shown = NOON + monotonic - 5_000;
      monotonic += line.ms;
      return shown;
    },
  });
  /** As the database shows it. */
  const truth = () => NOON + monotonic - 5_000;
  return { clock, line, truth, pass: (ms: number) => (monotonic += ms) };
}

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

it('knows no time before its first reading, and says so', async () => {
  const { clock, line } = setup();
  line.broken = true;
  await clock.start();
  expect(() => clock.now()).toThrow(expect.objectContaining({ code: 'service_unavailable' }));
  await expect(clock.ready?.()).rejects.toThrow('has not been read');
  line.broken = false;
  await jest.advanceTimersByTimeAsync(600);
  expect(clock.now()).toBe(NOON);
  await clock.ready?.();
  await clock.stop();
});

it('is wrong by half of a round trip at most, and goes on by itself', async () => {
  const { clock, truth, pass } = setup({ lineMs: 40 });
  await clock.start();
  expect(Math.abs(clock.now() - truth())).toBeLessThanOrEqual(40);
  pass(9_000);
  expect(Math.abs(clock.now() - truth())).toBeLessThanOrEqual(40);
  await clock.stop();
});

it('does not look at the clock of the machine', async () => {
  const { clock, truth } = setup();
  await clock.start();
  jest.setSystemTime(0);
  expect(clock.now()).toBe(truth());
  await clock.stop();
});

it('throws a slow reading away and keeps the last good one', async () => {
  const { clock, line, truth, pass } = setup();
  await clock.start();
  line.ms = 1_500;
  pass(10_000);
  await jest.advanceTimersByTimeAsync(10_000);
  expect(clock.now()).toBe(truth());
  line.broken = true;
  await jest.advanceTimersByTimeAsync(60_000);
  expect(clock.now()).toBe(truth());
  await clock.stop();
});

it('waits for no database that hangs', async () => {
  const read = jest.fn(() => new Promise<number>(() => {}));
  const silent = createDatabaseClock({ log, read });
  await silent.start();
  expect(() => silent.now()).toThrow();
  await jest.advanceTimersByTimeAsync(60_000);
  expect(read).toHaveBeenCalledTimes(1);
  await silent.stop();
});

it('takes no slow reading for its first', async () => {
  const { clock } = setup({ lineMs: 1_500 });
  await clock.start();
  expect(() => clock.now()).toThrow();
  await clock.stop();
});

it('follows the database when its clock is set', async () => {
  let shown = NOON;
  const clock = createDatabaseClock({ log, monotonicMs: () => 0, read: async () => shown });
  await clock.start();
  shown += 60_000;
  await jest.advanceTimersByTimeAsync(10_000);
  expect(clock.now()).toBe(NOON + 60_000);
  await clock.stop();
  shown += 60_000;
  await jest.advanceTimersByTimeAsync(60_000);
  expect(clock.now()).toBe(NOON + 60_000);
});

it('tells how far the clock of the machine is off, and warns once', async () => {
  const lines: string[] = [];
  const log = createLogger({
    name: 'test',
    destination: { write: (line) => void lines.push(line) },
  });
  let machine = NOON;
  const clock = createDatabaseClock({
    log,
    monotonicMs: () => 0,
    machineMs: () => machine,
    read: async () => NOON,
  });
  expect(clock.offsetMs()).toBeNull();
  await clock.start();
  expect(clock.offsetMs()).toBe(0);
  expect(lines).toEqual([]);
  machine += 600_000;
  await jest.advanceTimersByTimeAsync(30_000);
  expect(clock.offsetMs()).toBe(600_000);
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ level: 'warn', offsetSeconds: 600 }),
  ]);
  await clock.stop();
});
