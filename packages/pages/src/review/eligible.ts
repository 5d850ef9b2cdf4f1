import type { AdminRoute } from '@countersign/protocol';
import { useEffect, useState } from 'preact/hooks';

import { readOne } from '../operator/data.js';
import { reader } from '../session/session.js';

/**
 * The people who decide on a route when the reader is an operator who does not; null when the reader may decide or it is
 * not known, as then the service says so. Undefined while it is being read. Only operators can read a route.
 */
export function useOtherReviewers(route: string | null): readonly string[] | null | undefined {
  const who = reader();
  const asks = route !== null && who?.operator === true;
  const [found, setFound] = useState<readonly string[] | null | undefined>(asks ? undefined : null);
  useEffect(() => {
    if (!asks) return;
    let gone = false;
    readOne<AdminRoute>('routes', route).then(
      (known) => {
        const reviewers = known?.config.reviewers;
        if (!gone) setFound(reviewers && !reviewers.includes(who.subject) ? reviewers : null);
      },
      () => !gone && setFound(null),
    );
    return () => {
      gone = true;
    };
  }, [route, asks]);
  return found;
}
