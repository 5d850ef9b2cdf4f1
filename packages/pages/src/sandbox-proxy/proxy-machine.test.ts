import type { ProxyEffect, ProxyEvent, ProxyPhase, ProxyState } from './proxy-machine.js';
import { INITIAL_PROXY, proxyStep } from './proxy-machine.js';

const tell = (method: string, params: object = {}) => ({ jsonrpc: '2.0', method, params });
const fromHost = (data: unknown): ProxyEvent => ({ type: 'from_host', data });
const fromView = (data: unknown, carriesPorts = false): ProxyEvent => ({
  type: 'from_view',
  data,
  carriesPorts,
});
const RESOURCE = tell('proto/ui.resourceReady', { html: '<p>', sandbox: 'allow-scripts' });
const WAY: Record<ProxyPhase, ProxyEvent[]> = {
  proving: [],
  waiting: [{ type: 'proven' }],
  running: [{ type: 'proven' }, fromHost(RESOURCE), { type: 'inner_loaded' }],
  ended: [{ type: 'unproven' }],
};
const PHASES = Object.keys(WAY) as ProxyPhase[];

function after(...events: ProxyEvent[]): { state: ProxyState; effects: readonly ProxyEffect[] } {
  let state = INITIAL_PROXY;
  let effects: readonly ProxyEffect[] = [];
  for (const event of events) [state, effects] = proxyStep(state, event);
  return { state, effects };
}

/** Where the message went, or the reason of the end. */
function verdict(phase: ProxyPhase, event: ProxyEvent): string {
  const { effects } = after(...WAY[phase], event);
  const words = effects.map((effect) => {
    if (effect.type !== 'to_host' && effect.type !== 'to_view') return effect.type;
    const { method, params } = (effect.message ?? {}) as any;
    if (method === 'proto/ui.viewFailed') return params.reason;
    return `${effect.type} ${method ?? 'answer'}`.replace('proto/ui.', '');
  });
  return words.filter((word) => word !== 'remove_inner').join(', ') || '-';
}

const answer = { jsonrpc: '2.0', id: 1, result: {} };
const deep = JSON.parse(`${'['.repeat(66)}${']'.repeat(66)}`);

// Every message in every phase: proving, waiting, running, ended.
const HOST_MESSAGES: [string, unknown, string[]][] = [
  ['resourceReady', RESOURCE, ['out_of_order', 'create_inner', 'out_of_order', '-']],
  [
    'resourceReady with another sandbox',
    tell('proto/ui.resourceReady', { html: '', sandbox: '' }),
    ['out_of_order', 'out_of_order', 'out_of_order', '-'],
  ],
  ['input', tell('proto/ui.input'), ['out_of_order', 'out_of_order', 'to_view input', '-']],
  ['result', tell('proto/ui.result'), ['out_of_order', 'out_of_order', 'to_view result', '-']],
  [
    'teardown',
    { ...tell('proto/ui.teardown'), id: 1 },
    ['out_of_order', 'out_of_order', 'to_view teardown', '-'],
  ],
  ['an answer', answer, ['out_of_order', 'out_of_order', 'to_view answer', '-']],
  [
    'a probe',
    tell('proto/ui.proxyProbe', { challenge: 'x' }),
    ['out_of_order', 'out_of_order', 'out_of_order', '-'],
  ],
  [
    'an unknown request',
    { ...tell('x'), id: 1 },
    ['out_of_order', 'out_of_order', 'out_of_order', '-'],
  ],
  ['malformed', { a: 1 }, ['out_of_order', 'out_of_order', 'out_of_order', '-']],
  ['too deep', deep, ['too_deep', 'too_deep', 'too_deep', '-']],
  [
    'too big',
    tell('proto/ui.result', { a: 'x'.repeat(6_291_456) }),
    ['too_big', 'too_big', 'too_big', '-'],
  ],
];

describe.each(HOST_MESSAGES)('%s from the host', (_name, message, expected) => {
  test.each(PHASES.map((phase, at) => [phase, expected[at]]))('when %s: %s', (phase, word) => {
    expect(verdict(phase as ProxyPhase, fromHost(message))).toBe(word);
  });
});

// A View exists only while it runs.
test.each<[string, unknown, string]>([
  ['a request', { ...tell('proto/ui.propose'), id: 1 }, 'to_host propose'],
  ['anything else that is JSON', { a: 1 }, 'to_host answer'],
  ['a text', 'hello', 'to_host answer'],
  ['an answer', answer, 'to_host answer'],
  ['null', null, 'to_host answer'],
  ['a forged proxyReady', tell('proto/ui.proxyReady'), 'out_of_order'],
  ['a forged proxyAlive', tell('proto/ui.proxyAlive'), 'out_of_order'],
  ['a forged viewFailed', tell('proto/ui.viewFailed', { reason: 'x' }), 'out_of_order'],
  ['a forged resourceReady', RESOURCE, 'out_of_order'],
  ['a forged proxyReady with an id', { ...tell('proto/ui.proxyReady'), id: 1 }, 'out_of_order'],
  ['an unrequested proof', tell('proto/ui.proxyProof', { challenge: 'x' }), 'out_of_order'],
  ['something deep', deep, 'too_deep'],
  ['something big', 'x'.repeat(1_048_576), 'too_big'],
  ['no JSON', new Map(), 'not_json'],
])('%s from the View: %s', (_name, message, expected) => {
  expect(verdict('running', fromView(message))).toBe(expected);
  expect(verdict('ended', fromView(message))).toBe('-');
});

test('a View that sends ports has sent a value that is no JSON', () => {
  expect(verdict('running', fromView({ a: 1 }, true))).toBe('not_json');
});

test('is ready only when it has proven that it confines', () => {
  expect(after({ type: 'proven' }).effects).toEqual([
    { type: 'to_host', message: tell('proto/ui.proxyReady') },
  ]);
  expect(after({ type: 'unproven' }).effects).toEqual([
    { type: 'remove_inner' },
    { type: 'to_host', message: tell('proto/ui.viewFailed', { reason: 'unconfined' }) },
  ]);
});

test('a second load of the inner frame is a navigation', () => {
  expect(after(...WAY.running).state.phase).toBe('running');
  expect(verdict('running', { type: 'inner_loaded' })).toBe('navigated');
});

describe('beats', () => {
  const beat = (challenge: string): ProxyEvent => ({ type: 'beat', challenge });
  const proof = (challenge: string) => fromView(tell('proto/ui.proxyProof', { challenge }));
  const alive = { type: 'to_host', message: tell('proto/ui.proxyAlive') };

  test.each<ProxyPhase>(['proving', 'waiting'])(
    'only show that the proxy lives while %s',
    (phase) => {
      expect(after(...WAY[phase], beat('a')).effects).toEqual([alive]);
    },
  );

  test('ask the inner frame', () => {
    const probe = { type: 'to_view', message: tell('proto/ui.proxyProbe', { challenge: 'a' }) };
    expect(after(...WAY.running, beat('a')).effects).toEqual([alive, probe]);
  });

  test('end a View that has answered none of three', () => {
    const three = [...WAY.running, beat('a'), beat('b'), beat('c')];
    expect(after(...three).state.phase).toBe('running');
    expect(after(...three, beat('d')).state.phase).toBe('ended');
    expect(after(...three, proof('c'), beat('d')).state.phase).toBe('running');
  });

  test('take each proof once, and late ones in order', () => {
    const two = [...WAY.running, beat('a'), beat('b')];
    expect(after(...two, proof('a'), proof('b')).state).toMatchObject({
      phase: 'running',
      open: [],
    });
    expect(after(...two, proof('a'), proof('a')).state.phase).toBe('ended');
    expect(after(...two, proof('b'), proof('a')).state.phase).toBe('ended');
  });
});
