import type { AdminPrincipal, AdminRoute, InboxPerson } from '@countersign/protocol';
import { useEffect, useState } from 'preact/hooks';

import { readAll, readOne } from '../operator/data.js';
import { reader } from '../session/session.js';

/**
 * The people who decide on a route when the reader is an operator who does not; null when the reader may decide or it is
 * not known, as then the service says so. Undefined while it is being read. Only operators can read a route.
 */
export function useOtherReviewers(route: string | null): readonly InboxPerson[] | null | undefined {
  const who = reader();
  const asks = route !== null && who?.operator === true;
  const [found, setFound] = useState<readonly InboxPerson[] | null | undefined>(
    asks ? undefined : null,
  );
  useEffect(() => {
    if (!asks) return;
    let gone = false;
    othersOn(route, who.subject).then(
      (others) => !gone && setFound(others),
      () => !gone && setFound(null),
    );
    return () => {
      gone = true;
    };
  }, [route, asks]);
  return found;
}

async function othersOn(route: string, reader: string): Promise<readonly InboxPerson[] | null> {
  const reviewers = (await readOne<AdminRoute>('routes', route))?.config.reviewers;
  if (!reviewers || reviewers.includes(reader)) return null;
  const known = await readAll<AdminPrincipal>('principals');
  const names = new Map(known.map(({ id, config }) => [id, config.name]));
  return reviewers.map((id) => ({ id, name: names.get(id) ?? null }));
}
