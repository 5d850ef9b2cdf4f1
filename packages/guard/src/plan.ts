import { digestOf, keyOf } from '@countersign/client';
import type { Client, JsonObject, JsonValue, RequestInput } from '@countersign/client';

import { documentOf } from './document.js';
import { occurrenceOf } from './options.js';
import type { GuardOptions } from './options.js';
import { snapshotOf } from './snapshot.js';

export const FORMAT = 'countersign.guard/1';

/** The exact call that asks for an occurrence. A framework may keep it in a state of its own: it is plain JSON. */
export interface Plan {
  readonly format: typeof FORMAT;
  readonly occurrence: string;
  /** The body of the call. */
  readonly body: RequestInput;
  /** Its idempotency key. */
  readonly key: string;
  /** The request that it replaces. */
  readonly supersedes: string | null;
}

export type Proposal = {
  readonly format: typeof FORMAT;
  readonly name: string;
  readonly version: string;
  readonly args: JsonValue;
};

/** A note that may be left empty. */
const NOTE: JsonObject = {
  type: 'object',
  additionalProperties: false,
  properties: { note: { type: 'string', maxLength: 1_000 } },
};
const DAY = 86_400;

export interface Planned {
  readonly snapshot: JsonValue;
  readonly occurrence: string;
  readonly proposal: string;
}

/** What the arguments mean: their snapshot, the occurrence and the digest of the proposal. @throws TypeError */
export function planned<A>(options: GuardOptions<A>, args: A): Planned {
  const snapshot = snapshotOf(args, 'guard: the arguments');
  const hash = (text: string) => `sha256:${digestOf(text).slice('sha256:'.length)}`;
  const occurrence = occurrenceOf(options, snapshot as A, hash);
  return { snapshot, occurrence, proposal: digestOf(proposalOf(options, snapshot)) };
}

export function proposalOf<A>({ name, version = '1' }: GuardOptions<A>, args: JsonValue): Proposal {
  return { format: FORMAT, name, version, args };
}

/**
 * The call that asks. It is made once for an occurrence and kept: its times are those of the first process.
 *
 * @param now epoch milliseconds
 * @param supersedes the request that it replaces
 * @throws TypeError, and what `document` and `summary` throw: nothing is asked then
 */
export function planOf<A>(
  client: Client,
  options: GuardOptions<A>,
  { snapshot, occurrence, proposal }: Planned,
  now: number,
  supersedes: string | null = null,
): Plan {
  const args = snapshot as A;
  const { name, version = '1', route, executionSeconds = 300, validSeconds = 2 * DAY } = options;
  const { context = {}, metadata, reviewSeconds, journal, response = NOTE, profiles } = options;
  const summary = options.summary?.(args) ?? `${name} ${occurrence}`;
  const document = options.document?.(args) ?? documentOf(name, occurrence, snapshot);
  if (typeof document !== 'string') throw new TypeError('guard: document has to give a text');
  const recoveryOf = options.recoveryOf?.(args);
  const policy = { name, version, route, executionSeconds, hasProbe: options.probe !== undefined };
  const surroundings = { context: snapshotOf(context, 'guard: context'), policy };
  const body: RequestInput = {
    protocol_revision: '2.0.0-draft.3',
    purpose: 'authorise_execution',
    profiles: { 'proto.execution': '1-draft.1', ...profiles },
    route,
    summary: summary.slice(0, 300),
    artefact: { digest: proposal, representation: 'application/json', digest_rules: 'jcs-sha256' },
    payload: { proposal: proposalOf(options, snapshot), context: surroundings },
    response_schema: snapshotOf(response, 'guard: response') as JsonObject,
    review_document: document,
    execution: {
      action_occurrence_id: occurrence,
      proposal_digest: proposal,
      proposal_format: FORMAT,
      context_digest: digestOf(surroundings),
      context_format: FORMAT,
      policy: { source: FORMAT, revision: '1', digest: digestOf(policy) },
      mode: journal?.durable === true ? 'durable' : 'live_window',
      valid_until: new Date(now + validSeconds * 1_000).toISOString(),
      execution_seconds: executionSeconds,
      provenance: { profile: 'proto.execution', version: '1-draft.1', references: {} },
      ...(recoveryOf !== undefined && { recovery_of: recoveryOf }),
    },
    ...(reviewSeconds !== undefined && { review_seconds: reviewSeconds }),
    ...(metadata !== undefined && {
      metadata: snapshotOf(metadata, 'guard: metadata') as JsonObject,
    }),
  };
  const key =
    supersedes === null
      ? keyOf('create', client.tenant as string, client.producer as string, occurrence)
      : keyOf('supersede', client.tenant as string, client.producer as string, supersedes);
  return { format: FORMAT, occurrence, body, key, supersedes };
}

/** The key of an occurrence in journals. */
export function entryKeyOf(client: Client, occurrence: string): string {
  return keyOf('occurrence', client.tenant as string, client.producer as string, occurrence);
}

/** The key for the outside world: the same for ever for an occurrence. */
export function runKeyOf(client: Client, occurrence: string): string {
  return keyOf('run', client.tenant as string, client.producer as string, occurrence);
}

/** @throws TypeError for a plan that is none of this guard's, or that was changed */
export function checkPlan<A>(options: GuardOptions<A>, plan: Plan): Planned {
  const { body, occurrence } = plan;
  const { proposal } = body.payload as unknown as { proposal: Proposal };
  const digest = digestOf(proposal);
  const isSame =
    plan.format === FORMAT &&
    proposal.name === options.name &&
    proposal.version === (options.version ?? '1') &&
    body.execution?.proposal_digest === digest &&
    body.execution.action_occurrence_id === occurrence;
  if (!isSame)
    throw new TypeError('guard: this plan is not of this guard and version, or was changed');
  return { snapshot: snapshotOf(proposal.args, 'guard: the plan'), occurrence, proposal: digest };
}
