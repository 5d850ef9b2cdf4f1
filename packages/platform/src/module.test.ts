import { createLogger } from './log.js';
import { assembleModules } from './module.js';
import type { Module, ModuleOptions, Modules } from './module.js';

const log = createLogger({ name: 'test', level: 'silent' });
let steps: string[] = [];
beforeEach(() => {
  steps = [];
});

function module(name: string, parts: Partial<Module> = {}): Module {
  return {
    name,
    start: async () => void steps.push(`+${name}`),
    stop: async () => void steps.push(`-${name}`),
    ...parts,
  };
}

async function started(modules: readonly Module[], options?: ModuleOptions): Promise<Modules> {
  const assembled = assembleModules(modules, log, options);
  await assembled.start();
  return assembled;
}

it('starts in order and stops in reverse', async () => {
  const running = await started([module('a'), module('b'), module('c')]);
  await running.stop();
  await running.stop();
  expect(steps).toEqual(['+a', '+b', '+c', '-c', '-b', '-a']);
});

it('stops the started modules when one fails to start', async () => {
  const failing = module('c', { start: () => Promise.reject(new Error('no')) });
  await expect(started([module('a'), module('b'), failing, module('d')])).rejects.toThrow('no');
  expect(steps).toEqual(['+a', '+b', '-b', '-a']);
});

it('is held up by no module that hangs or fails to stop', async () => {
  const running = await started(
    [
      module('a'),
      module('b', { stop: () => new Promise(() => {}) }),
      module('c', { stop: () => Promise.reject(new Error('no')) }),
    ],
    { stopMs: 20 },
  );
  await running.stop();
  expect(steps).toEqual(['+a', '+b', '+c', '-a']);
});

it('stops while it is still starting', async () => {
  let go = (): void => {};
  const slow = module('b', {
    start: () =>
      new Promise((resolve) => {
        go = resolve;
      }),
  });
  const modules = assembleModules([module('a'), slow, module('c')], log);
  const starting = modules.start();
  await new Promise((resolve) => setImmediate(resolve));
  const stopping = modules.stop();
  go();
  await Promise.all([starting, stopping]);
  expect(steps).toEqual(['+a', '-b', '-a']);
});

it('stops while a module fails to start', async () => {
  let fail = (_error: Error): void => {};
  const failing = module('b', {
    start: () =>
      new Promise((_resolve, reject) => {
        fail = reject;
      }),
  });
  const modules = assembleModules([module('a'), failing], log);
  const starting = modules.start();
  await new Promise((resolve) => setImmediate(resolve));
  const stopping = modules.stop();
  fail(new Error('no'));
  await expect(starting).rejects.toThrow('no');
  await stopping;
  expect(steps).toEqual(['+a', '-a']);
});

it('is ready when every module says so, and says which is not', async () => {
  let broken = true;
  const modules = assembleModules(
    [
      module('a'),
      module('b', {
        ready: async () => {
          if (broken) throw new Error('private words');
        },
      }),
    ],
    log,
  );
  expect(await modules.readiness()).toEqual({
    ready: false,
    modules: { a: 'starting', b: 'starting' },
  });
  await modules.start();
  expect(await modules.readiness()).toEqual({
    ready: false,
    modules: { a: 'ready', b: 'unready' },
  });
  broken = false;
  expect(await modules.readiness()).toEqual({ ready: true, modules: { a: 'ready', b: 'ready' } });
  await modules.stop();
  expect((await modules.readiness()).ready).toBe(false);
});

it('does not wait for a module that does not say', async () => {
  const silent = module('a', { ready: () => new Promise(() => {}) });
  const running = await started([silent], { readyMs: 20 });
  expect(await running.readiness()).toEqual({ ready: false, modules: { a: 'unready' } });
});
