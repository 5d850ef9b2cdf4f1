import { validate } from '@countersign/protocol';

import { messageOf } from './messages.js';

const id = [
  1,
  'a',
  '',
  'x'.repeat(200),
  'x'.repeat(201),
  '😀'.repeat(200),
  1.5,
  2 ** 53,
  -7,
  null,
  {},
];
const request = { jsonrpc: '2.0', id: 1, method: 'm', params: {} };
const error = { code: -32600, message: 'no' };
const SAMPLES: unknown[] = [
  ...id.map((each) => ({ ...request, id: each })),
  ...id.map((each) => ({ jsonrpc: '2.0', id: each, result: {} })),
  ...id.map((each) => ({ jsonrpc: '2.0', id: each, error })),
  { ...request, params: [] },
  { ...request, params: null },
  { ...request, method: 1 },
  { ...request, jsonrpc: '1.0' },
  { ...request, more: 1 },
  { jsonrpc: '2.0', method: 'm', params: {} },
  { jsonrpc: '2.0', method: 'm' },
  { jsonrpc: '2.0', id: 1, result: null },
  { jsonrpc: '2.0', id: 1, result: {}, error },
  { jsonrpc: '2.0', id: 1, error: { ...error, code: 1 } },
  { jsonrpc: '2.0', id: 1, error: { ...error, data: 1 } },
  { jsonrpc: '2.0', id: 1, error: { ...error, message: 'x'.repeat(401) } },
  null,
  'text',
  [],
  [request],
  {},
];
const RECORDS = {
  request: 'AgentUiRequestMessage',
  notification: 'AgentUiNotification',
  success: 'AgentUiSuccess',
  error: 'AgentUiError',
} as const;

test.each(SAMPLES.map((value) => [JSON.stringify(value)?.slice(0, 80), value]))(
  'reads %s as the records of the protocol do',
  (_text, value) => {
    const { kind } = messageOf(value);
    const expected = Object.entries(RECORDS).filter(([, record]) => validate(record, value));
    expect(expected.map(([name]) => name)).toEqual(kind === 'malformed' ? [] : [kind]);
  },
);

test('names the id of a malformed request, so that an error can be sent', () => {
  expect(messageOf({ ...request, more: 1 })).toEqual({ kind: 'malformed', id: 1 });
  expect(messageOf({ ...request, id: {} })).toEqual({ kind: 'malformed', id: null });
  expect(messageOf({ jsonrpc: '2.0', id: 1, result: 7 })).toEqual({ kind: 'malformed', id: null });
});
