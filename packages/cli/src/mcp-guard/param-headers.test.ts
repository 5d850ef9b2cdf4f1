import { newParamHeaders } from './param-headers.js';

const SCHEMA = {
  type: 'object',
  properties: {
    region: { type: 'string', 'x-mcp-header': 'Region' },
    count: { type: 'integer', 'x-mcp-header': 'Count' },
    broken: { type: 'string', 'x-mcp-header': 'no header' },
    deep: { properties: { dry: { type: 'boolean', 'x-mcp-header': 'Dry' } } },
  },
};

function headersOf(args: object, name = 'move') {
  const headers = newParamHeaders();
  headers.learn({ tools: [{ name: 'move', inputSchema: SCHEMA }, 'none', { name: 7 }] });
  return headers.of({ name, arguments: args as never });
}

it('are those that the schema of the tool declares', () => {
  expect(headersOf({ region: 'eu west', count: 3, deep: { dry: false }, broken: 'x' })).toEqual({
    'Mcp-Param-Region': 'eu west',
    'Mcp-Param-Count': '3',
    'Mcp-Param-Dry': 'false',
  });
});

it.each([
  ['a line break', 'a\r\nb: c'],
  ['another alphabet', 'Zürich'],
  ['nothing', ''],
  ['a blank at its end', 'a '],
  ['what looks like base64', '=?base64?YQ==?='],
])('has %s in base64', (_, region) => {
  const text = Buffer.from(region).toString('base64');
  expect(headersOf({ region })).toEqual({ 'Mcp-Param-Region': `=?base64?${text}?=` });
});

it.each([[{ region: null }], [{ region: ['a'] }], [{ deep: 'dry' }], [{}]])(
  'leaves out what %j has no value for',
  (args) => {
    expect(headersOf(args)).toEqual({});
  },
);

it('has none of a tool that is not listed', () => {
  expect(headersOf({ region: 'a' }, 'other')).toEqual({});
});
