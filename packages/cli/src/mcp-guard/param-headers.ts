import type { JsonObject, JsonValue } from '@countersign/client/node';

import { isObject } from './frames.js';

/** An argument of a tool that goes into a header too, for what stands between a client and its server. */
interface Declared {
  readonly path: readonly string[];
  readonly header: string;
}

const KEY = 'x-mcp-header';
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** What an input schema declares (MCP 2026-07-28, custom headers), at any depth of `properties`. */
export function declaredIn(
  schema: JsonValue | undefined,
  path: readonly string[] = [],
): Declared[] {
  if (!isObject(schema)) return [];
  const name = schema[KEY];
  const own =
    typeof name === 'string' && TOKEN.test(name) ? [{ path, header: `Mcp-Param-${name}` }] : [];
  const { properties } = schema;
  const inner = isObject(properties) ? Object.entries(properties) : [];
  return [...own, ...inner.flatMap(([key, value]) => declaredIn(value, [...path, key]))];
}

/** The headers of a call; an argument that is absent, null, or no text, number or truth value has none. */
export function headersFor(
  declared: readonly Declared[],
  args: JsonValue | undefined,
): Record<string, string> {
  const headers = declared.flatMap(({ path, header }) => {
    const value = path.reduce<JsonValue | undefined>(
      (at, key) => (isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined),
      args,
    );
    const text = textOf(value);
    return text === null ? [] : [[header, encoded(text)] as const];
  });
  return Object.fromEntries(headers);
}

function textOf(value: JsonValue | undefined): string | null {
  if (typeof value === 'string') return value;
  return typeof value === 'boolean' || typeof value === 'number' ? String(value) : null;
}

/** Text that a header cannot hold as it is goes in base64. */
function encoded(text: string): string {
  const isPlain =
    /^[\t -~]+$/.test(text) && text === text.trim() && !/^=\?base64\?.*\?=$/.test(text);
  return isPlain ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}

/** The declarations of a server's tools, learnt from its own lists. */
export function newParamHeaders() {
  const tools = new Map<string, Declared[]>();
  return {
    learn(result: JsonObject): void {
      const { tools: listed } = result;
      for (const tool of Array.isArray(listed) ? listed : [])
        if (isObject(tool) && typeof tool['name'] === 'string')
          tools.set(tool['name'], declaredIn(tool['inputSchema']));
    },
    of(params: JsonObject | undefined): Record<string, string> {
      return headersFor(tools.get(String(params?.['name'])) ?? [], params?.['arguments']);
    },
  };
}
