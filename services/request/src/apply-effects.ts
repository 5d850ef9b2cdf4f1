import { changeVoters, invalidate } from '@countersign/protocol';
import type { Recorder, Transition } from '@countersign/protocol';
import { endedIn, lastNumber } from '@countersign/database';
import type { CallerIdentity, MovedRequest } from '@countersign/database';
import type { Notary } from '@countersign/platform';
import type { Effects } from './directory-effects.js';
import type { ChangedVotes } from './store/directory-votes.js';
import type { Affected, DirectoryChange } from './store/directory.js';

/**
 * Takes authority and votes from the requests that a change of the directory touches, each with its events, before the change's
 * own record (protocol §4.1). Answers how many it touched.
 */
export async function applyEffects(
  change: DirectoryChange,
  notary: Notary,
  caller: CallerIdentity,
  { affected, reasonOf, votes }: Effects,
): Promise<number> {
  const by = { kind: caller.kind, subject: caller.id } as Recorder;
  const invalidated: MovedRequest[] = [];
  const changed: ChangedVotes[] = [];
  for (const request of affected) {
    const reason = reasonOf(request);
    const of = votes.get(request.id);
    if (reason !== null) {
      const transition = invalidate(request.lifecycle, reason, change.now);
      invalidated.push(await moved(change, notary, request, transition));
    } else if (of !== undefined) {
      const { about, voting, directory } = of;
      const { transition } = changeVoters(
        request.lifecycle,
        about,
        voting,
        directory,
        by,
        change.now,
      );
      if (transition.records.length === 0) continue;
      const ended = endedIn(transition.records, voting);
      changed.push({
        ...(await moved(change, notary, request, transition)),
        ...{ ended, number: lastNumber(ended, voting.number) },
        becomesUnreachable: transition.incidents.length > 0,
      });
    }
  }
  if (invalidated.length > 0) await change.saveInvalidated(invalidated);
  if (changed.length > 0) await change.saveVotes(changed);
  return invalidated.length + changed.length;
}

async function moved(
  { tenant, now }: DirectoryChange,
  notary: Notary,
  { id, version, owner, profiles, lifecycle }: Affected,
  { next, records: drafts }: Transition,
): Promise<MovedRequest> {
  const about = { id, owner, request: { purpose: lifecycle.purpose, profiles } };
  return { id, version, next, records: await notary.sign(tenant, about, drafts, now) };
}
