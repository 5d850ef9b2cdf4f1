import { readStrictJson } from '@countersign/protocol/strict-reader';
import type { JsonObject, JsonValue } from '@countersign/client/node';

/** An event of the agent, as far as it is about calls of tools. */
export interface HookEvent {
  readonly name: string;
  readonly session: string;
  readonly folder: string;
  readonly tool: string;
  readonly args: JsonObject;
  readonly toolUse: string;
  /** Whether a person stopped the tool. */
  readonly isInterrupted: boolean;
}

const OF_TOOLS = new Set(['PreToolUse', 'PostToolUse', 'PostToolUseFailure']);

/** @throws TypeError for what is no event; JsonFault */
export function eventFrom(bytes: Uint8Array): HookEvent {
  const value = readStrictJson(bytes);
  const members = isObject(value) ? value : {};
  const text = (name: string) => {
    const member = members[name];
    if (typeof member === 'string' && member !== '') return member;
    throw new TypeError(`the event has no ${name}: is this a hook of the agent?`);
  };
  const name = text('hook_event_name');
  const session = text('session_id');
  if (!OF_TOOLS.has(name))
    return { name, session, folder: '', tool: '', args: {}, toolUse: '', isInterrupted: false };
  const args = members['tool_input'];
  if (!isObject(args)) throw new TypeError('the event has no tool_input');
  return {
    ...{ name, session, args },
    ...{ folder: text('cwd'), tool: text('tool_name'), toolUse: text('tool_use_id') },
    isInterrupted: members['is_interrupt'] === true,
  };
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
