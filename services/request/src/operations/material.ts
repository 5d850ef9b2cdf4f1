import { Refusal, materialReadable } from '@countersign/protocol';
import type { Material } from '@countersign/protocol';
import { oneLargeAtATime, openSized, readEvent, requireIntegrity } from '@countersign/database';
import { LARGE_ANSWER, answerOf, readSized } from '@countersign/platform';
import type { OperationHandler } from '@countersign/platform';
import type { RequestDeps } from '../deps.js';
import { noteReading } from '../noted-reading.js';

/** `request.material`: the retained payload, schema and canonical document, with the caller's candidate. */
export function material(deps: RequestDeps): OperationHandler<'request.material'> {
  return oneLargeAtATime(async (call) => {
    const { caller, id } = call;
    const found = await readSized(call, async (whole) =>
      openSized(deps.directory, caller, await deps.requests.material(caller, id, whole)),
    );
    if (found === null) return LARGE_ANSWER;
    const { principal, stored, loaded } = found;
    requireIntegrity(stored, caller.tenant, deps.profiles);
    if (!materialReadable(stored.lifecycle, loaded.now)) throw new Refusal('material_deleted');
    await deps.journal.note(readEvent('material.read', caller, principal, stored));
    await noteReading(deps, caller, stored);
    return answerOf<Material>(200, [
      `{"request":${stored.canonical},"request_digest":"${stored.digest}","payload":`,
      loaded.payload ?? 'null',
      ',"response_schema":',
      loaded.response_schema ?? 'null',
      ',"review_document":',
      { quoted: loaded.review_document },
      `,"candidate":${loaded.candidate}}`,
    ]);
  });
}
