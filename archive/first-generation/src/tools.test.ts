import { createToolRegistry } from './tools.js';

const TOOL = {
  name: 'greet',
  description: 'Greets',
  inputSchema: {
    type: 'object',
    properties: { name: { type: 'string', maxLength: 3 } },
    required: ['name'],
  },
  outputSchema: {},
};

describe('tools', () => {
  it('are found by name until they are unregistered', () => {
    const tools = createToolRegistry();
    tools.register(TOOL);
    expect(tools.list()).toEqual([TOOL]);
    expect(tools.find('greet')).toBe(TOOL);
    tools.unregister('greet');
    expect(tools.find('greet')).toBeUndefined();
  });

  it('hold arguments to their schema, and tell where without the value', () => {
    const tools = createToolRegistry();
    tools.register(TOOL);
    expect(tools.faultsOf('greet', { name: 'Ada' })).toEqual([]);
    expect(tools.faultsOf('greet', {})).toEqual([{ path: '', rule: 'required' }]);
    expect(tools.faultsOf('greet', { name: 'secret' })).toEqual([
      { path: '/name', rule: 'maxLength' },
    ]);
    expect(tools.faultsOf('greet', null)).toHaveLength(1);
  });

  it('may be written in either draft, and share an $id', () => {
    const tools = createToolRegistry();
    const modern = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: 'urn:example:tool',
      prefixItems: [{ type: 'number' }],
    };
    tools.register({ ...TOOL, inputSchema: modern });
    tools.register({ ...TOOL, name: 'again', inputSchema: modern });
    tools.register({
      ...TOOL,
      name: 'old',
      inputSchema: { $id: 'urn:example:tool', type: 'null' },
    });
    expect(tools.faultsOf('greet', ['text'])).toHaveLength(1);
    expect(tools.faultsOf('again', [1])).toEqual([]);
    expect(tools.faultsOf('old', 1)).toHaveLength(1);
  });

  it('survive arguments nested deeper than the stack', () => {
    const tools = createToolRegistry();
    tools.register({ ...TOOL, inputSchema: { type: 'array', items: { $ref: '#' } } });
    const deep: unknown = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000));
    expect(tools.faultsOf('greet', deep)).toEqual([{ path: '', rule: 'depth' }]);
  });

  it.each([
    ['a schema that is none', { ...TOOL, inputSchema: { type: 'nonsense' } }],
    ['no name', { ...TOOL, name: '' }],
  ])('are refused with %s', (_what, tool) => {
    expect(() => createToolRegistry().register(tool)).toThrow(TypeError);
  });
});
