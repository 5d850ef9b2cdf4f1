import type { JsonObject } from '@countersign/client/node';

import type { CallEnd } from '../tool-calls/ends.js';
import { isObject } from './frames.js';
import type { Params } from './frames.js';

const VERSION = 'io.modelcontextprotocol/protocolVersion';
const CLIENT = 'io.modelcontextprotocol/clientInfo';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
export const TASKS = 'io.modelcontextprotocol/tasks';
/** Keys of a request's `_meta` that go with an authorised call. */
const KEPT = new Set(['progressToken', 'traceparent', 'tracestate', 'baggage', VERSION, CLIENT]);

/** Since 2026-07-28 each request names its version, and each result its type. */
export function isModern(params: Params): boolean {
  return metaOf(params)[VERSION] !== undefined;
}

function metaOf(params: Params): JsonObject {
  const meta = params?.['_meta'];
  return isObject(meta) ? meta : {};
}

/** Whether the client of a request takes a task for a result. */
export function takesTasks(params: Params): boolean {
  const capabilities = metaOf(params)[CAPABILITIES];
  const extensions = isObject(capabilities) ? capabilities['extensions'] : undefined;
  return isModern(params) && isObject(extensions) && isObject(extensions[TASKS]);
}

export function progressTokenOf(params: Params): string | number | null {
  const token = metaOf(params)['progressToken'];
  return typeof token === 'string' || typeof token === 'number' ? token : null;
}

/**
 * The `_meta` of an authorised call. The client's abilities are not passed on, so that the server cannot answer with a question
 * that people have not seen; `metaWith` adds those that a rule permits.
 */
export function metaFor(params: Params): JsonObject | undefined {
  const kept = Object.entries(metaOf(params)).filter(([name]) => KEPT.has(name));
  const meta = { ...Object.fromEntries(kept), ...(isModern(params) && { [CAPABILITIES]: {} }) };
  return Object.keys(meta).length === 0 ? undefined : meta;
}

/** The same for a call that may go on in a task of the server, which the guard follows, and ask for these abilities. */
export function metaWith(meta: JsonObject | undefined, abilities: JsonObject) {
  if (meta?.[CAPABILITIES] === undefined) return meta;
  return { ...meta, [CAPABILITIES]: { ...abilities, extensions: { [TASKS]: {} } } };
}

/** What the client of a request can be asked for: elicitation, sampling and roots, and no extension. */
export function abilitiesOf(params: Params): JsonObject {
  const capabilities = metaOf(params)[CAPABILITIES];
  const { extensions: _, ...abilities } = isObject(capabilities) ? capabilities : {};
  return abilities;
}

/** The same, of a request of the guard itself. */
export function metaForOwn(params: Params): JsonObject | undefined {
  const { progressToken: _, ...meta } = metaFor(params) ?? {};
  return Object.keys(meta).length === 0 ? undefined : meta;
}

export interface Told {
  readonly request: string | null;
  readonly link: string | null;
}

/**
 * A result that says where a call is. Older clients check `structuredContent` against the tool's schema even of an error, so
 * it is left out where the tool has one; `_meta` always says it.
 */
export function resultOf(
  { state, sentence }: CallEnd,
  { request, link }: Told,
  shape: { readonly isModern: boolean; readonly hasOutputSchema: boolean },
): JsonObject {
  const structured = {
    state,
    ...(request !== null && { request_id: request }),
    ...(link !== null && { review_link: link }),
  };
  return {
    ...(shape.isModern && { resultType: 'complete' }),
    content: [{ type: 'text', text: sentence }],
    ...(!shape.hasOutputSchema && { structuredContent: structured }),
    isError: true,
    _meta: { 'countersign/call': structured },
  };
}
