import type { IncidentCode } from '@countersign/protocol';
import type { NewIncident } from '@countersign/database';
import { newId } from '@countersign/platform';

/** Gives the incidents of a transition the ids that they are opened under. */
export function withIds(incidents: readonly IncidentCode[]): NewIncident[] {
  return incidents.map((code) => ({ id: newId(), code }));
}
