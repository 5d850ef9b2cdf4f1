import { approvalExports } from './cases/approval-exports.js';
import { approvals } from './cases/approvals.js';
import { alteredExports } from './cases/exports-altered.js';
import { attentionVectors } from './cases/attention.js';
import { contradictoryExports } from './cases/exports-contradictory.js';
import { evidenceVectors } from './cases/evidence.js';
import { holds } from './cases/holds.js';
import { goodExports } from './cases/exports-good.js';
import { wrongfulExports } from './cases/exports-wrongful.js';
import { proofs, ranges } from './cases/ledgers.js';
import { keyVectors } from './cases/keys.js';
import { peopleVectors } from './cases/people.js';
import { badRecords } from './cases/records-bad.js';
import { goodRecords } from './cases/records-good.js';
import { unreadable } from './cases/unreadable.js';
import { webhooks } from './cases/webhooks.js';
import type { Vector } from './vector.js';

/** All vectors, the same on every machine: keys and times are fixed. */
export function allVectors(): Vector[] {
  return [
    ...goodExports(),
    ...alteredExports(),
    ...contradictoryExports(),
    ...wrongfulExports(),
    ...evidenceVectors(),
    ...goodRecords(),
    ...badRecords(),
    ...keyVectors(),
    ...approvals(),
    ...approvalExports(),
    ...attentionVectors(),
    ...peopleVectors(),
    ...holds(),
    ...ranges(),
    ...proofs(),
    ...webhooks(),
    ...unreadable(),
  ];
}
