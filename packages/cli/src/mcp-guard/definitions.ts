import { digestOf } from '@countersign/client/node';
import type { JsonObject, JsonValue } from '@countersign/client/node';

import { isObject } from './frames.js';
import type { Peer } from './peer.js';

/** A tool as the server lists it. */
export interface Definition {
  readonly name: string;
  /** Of what a tool means: its name, title, description, schemas and annotations. */
  readonly digest: string;
  readonly description: string;
  readonly hasOutputSchema: boolean;
  readonly isReadOnly: boolean;
}

const MEANING = ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations'];
const MOST_PAGES = 1_000;

/** Null for what is no definition of a tool. */
export function definitionOf(tool: JsonValue | undefined): Definition | null {
  if (!isObject(tool) || typeof tool['name'] !== 'string') return null;
  const meaning = Object.fromEntries(
    MEANING.filter((name) => tool[name] !== undefined).map((name) => [name, tool[name]]),
  );
  const { description, annotations } = tool;
  return {
    name: tool['name'],
    digest: digestOf(meaning),
    description: typeof description === 'string' ? description : '',
    hasOutputSchema: isObject(tool['outputSchema']),
    isReadOnly: isObject(annotations) && annotations['readOnlyHint'] === true,
  };
}

/**
 * All tools of the server, as it lists them now.
 *
 * @param meta of the request: clients of 2026-07-28 name their version in each
 * @throws as `Peer.request`
 */
export async function listed(
  peer: Peer,
  meta: JsonObject | undefined,
): Promise<ReadonlyMap<string, Definition>> {
  const found = new Map<string, Definition>();
  let cursor: JsonValue | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const params = {
      ...(cursor !== undefined && { cursor }),
      ...(meta !== undefined && { _meta: meta }),
    };
    const { tools, nextCursor } = await peer.request('tools/list', params);
    for (const tool of Array.isArray(tools) ? tools : []) {
      const definition = definitionOf(tool);
      if (definition !== null) found.set(definition.name, definition);
    }
    if (nextCursor === undefined || nextCursor === null) return found;
    cursor = nextCursor;
  }
  throw new Error(`the server lists more than ${MOST_PAGES} pages of tools`);
}
