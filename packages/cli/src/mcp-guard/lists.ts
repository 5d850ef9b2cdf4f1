import type { JsonObject, JsonValue } from '@countersign/client/node';

import { possible } from '../policy/policy.js';
import type { Policy } from '../policy/policy.js';
import { definitionOf } from './definitions.js';
import { isObject } from './frames.js';
import type { Lock } from './lock.js';
import { TASKS } from './results.js';

/** The list of tools without those that are denied or changed, saying which ones want a person. */
export function shownTools(
  policy: Policy,
  lock: Lock,
  result: JsonObject,
  isModern: boolean,
): JsonObject {
  const { tools } = result;
  if (!Array.isArray(tools)) return result;
  const kept = tools.flatMap((tool: JsonValue): JsonValue[] => {
    const definition = definitionOf(tool);
    if (definition === null || !isObject(tool)) return [];
    const decisions = possible(policy, definition.name);
    const isChanged = lock.get(definition.name) !== definition.digest;
    const isDenied = isChanged || (decisions.size === 1 && decisions.has('deny'));
    if (isDenied) return policy.showDenied ? [tool] : [];
    if (!decisions.has('ask')) return [tool];
    const also = decisions.has('allow') ? 'May need' : 'Needs';
    const description = `${definition.description} ${also} a person's approval.`.trim();
    return [{ ...tool, description }];
  });
  return { ...result, tools: kept, ...(isModern && { cacheScope: 'private' }) };
}

/** What a server can do, and the tasks that this guard gives. */
export function withTasks(result: JsonObject): JsonObject {
  const capabilities = isObject(result['capabilities']) ? result['capabilities'] : {};
  const extensions = isObject(capabilities['extensions']) ? capabilities['extensions'] : {};
  return {
    ...result,
    capabilities: { ...capabilities, extensions: { [TASKS]: {}, ...extensions } },
  };
}
