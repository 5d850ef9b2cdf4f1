import { invalidRecordCode, parseStrictJson } from '@countersign/protocol';
import type { Answer } from '../support/client.js';
import { inputFault } from '../support/openapi.js';
import { secretIn } from './canary.js';
import type { Caller } from './caller.js';
import type { Cast } from './cast.js';
import type { Call } from './call.js';
import type { Kept } from './pool.js';

/** 503 with nothing broken: an identity is in doubt (§6.4), or the schema workers are full (§10). */
const UNAVAILABLE_BY_CONTRACT = [
  'identity_uncertain',
  'requester_identity_uncertain',
  'schema_validation_busy',
];

/** The rules for every answer, in any state; null when this one breaks none. */
export function faultIn(
  call: Call,
  answer: Answer,
  cast: Cast,
  own: readonly Caller[],
): string | null {
  const { status, text, body } = answer;
  const secret = secretIn(text, status, call.caller, own, cast.demo.tenant);
  if (secret !== null) return `the answer gives away ${secret}`;
  if (status >= 500 && !UNAVAILABLE_BY_CONTRACT.includes(body?.error)) {
    return 'unavailable although nothing is broken';
  }
  if (status < 300 && call.target !== undefined && call.caller.tenant !== cast.demo.tenant) {
    return 'a request is shown to another tenant';
  }
  return inputVerdict(call, answer) ?? (call.again === undefined ? null : againFault(call, answer));
}

/** The description and the service must agree about which bodies are right. */
function inputVerdict({ operation, path, raw }: Call, { status, body }: Answer): string | null {
  if (operation.input === null || raw === null) return null;
  const read = readStrictly(raw);
  const refusedBySchema = read !== null && inputFault(operation.method, path, read.json) !== null;
  if (status < 300 && read === null) return 'a body that is no acceptable JSON is taken';
  if (status < 300 && refusedBySchema) return 'a body is taken that its schema refuses';
  const blamed = body?.error === invalidRecordCode(operation.input);
  return blamed && read !== null && !refusedBySchema
    ? 'a body is refused that its schema takes'
    : null;
}

function readStrictly(raw: string): { json: unknown } | null {
  try {
    return { json: parseStrictJson(new TextEncoder().encode(raw)) };
  } catch {
    return null;
  }
}

/** The same key: the same answer for the same body, and never another success (R5). */
function againFault({ again }: Call, { status, text }: Answer): string | null {
  const same = status === again?.status && text === again.text;
  return status < 300 && !same ? 'a key that was used has another success' : null;
}

/** A repeated success: only a change of the caller may prevent it, or the deletion of its content. */
export function replayFault(kept: Kept, { status, text, body }: Answer): string | null {
  if (status === kept.status && text === kept.text) return null;
  if (status === 401 || status === 403) return null;
  if (status === 410 && body?.error === 'idempotent_result_expired') return null;
  return 'a success is not told again in the same bytes';
}

/** Two calls with one key at once: one effect, and both get its answer (R5). */
export function twinFault(one: Answer, other: Answer): string | null {
  if (one.status >= 300 && other.status >= 300) return null;
  const same = one.status === other.status && one.text === other.text;
  return same ? null : 'two calls with one key at once have different answers';
}
