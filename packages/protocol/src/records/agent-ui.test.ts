import { EXAMPLES } from './examples.js';
import type { RecordName } from './registry.js';
import { validate } from './validation.js';

describe('an origin', () => {
  test.each([
    'https://sandbox.example',
    'https://xn--bcher-kva.example',
    'http://localhost:8081',
    'http://localhost',
    'http://127.0.0.1:8081',
    'https://255.255.255.255:65535',
    'https://0.0.0.0',
    'http://sandbox.example:443',
    'https://sandbox.example:80',
    'https://sandbox.example:8443',
    'https://a',
    'https://1.2.3.4a',
    `https://${'a'.repeat(63)}.example`,
  ])('%s is canonical', (origin) => {
    expect(validate('AgentUiOrigin', origin)).toBe(true);
  });

  test.each([
    '',
    'ftp://sandbox.example',
    'file://sandbox.example',
    'sandbox.example',
    'https://',
    'HTTPS://sandbox.example',
    'https://Sandbox.example',
    'https://sandbox.example:443',
    'http://localhost:80',
    'https://sandbox.example:0',
    'https://sandbox.example:65536',
    'https://sandbox.example:08081',
    'https://sandbox.example:',
    'http://127.1',
    'http://127.00.0.1',
    'http://256.0.0.1',
    'http://1.2.3.4.5',
    'http://[::1]:8081',
    'https://sandbox.example.',
    'https://sand_box.example',
    'https://-sandbox.example',
    'https://sandbox-.example',
    'https://sandbox..example',
    `https://${'a'.repeat(64)}.example`,
    'https://user@sandbox.example',
    'https://sandbox.example/',
    'https://sandbox.example/path',
    'https://sandbox.example?query',
    'https://sandbox.example#part',
    'https://sandbox.example\n',
  ])('%j is not', (origin) => {
    expect(validate('AgentUiOrigin', origin)).toBe(false);
  });
});

describe('the records of the profile', () => {
  const cases: [RecordName, string, unknown[], unknown[]][] = [
    [
      'AgentUiRequestIdentity',
      'id',
      ['00000000-0000-8000-b000-000000000000'],
      [
        '00000000-0000-0000-0000-000000000000',
        '0b9a6c3d-4e5f-9a6b-8c7d-9e0f1a2b3c4d',
        '0b9a6c3d-4e5f-4a6b-7c7d-9e0f1a2b3c4d',
        'x',
      ],
    ],
    ['AgentUiRequestIdentity', 'supersedes', [null, 'a'], ['', undefined]],
    [
      'AgentUiBundleIdentity',
      'created_at',
      ['2026-04-30T08:00:59.999Z'],
      ['2026-04-30T08:00:00Z', '2026-04-30T08:00:60.000Z'],
    ],
    ['AgentUiEnvelope', 'profile', [], ['org.proto.agent-ui/1']],
    ['StoredApp', 'scope', ['0'.repeat(64)], ['A'.repeat(64), `sha256:${'0'.repeat(64)}`]],
    ['AgentUiResult', 'content', [[]], [[{ type: 'image', text: 'x' }], null]],
    ['AgentUiResult', 'structuredContent', [{ payload: null }], [{}, { payload: 1, more: 1 }]],
    ['AgentUiInitializeParams', 'protocolVersion', [], ['2', null]],
    [
      'AgentUiInitializeParams',
      'capabilities',
      [],
      [{}, { localProposal: false }, { localProposal: true, more: 1 }],
    ],
    [
      'AgentUiInitializeParams',
      'viewInfo',
      [{ name: 'n'.repeat(120), version: 'v'.repeat(40) }],
      [
        { name: '', version: '1' },
        { name: 'n', version: 'v'.repeat(41) },
        { name: 'n'.repeat(121), version: '1' },
        { name: 'n' },
      ],
    ],
    ['AgentUiLimits', 'json_depth', [], [65, undefined]],
    ['AgentUiLifecycle', 'teardown', [], ['restart']],
    ['AgentUiTeardownResult', 'closed', [], [false]],
    ['AgentUiProposeResult', 'status', [], ['confirmed']],
    [
      'AgentUiRequestMessage',
      'id',
      ['x', '😀'.repeat(200), 0, -9007199254740991],
      ['', 'x'.repeat(201), 1.5, 9007199254740992, null],
    ],
    ['AgentUiRequestMessage', 'jsonrpc', [], ['1.0', 2]],
    [
      'AgentUiError',
      'error',
      [{ code: -32000, message: 'x'.repeat(400) }],
      [
        { code: -32603, message: '' },
        { code: -32600, message: 'x'.repeat(401) },
        { code: -32600, message: '', data: 1 },
      ],
    ],
    ['AgentUiResourceReadyParams', 'sandbox', [], ['allow-scripts allow-same-origin']],
    ['AgentUiViewFailedParams', 'reason', ['', 'x'.repeat(160)], ['x'.repeat(161)]],
  ];

  test.each(cases)('%s %s', (name, member, accepted, refused) => {
    const valid = (value: unknown): boolean =>
      validate(name, { ...(EXAMPLES[name] as object), [member]: value });
    for (const value of accepted) expect([value, valid(value)]).toEqual([value, true]);
    for (const value of refused) expect([value, valid(value)]).toEqual([value, false]);
  });
});
