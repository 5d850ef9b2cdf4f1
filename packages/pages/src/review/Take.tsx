import type { Assignment } from '@countersign/protocol';
import { useEffect, useState } from 'preact/hooks';

import { isRefusal, newKey, send } from '../api/client.js';
import { Button } from '../parts/Button.js';
import { review } from '../strings/review.js';

const RENEW_MS = 120_000;

/**
 * Shows the other reviewers who is working on it. It gives no authority and excludes no reviewer (protocol §7
 * review.assign).
 */
export function Take({ id }: { id: string }) {
  const [state, setState] = useState<'none' | 'asking' | 'mine' | 'other'>('none');

  const ask = async () => {
    try {
      await send<Assignment>('POST', `/v2/requests/${id}/assignment`, {}, { key: newKey() });
      setState('mine');
    } catch (fault) {
      setState(isRefusal(fault, 'review_assigned') ? 'other' : 'none');
    }
  };
  useEffect(() => {
    if (state !== 'mine') return;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') void ask();
    }, RENEW_MS);
    return () => clearInterval(timer);
  }, [state]);

  if (state === 'mine' || state === 'other') {
    return (
      <span class="fine" role="status" title={review.takenUntil}>
        {state === 'mine' ? review.taken : review.takenByOther}
      </span>
    );
  }
  return (
    <Button
      look="quiet"
      busy={state === 'asking'}
      onClick={() => {
        setState('asking');
        void ask();
      }}
    >
      {review.take}
    </Button>
  );
}
