import { setTimeout as delay } from 'node:timers/promises';
import type { MailChoice, RequestChangedEvent, SignedRecord } from '@countersign/protocol';
import { notifiedVoters, stageOpenedBy } from '@countersign/protocol';
import { storedVotes, withFreshState } from '@countersign/database';
import type { Approver, Approvers, Directory, Traces } from '@countersign/database';
import { KeyedWorker, jobOf, newId } from '@countersign/platform';
import type { WorkerRuntime } from '@countersign/platform';
import { channelsFor } from '../chat/channel.js';
import type { ChatChannel } from '../chat/channel.js';
import { mailTo, recipientsOf, wantsMail } from '../deliveries/recipients.js';
import { dueItemOf } from '../store/deliveries.js';
import type { Batch, Concerned, FeedStore, NewDelivery } from '../store/feed.js';

export interface FollowerDeps {
  readonly feed: FeedStore;
  readonly directory: Directory;
  readonly approvers: Approvers;
  /** To which traces events belong; null while tracing is off. */
  readonly traces: Traces | null;
  /** Whether mail is configured. */
  readonly mails: boolean;
  readonly channels: readonly ChatChannel[];
}

const BATCH = 100;
/** Without recipients the cursor need not move with every entry. */
const PASSING_MS = 250;
/** A hint that was lost costs no more. */
const POLL_MS = 5000;

interface FollowedEvent {
  readonly recordId: string;
  readonly owner: string;
  readonly issuedAt: string;
  readonly payload: RequestChangedEvent;
}

/**
 * Reads the chain behind the ledger and says once of each event to whom it is delivered: to the owner's webhook, when it
 * has one at that moment (protocol §11.5), and by mail (§11.6). Cursor and deliveries move in one statement, which
 * compares where the cursor was: of two that read the same entries one has no effect.
 */
export function follower(runtime: WorkerRuntime, deps: FollowerDeps): KeyedWorker {
  const { feed } = deps;
  const { name, jobs, log } = runtime;

  async function work(tenant: string): Promise<boolean> {
    const tells = deps.mails || deps.channels.some((channel) => channel.tenant === tenant);
    if (!tells && (await feed.passOver(tenant))) {
      await delay(PASSING_MS);
      return false;
    }
    const { batch, deliveries, due } = await withFreshState(() => follow(deps, tenant));
    if (batch === null) return false;
    // Another process was faster, perhaps with a part of it.
    if (due === null) return true;
    const traces = await deps.traces?.of(
      tenant,
      deliveries.map(({ eventId }) => eventId),
    );
    const added = deliveries.map((delivery) => ({
      ...jobOf({ ...dueItemOf({ ...delivery, tenant, due }), inMs: 0 }),
      traceparent: traces?.get(delivery.eventId),
    }));
    // Not awaited: the chain is followed while the queues are away, and the sweep finds the deliveries that they never got.
    jobs
      .enqueueAll(name, added)
      .catch((error: unknown) => log.debug({ err: error, tenant }, 'jobs could not be queued'));
    return batch.entries.length === BATCH;
  }

  return new KeyedWorker({
    name: 'following the chain',
    work,
    poll: () => feed.tenantsBehind(),
    pollMs: POLL_MS,
    log,
  });
}

interface Followed {
  readonly batch: Batch | null;
  readonly deliveries: readonly NewDelivery[];
  /** When they are due; null when another follower was faster. */
  readonly due: number | null;
}

async function follow(deps: FollowerDeps, tenant: string): Promise<Followed> {
  const batch = await deps.feed.batch(tenant, BATCH);
  const last = batch?.entries.at(-1);
  if (batch === null || last === undefined) return { batch: null, deliveries: [], due: null };
  const events = eventsOf(batch);
  const concerned = await concernedBy(deps, tenant, events);
  const deliveries = await deliveriesOf(deps, tenant, batch, events, concerned);
  const news = newsOf(deps, tenant, events, concerned);
  const due = await deps.feed.follow(tenant, batch.after, last.sequence, deliveries, news);
  return { batch, deliveries, due };
}

function eventsOf(batch: Batch): FollowedEvent[] {
  return batch.entries.flatMap(({ recordId, record }) => {
    if (record === null) return [];
    const { protected: header, payload } = JSON.parse(record) as SignedRecord;
    const { audience: owner, issued_at: issuedAt } = header;
    return [{ recordId, owner, issuedAt, payload: payload as RequestChangedEvent }];
  });
}

/** Of the events that people or channels are told of. */
async function concernedBy(
  deps: FollowerDeps,
  tenant: string,
  events: readonly FollowedEvent[],
): Promise<Map<string, Concerned>> {
  const tells = (event: FollowedEvent) =>
    mailTo(event.payload, true) !== null && (deps.mails || isForReviewers(event));
  const told =
    deps.mails || deps.channels.some((channel) => channel.tenant === tenant)
      ? events.filter(tells)
      : [];
  return told.length === 0 ? new Map() : deps.feed.concerned(tenant, [...new Set(told.map(idOf))]);
}

/** How many new reviews and reminders each channel is told of. */
function newsOf(
  { channels }: FollowerDeps,
  tenant: string,
  events: readonly FollowedEvent[],
  concerned: ReadonlyMap<string, Concerned>,
): Map<string, number> {
  const news = new Map<string, number>();
  for (const event of events.filter(isForReviewers)) {
    const route = concerned.get(idOf(event))?.route;
    if (route === undefined) continue;
    for (const { name } of channelsFor(channels, tenant, route)) {
      news.set(name, (news.get(name) ?? 0) + 1);
    }
  }
  return news;
}

function isForReviewers({ payload }: FollowedEvent): boolean {
  return mailTo(payload, false) === 'reviewers';
}

async function deliveriesOf(
  deps: FollowerDeps,
  tenant: string,
  batch: Batch,
  events: readonly FollowedEvent[],
  concerned: ReadonlyMap<string, Concerned>,
): Promise<NewDelivery[]> {
  const choices =
    deps.mails && concerned.size > 0
      ? await deps.feed.choices(tenant)
      : new Map<string, MailChoice>();
  const deliveries: NewDelivery[] = [];
  for (const event of events) {
    const add = (kind: NewDelivery['kind'], recipient: string): void => {
      const id = newId(batch.now);
      deliveries.push({ id, requestId: idOf(event), kind, eventId: event.recordId, recipient });
    };
    const { directoryRevision } = batch;
    const owner = await deps.directory.principal(tenant, event.owner, directoryRevision);
    if (owner?.enabled && owner.config.webhook !== undefined) add('webhook', owner.id);
    const whom = deps.mails ? concerned.get(idOf(event)) : undefined;
    if (whom === undefined) continue;
    const people = await mailRecipients(deps, tenant, directoryRevision, event, { whom, choices });
    for (const recipient of people) add('smtp', recipient);
  }
  return deliveries;
}

async function mailRecipients(
  { directory, feed, approvers }: FollowerDeps,
  tenant: string,
  revision: number,
  event: FollowedEvent,
  {
    whom,
    choices,
  }: { readonly whom: Concerned; readonly choices: ReadonlyMap<string, MailChoice> },
): Promise<string[]> {
  const to = mailTo(event.payload, whom.discardedBy !== null && whom.discardedBy !== 'system');
  if (to === null) return [];
  const reviewers = async () => {
    const ofRoute = (await directory.route(tenant, whom.route, revision))?.config.reviewers ?? [];
    if (whom.approval === null) return ofRoute;
    const of = { reviewers: ofRoute, parties: [], publisher: null, operators: false };
    const { people } = await approvers.approving(tenant, of, revision);
    return votersToTell(event, { ...whom, approval: whom.approval }, people);
  };
  const ids = {
    reviewers,
    voters: reviewers,
    requester: async () => [whom.requester],
    operators: () => feed.operators(tenant),
  };
  const wanting = (await ids[to]()).filter((id) => wantsMail(choices.get(id), to));
  const principals = await Promise.all(
    wanting.map((id) => directory.principal(tenant, id, revision)),
  );
  return recipientsOf(principals);
}

/**
 * Those with a seat in the stage that is open, and of a vote those in the stage that it opened, if it opened one (protocol §11.6). A
 * vote and its event are of the same time.
 */
function votersToTell(
  { payload, issuedAt }: FollowedEvent,
  { approval, votes: text }: Concerned & { readonly approval: NonNullable<Concerned['approval']> },
  people: readonly Approver[],
): string[] {
  const votes = storedVotes({ votes: text });
  const voted = { quorum: approval.policy.quorum, excluded: approval.excluded, votes };
  const namesOf = (found: readonly Approver[]) => found.map(({ reviewer }) => reviewer);
  if (payload.reason !== 'approval') return namesOf(notifiedVoters(voted, people));
  const stages = votes
    .filter(({ row }) => row.approved_at === Date.parse(issuedAt))
    .flatMap(({ number }) => stageOpenedBy(voted, number) ?? []);
  return namesOf(stages.flatMap((stage) => notifiedVoters(voted, people, stage)));
}

function idOf({ payload }: FollowedEvent): string {
  return payload.request_id;
}
