import { MATERIAL_READ } from '@countersign/database';
import type { CallerIdentity, StoredRequest } from '@countersign/database';
import type { RequestDeps } from './deps.js';

/** Notes that a person gets the material, where the policy of the request asks for attention (protocol §18.12). */
export async function noteReading(
  { readings, persons }: RequestDeps,
  { tenant, id, kind }: CallerIdentity,
  stored: StoredRequest,
): Promise<void> {
  if (kind !== 'human') return;
  const person = () => persons.digestOf(tenant, id, stored.row.directory_revision);
  await readings.note(stored, [MATERIAL_READ], person);
}
