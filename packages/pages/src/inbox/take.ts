import type { Assignment } from '@countersign/protocol';
import { useState } from 'preact/hooks';

import { newKey, send } from '../api/client.js';
import { Problem } from '../api/problem.js';
import { inbox } from '../strings/inbox.js';

/** Assigns requests to the reader, one call each; a request that another person has, or that is over, is left out. */
export function useTake(onEnd: () => void) {
  const [told, setTold] = useState('');
  const [fault, setFault] = useState<unknown>(null);
  const take = async (ids: readonly string[]) => {
    setFault(null);
    let others = 0;
    for (const [place, id] of ids.entries()) {
      setTold(inbox.taking(place + 1, ids.length));
      try {
        await send<Assignment>('POST', `/v2/requests/${id}/assignment`, {}, { key: newKey() });
      } catch (problem) {
        if (!(problem instanceof Problem) || ![403, 404, 409].includes(problem.status)) {
          setFault(problem);
          setTold('');
          onEnd();
          return;
        }
        others += 1;
      }
    }
    setTold(inbox.takeResult(ids.length - others, others));
    onEnd();
  };
  return { take, told, fault };
}
