import type { AdminPrincipal } from '@countersign/protocol';

import { operator } from '../strings/operator.js';
import type { Choice } from './ListField.js';

/** Principals to choose from, with the names that readers know them by. */
export function choicesOf(
  principals: readonly AdminPrincipal[],
  kinds: readonly AdminPrincipal['kind'][],
): Choice[] {
  return principals
    .filter(({ kind }) => kinds.includes(kind))
    .map(({ id, config }) => ({
      id,
      note: [config.name, config.enabled ? null : operator.disabledOne].filter(Boolean).join(', '),
    }));
}
