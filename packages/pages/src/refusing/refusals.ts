import type { InboxItem } from '@countersign/protocol';

import { openMaterial } from '../material/material.js';
import type { MaterialHead } from '../material/messages.js';
import { differs } from '../review/material-state.js';
import { createProposalSlot } from '../review/proposal-slot.js';
import type { Act, ProposalSlot, SlotState } from '../review/proposal-slot.js';
import { refusalOf } from './answer.js';

/** How far one request of the list is. `left`: it cannot be refused here, for a reason of `words`. */
export type Refusing =
  | { readonly kind: 'waiting' | 'reading' }
  | { readonly kind: 'left'; readonly why: 'asks-more' | 'over' | 'digest' | 'failed' }
  | { readonly kind: 'slot'; readonly state: SlotState };

export interface Refusals {
  /** Reads and freezes each, one after the other. */
  freeze(reason: string): Promise<void>;
  /** One press confirms each frozen refusal, each by a call and a signature of its own; false without a person's own act. */
  confirm(act: Act): boolean;
  close(): void;
}

/** The refusals of a few requests with one reason. Nothing else is ever confirmed for many (protocol §12.6). */
export function createRefusals(
  items: readonly InboxItem[],
  reviewer: string,
  tell: (id: string, how: Refusing) => void,
): Refusals {
  const slots = new Map<string, ProposalSlot>();
  let closed = false;

  async function freezeOne({ id, purpose }: InboxItem, reason: string): Promise<void> {
    tell(id, { kind: 'reading' });
    const material = openMaterial();
    let head: MaterialHead;
    try {
      head = await material.ask('load', { path: `/v2/requests/${id}/material` });
    } catch {
      return tell(id, { kind: 'left', why: 'failed' });
    } finally {
      material.close();
    }
    if (differs(head)) return tell(id, { kind: 'left', why: 'digest' });
    const refusal = refusalOf(purpose as 'review', head.schema, reason);
    if (refusal === null) return tell(id, { kind: 'left', why: 'asks-more' });
    if (closed) return;
    const slot = createProposalSlot({
      requestId: id,
      requestDigest: head.requestDigest.promised,
      reviewer,
      onOvertaken: () => tell(id, { kind: 'left', why: 'over' }),
    });
    slots.set(id, slot);
    slot.subscribe((state) => tell(id, { kind: 'slot', state }));
    await slot.propose(refusal, { kind: 'form' });
  }

  return {
    async freeze(reason) {
      for (const item of items) {
        if (closed) return;
        await freezeOne(item, reason);
      }
    },
    confirm(act) {
      const frozen = [...slots.values()].filter((slot) => slot.state().step === 'reviewing');
      return frozen.length > 0 && frozen.every((slot) => slot.confirm(act));
    },
    close() {
      closed = true;
      for (const slot of slots.values()) slot.close();
    },
  };
}
