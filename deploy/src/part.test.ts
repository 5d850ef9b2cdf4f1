import { mergedFamilies, inStages } from './part.js';
import type { Part } from './part.js';

const NONE = async (): Promise<void> => {};

function part(of: Partial<Part>): Part {
  return {
    start: NONE,
    stop: NONE,
    readiness: async () => ({ ready: true, modules: {} }),
    alive: async () => true,
    families: async () => [],
    ...of,
  };
}

describe('families of several threads', () => {
  const family = (name: string, ...samples: string[]) =>
    [`# HELP ${name} Of a test.`, `# TYPE ${name} gauge`, ...samples].join('\n');

  test('are one each, with the series of all', () => {
    expect(
      mergedFamilies([
        family('lag', 'lag{thread="a"} 1'),
        family('only', 'only 7', ''),
        family('lag', 'lag{thread="b"} 2', 'lag{thread="c"} +Inf'),
      ]),
    ).toEqual([
      family('lag', 'lag{thread="a"} 1', 'lag{thread="b"} 2', 'lag{thread="c"} +Inf'),
      family('only', 'only 7'),
    ]);
  });

  test('have a series once that several have, and may have none', () => {
    expect(
      mergedFamilies([family('limit', 'limit 5'), family('limit', 'limit 6'), family('empty')]),
    ).toEqual([family('limit', 'limit 5'), family('empty')]);
  });
});

describe('parts in stages', () => {
  test('start in order and stop in reverse, those of a stage together', async () => {
    const told: string[] = [];
    const noted = (name: string): Part =>
      part({
        start: async () => void told.push(`start ${name}`),
        stop: async () => void told.push(`stop ${name}`),
      });
    const whole = inStages([[noted('a'), noted('b')], [noted('c')]]);
    await whole.start();
    await whole.stop();
    expect(told).toEqual(['start a', 'start b', 'start c', 'stop c', 'stop a', 'stop b']);
  });

  test('do not start what comes after a part that fails', async () => {
    const told: string[] = [];
    const whole = inStages([
      [part({ start: () => Promise.reject(new Error('no key')) })],
      [part({ start: async () => void told.push('started') })],
    ]);
    await expect(whole.start()).rejects.toThrow('no key');
    expect(told).toEqual([]);
  });

  test('are ready when all are, and a module of several as the worst of them', async () => {
    const whole = inStages([
      [part({ readiness: async () => ({ ready: true, modules: { connections: 'ready' } }) })],
      [
        part({
          readiness: async () => ({
            ready: false,
            modules: { connections: 'unready', x: 'ready' },
          }),
        }),
        part({ readiness: async () => ({ ready: true, modules: { connections: 'ready' } }) }),
      ],
    ]);
    expect(await whole.readiness()).toEqual({
      ready: false,
      modules: { connections: 'unready', x: 'ready' },
    });
  });

  test('live while all of them do', async () => {
    expect(await inStages([[part({})], [part({})]]).alive()).toBe(true);
    const stuck = part({ alive: async () => false });
    expect(await inStages([[part({}), stuck], [part({})]]).alive()).toBe(false);
  });
});
