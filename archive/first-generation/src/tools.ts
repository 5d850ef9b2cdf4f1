import { Ajv } from 'ajv';
import type { ErrorObject, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ToolDefinition } from './tool-definition.js';
import { isName } from './values.js';

/** One thing that is wrong with arguments: where and which rule, never the value. */
export interface ArgumentFault {
  readonly path: string;
  readonly rule: string;
}

export interface ToolRegistry {
  /** @throws {TypeError} for a tool without a name or with a schema that is none */
  register(tool: ToolDefinition): void;
  unregister(name: string): void;
  list(): ToolDefinition[];
  find(name: string): ToolDefinition | undefined;
  faultsOf(name: string, args: unknown): ArgumentFault[];
}

const MOST_FAULTS = 8;
const OPTIONS = { strict: false, validateFormats: false } as const;

export function createToolRegistry(): ToolRegistry {
  const tools = new Map<string, { tool: ToolDefinition; check: ValidateFunction }>();
  return {
    register(tool) {
      if (!isName(tool.name)) throw new TypeError('A tool needs a name.');
      tools.set(tool.name, { tool, check: compile(tool) });
    },
    unregister(name) {
      tools.delete(name);
    },
    list: () => [...tools.values()].map(({ tool }) => tool),
    find: (name) => tools.get(name)?.tool,
    faultsOf(name, args) {
      const check = tools.get(name)?.check;
      if (check === undefined) return [];
      try {
        if (check(args)) return [];
      } catch {
        // Arguments nested so deeply that a recursive schema runs out of stack.
        return [{ path: '', rule: 'depth' }];
      }
      return (check.errors ?? []).slice(0, MOST_FAULTS).map(faultOf);
    },
  };
}

function compile(tool: ToolDefinition): ValidateFunction {
  const { inputSchema } = tool;
  // A new instance per tool: two tools may use one $id.
  const modern = String(inputSchema['$schema'] ?? '').includes('2020-12');
  try {
    return modern
      ? new Ajv2020(OPTIONS).compile(inputSchema)
      : new Ajv(OPTIONS).compile(inputSchema);
  } catch (error) {
    throw new TypeError(`The input schema of tool ${tool.name} is not valid.`, { cause: error });
  }
}

function faultOf({ instancePath, keyword }: ErrorObject): ArgumentFault {
  return { path: instancePath, rule: keyword };
}
