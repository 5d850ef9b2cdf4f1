import type { DeskPrincipal } from '@countersign/protocol';

import { operator } from '../strings/operator.js';
import type { Choice } from './ListField.js';

/** Principals to choose from, with what a reader knows them by. */
export function choicesOf(
  principals: readonly DeskPrincipal[],
  kinds: readonly DeskPrincipal['kind'][],
): Choice[] {
  return principals
    .filter(({ kind }) => kinds.includes(kind))
    .map(({ id, config }) => ({
      id,
      note: [config.name, config.enabled ? null : operator.disabledOne].filter(Boolean).join(', '),
    }));
}
