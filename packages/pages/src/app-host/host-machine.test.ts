import { EXAMPLES } from '@countersign/protocol';
import { AGENT_UI_LIMITS, AGENT_UI_PROFILE } from '@countersign/protocol/constants';
import { validate } from '@countersign/protocol';

import type { HostEffect, HostEvent, HostState, Phase } from './host-machine.js';
import { INITIAL, hostStep } from './host-machine.js';

const facts = { app: EXAMPLES.StoredApp, hostInfo: { name: 'Countersign', version: '1' } };

const ask = (id: unknown, method: string, params: object = {}) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});
const tell = (method: string, params: object = {}) => ({ jsonrpc: '2.0', method, params });
const initialize = (changes: object = {}, id: unknown = 'init') =>
  ask(id, 'proto/ui.initialize', {
    protocolVersion: AGENT_UI_PROFILE,
    capabilities: { localProposal: true },
    ...changes,
  });
const proposal = { response: { note: 'x' }, decision: 'approve' };
const propose = (id: unknown = 'p', params: object = proposal) =>
  ask(id, 'proto/ui.propose', params);

const PROXY_READY = tell('proto/ui.proxyReady');
const INITIALIZED = tell('proto/ui.initialized');
const CLOSED_ANSWER = { jsonrpc: '2.0', id: 'host-teardown', result: { closed: true } };

const says = (data: unknown): HostEvent => ({ type: 'message', data });

/** Events in a row; the state after them and the effects of the last. */
function after(...events: HostEvent[]): { state: HostState; effects: readonly HostEffect[] } {
  let state = INITIAL;
  let effects: readonly HostEffect[] = [];
  for (const event of events) [state, effects] = hostStep(facts, state, event);
  return { state, effects };
}

const WAY: Record<Phase, HostEvent[]> = {
  loading: [],
  started: [says(PROXY_READY)],
  initialising: [says(PROXY_READY), says(initialize())],
  active: [says(PROXY_READY), says(initialize()), says(INITIALIZED)],
  closing: [says(PROXY_READY), says(initialize()), says(INITIALIZED), { type: 'close' }],
  closed: [says(PROXY_READY), { type: 'close' }],
};
const PHASES = Object.keys(WAY) as Phase[];

/** The result of an event, in one word: an error code, a failure, the phase reached, or nothing. */
function verdict(phase: Phase, event: HostEvent): string {
  const { state, effects } = after(...WAY[phase], event);
  const words = effects.flatMap((effect) => {
    if (effect.type === 'remove') return [effect.failure ?? 'removed'];
    const sent = effect.type === 'send' ? (effect.message as any) : null;
    if (sent?.error) return [String(sent.error.code)];
    return [];
  });
  if (state.phase !== phase && state.phase !== 'closed') words.push(state.phase);
  if (effects.some(({ type }) => type === 'propose')) words.push('propose');
  return words.join(' ') || '-';
}

// Every message in every phase: loading, started, initialising, active, closing, closed.
const MESSAGES: [string, unknown, string[]][] = [
  [
    'proxyReady',
    PROXY_READY,
    ['started', 'out_of_order', 'out_of_order', 'out_of_order', 'removed', '-'],
  ],
  ['proxyAlive', tell('proto/ui.proxyAlive'), ['-', '-', '-', '-', '-', '-']],
  [
    'viewFailed',
    tell('proto/ui.viewFailed', { reason: 'navigated' }),
    ['navigated', 'navigated', 'navigated', 'navigated', 'removed', '-'],
  ],
  [
    'viewFailed, unknown reason',
    tell('proto/ui.viewFailed', { reason: 'x' }),
    ['not_loaded', 'not_loaded', 'not_loaded', 'not_loaded', 'removed', '-'],
  ],
  [
    'initialize',
    initialize({}, 'i2'),
    ['out_of_order', 'initialising', '-32600 out_of_order', '-32600 out_of_order', '-', '-'],
  ],
  [
    'initialize, wrong profile',
    initialize({ protocolVersion: 'x' }, 'i2'),
    [
      'out_of_order',
      '-32602 wrong_profile',
      '-32600 out_of_order',
      '-32600 out_of_order',
      '-',
      '-',
    ],
  ],
  [
    'initialize, more members',
    initialize({ more: 1 }, 'i2'),
    [
      'out_of_order',
      '-32602 wrong_profile',
      '-32600 out_of_order',
      '-32600 out_of_order',
      '-',
      '-',
    ],
  ],
  [
    'initialized',
    INITIALIZED,
    ['out_of_order', 'out_of_order', 'active', 'out_of_order', '-', '-'],
  ],
  [
    'initialized, with params',
    tell('proto/ui.initialized', { a: 1 }),
    ['out_of_order', 'out_of_order', 'out_of_order', 'out_of_order', '-', '-'],
  ],
  [
    'propose',
    propose(),
    ['out_of_order', '-32600 out_of_order', '-32600 out_of_order', 'propose', '-', '-'],
  ],
  [
    'propose, no proposal',
    propose('p', { response: 1 }),
    ['out_of_order', '-32600 out_of_order', '-32600 out_of_order', '-32602', '-', '-'],
  ],
  [
    'propose, unknown decision',
    propose('p', { ...proposal, decision: 'x' }),
    ['out_of_order', '-32600 out_of_order', '-32600 out_of_order', '-32602', '-', '-'],
  ],
  [
    'propose without id',
    tell('proto/ui.propose', proposal),
    ['out_of_order', '-', '-', '-', '-', '-'],
  ],
  [
    'unknown method',
    ask('u', 'tools/call'),
    ['out_of_order', '-32601', '-32601', '-32601', '-', '-'],
  ],
  [
    'teardown of its own',
    ask('t', 'proto/ui.teardown'),
    ['out_of_order', '-32601', '-32601', '-32601', '-', '-'],
  ],
  ['unknown notification', tell('proto/ui.hello'), ['out_of_order', '-', '-', '-', '-', '-']],
  [
    'malformed with an id',
    { ...ask('m', 'x'), more: 1 },
    ['out_of_order', '-32600', '-32600', '-32600', '-', '-'],
  ],
  ['malformed without', { jsonrpc: '2.0' }, ['out_of_order', '-', '-', '-', '-', '-']],
  ['a text', 'hello', ['out_of_order', '-', '-', '-', '-', '-']],
  ['answer to teardown', CLOSED_ANSWER, ['out_of_order', '-', '-', '-', 'removed', '-']],
  [
    'error to teardown',
    { jsonrpc: '2.0', id: 'host-teardown', error: { code: -32600, message: '' } },
    ['out_of_order', '-', '-', '-', 'removed', '-'],
  ],
  [
    'bad answer to teardown',
    { jsonrpc: '2.0', id: 'host-teardown', result: { closed: false } },
    ['out_of_order', '-', '-', '-', 'removed', '-'],
  ],
  [
    'unknown answer',
    { jsonrpc: '2.0', id: 'x', result: {} },
    ['out_of_order', '-', '-', '-', '-', '-'],
  ],
  ['no JSON', new Date(0), ['not_json', 'not_json', 'not_json', 'not_json', 'removed', '-']],
  [
    'too big',
    propose('p', { response: 'x'.repeat(1_048_576), decision: 'answer' }),
    ['too_big', 'too_big', 'too_big', 'too_big', 'removed', '-'],
  ],
];

describe.each(MESSAGES)('%s', (_name, message, expected) => {
  test.each(PHASES.map((phase, at) => [phase, expected[at]]))('when %s: %s', (phase, word) => {
    expect(verdict(phase as Phase, says(message))).toBe(word);
  });
});

const EVENTS: [string, HostEvent, string[]][] = [
  ['a beat', { type: 'beat' }, ['-', '-', '-', '-', '-', '-']],
  [
    'the end of time to initialise',
    { type: 'initialise_timeout' },
    ['-', 'not_initialised', 'not_initialised', '-', '-', '-'],
  ],
  ['the end of grace', { type: 'grace_over' }, ['-', '-', '-', '-', 'removed', '-']],
  [
    'another load of the frame',
    { type: 'frame_lost', failure: 'navigated' },
    ['navigated', 'navigated', 'navigated', 'navigated', 'removed', '-'],
  ],
  ['a wish to close', { type: 'close' }, ['removed', 'removed', 'removed', 'closing', '-', '-']],
  ['a permission', { type: 'allow' }, ['-', '-', '-', '-', '-', '-']],
  [
    'a settled proposal without a proposal',
    { type: 'settled', id: 'p', outcome: { accepted: true, candidateId: 'c' } },
    ['-', '-', '-', '-', '-', '-'],
  ],
];

describe.each(EVENTS)('%s', (_name, event, expected) => {
  test.each(PHASES.map((phase, at) => [phase, expected[at]]))('when %s: %s', (phase, word) => {
    expect(verdict(phase as Phase, event)).toBe(word);
  });
});

const sent = (effects: readonly HostEffect[]): any[] =>
  effects.flatMap((effect) => (effect.type === 'send' ? [effect.message] : []));

describe('the host says', () => {
  test('the HTML to the proxy, and starts the clock', () => {
    const { effects } = after(...WAY.started);
    expect(sent(effects)).toEqual([
      tell('proto/ui.resourceReady', { html: facts.app.html, sandbox: 'allow-scripts' }),
    ]);
    expect(validate('AgentUiResourceReadyParams', sent(effects)[0].params)).toBe(true);
    expect(effects.map(({ type }) => type)).toContain('await_initialise');
  });

  test('requirements of the profile on the answer to initialize', () => {
    const [answer] = sent(after(...WAY.initialising).effects);
    expect(answer.id).toBe('init');
    expect(validate('AgentUiInitializeResult', answer.result)).toBe(true);
  });

  test('input, then result, then that it is ready', () => {
    const { effects } = after(...WAY.active);
    expect(sent(effects)).toEqual([
      tell('proto/ui.input', facts.app.input),
      tell('proto/ui.result', facts.app.result),
    ]);
    expect(effects.at(-1)).toEqual({ type: 'ready' });
  });

  test('nothing that is over its own bounds', () => {
    const app = { ...facts.app, html: 'x'.repeat(AGENT_UI_LIMITS.host_message_bytes) };
    const [state, effects] = hostStep({ ...facts, app }, INITIAL, says(PROXY_READY));
    expect([state.phase, effects]).toEqual(['closed', [{ type: 'remove', failure: 'too_big' }]]);
  });
});

describe('a proposal', () => {
  const settled = (id: string, accepted: boolean): HostEvent => ({
    type: 'settled',
    id,
    outcome: accepted
      ? { accepted, candidateId: 'c-1' }
      : { accepted, message: 'the slot is taken' },
  });

  test('that was frozen is answered with its candidate', () => {
    const { effects } = after(...WAY.active, says(propose()), settled('p', true));
    const [answer] = sent(effects);
    expect(answer).toEqual({
      jsonrpc: '2.0',
      id: 'p',
      result: { candidate_id: 'c-1', status: 'awaiting_human_confirmation' },
    });
    expect(validate('AgentUiProposeResult', answer.result)).toBe(true);
  });

  test('that was refused gets the reason, and another may follow', () => {
    const { effects } = after(...WAY.active, says(propose()), settled('p', false));
    expect(sent(effects)[0].error).toEqual({ code: -32000, message: 'the slot is taken' });
    const again = after(...WAY.active, says(propose()), settled('p', false), says(propose('q')));
    expect(again.effects).toEqual([{ type: 'propose', id: 'q', proposal }]);
  });

  test('waits for the one before it', () => {
    const { effects } = after(...WAY.active, says(propose()), says(propose('q')));
    expect(sent(effects)[0].error.code).toBe(-32000);
  });

  test('needs a permission each after one was frozen', () => {
    const frozen = [...WAY.active, says(propose()), settled('p', true)];
    expect(sent(after(...frozen, says(propose('q'))).effects)[0].error.code).toBe(-32000);
    const allowed = [...frozen, { type: 'allow' } as const, { type: 'allow' } as const];
    expect(after(...allowed, says(propose('q'))).effects[0]?.type).toBe('propose');
    const spent = [...allowed, says(propose('q')), settled('q', false)];
    expect(sent(after(...spent, says(propose('r'))).effects)[0].error.code).toBe(-32000);
  });

  test('cannot be made more than 32 times, however it ends', () => {
    const many = Array.from({ length: 32 }, (_, at) => says(propose(at, { response: 1 })));
    expect(after(...WAY.active, ...many).state.phase).toBe('active');
    const { effects } = after(...WAY.active, ...many, says(propose('more')));
    expect(effects).toEqual([{ type: 'remove', failure: 'too_many_proposals' }]);
  });

  test('that is settled after the View has ended goes nowhere', () => {
    expect(after(...WAY.closing, settled('p', true)).effects).toEqual([]);
    const gone = [
      ...WAY.active,
      says(propose()),
      { type: 'frame_lost', failure: 'navigated' } as const,
    ];
    expect(after(...gone, settled('p', true)).effects).toEqual([]);
  });
});

describe('ids', () => {
  test('are refused the second time, and distinguished by type', () => {
    const [twice] = sent(after(...WAY.active, says(ask(7, 'x')), says(propose(7))).effects);
    expect(twice).toMatchObject({ id: 7, error: { code: -32600 } });
    expect(after(...WAY.active, says(ask('7', 'x')), says(propose(7))).effects[0]?.type).toBe(
      'propose',
    );
  });

  test('run out after 512', () => {
    const many = Array.from({ length: 511 }, (_, at) => says(ask(at, 'x')));
    expect(after(...WAY.active, ...many).state.phase).toBe('active');
    expect(after(...WAY.active, ...many, says(ask('more', 'x'))).effects).toEqual([
      { type: 'remove', failure: 'too_many_messages' },
    ]);
  });

  test('do not save a View whose messages are ignored', () => {
    const many = Array.from({ length: 512 }, () => says('noise'));
    expect(after(...WAY.active, ...many).state.phase).toBe('active');
    expect(after(...WAY.active, ...many, says('noise')).effects).toEqual([
      { type: 'remove', failure: 'too_many_messages' },
    ]);
  });
});

test('five beats without a sign of the proxy end it, and each sign starts anew', () => {
  const beats = (count: number) =>
    Array.from({ length: count }, (): HostEvent => ({ type: 'beat' }));
  expect(after(...WAY.active, ...beats(4)).state.phase).toBe('active');
  expect(after(...WAY.active, ...beats(5)).effects).toEqual([
    { type: 'remove', failure: 'silent' },
  ]);
  const alive = says(tell('proto/ui.proxyAlive'));
  expect(after(...WAY.active, ...beats(4), alive, ...beats(4)).state.phase).toBe('active');
  expect(after(...beats(5)).state.phase).toBe('closed');
});
