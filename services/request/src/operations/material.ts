import { Refusal, materialReadable } from '@countersign/protocol';
import { openSized, readEvent, requireIntegrity } from '@countersign/database';
import { LARGE_ANSWER, answerOf, isId, readSized } from '@countersign/platform';
import type { Handler } from '@countersign/platform';
import type { RequestDeps } from '../module.js';

/** `request.material`: the retained payload, schema and canonical document, with the caller's candidate. */
export function material(deps: RequestDeps): Handler {
  return async (call) => {
    const id = call.params.id;
    if (!isId(id)) throw new Refusal('not_found');
    const found = await readSized(call, async (whole) =>
      openSized(deps.directory, call.caller, await deps.requests.material(call.caller, id, whole)),
    );
    if (found === null) return LARGE_ANSWER;
    const { principal, stored, loaded } = found;
    requireIntegrity(stored, call.caller.tenant);
    if (!materialReadable(stored.lifecycle, loaded.now)) throw new Refusal('material_deleted');
    await deps.journal.note(readEvent('material.read', call.caller, principal, stored));
    return answerOf(200, [
      `{"request":${stored.canonical},"request_digest":"${stored.digest}","payload":`,
      loaded.payload ?? 'null',
      ',"response_schema":',
      loaded.response_schema ?? 'null',
      ',"review_document":',
      { quoted: loaded.review_document },
      `,"candidate":${loaded.candidate}}`,
    ]);
  };
}
