import { createHash } from 'node:crypto';
import { APPROVAL_PROFILES } from '@countersign/client/approvals';
import { digestOf } from '@countersign/client/node';
import type { Client, JsonObject } from '@countersign/client/node';
import { guard } from '@countersign/guard/node';
import type { Action, GuardOptions, Guarded, Journal } from '@countersign/guard/node';

import { filled } from '../policy/template.js';
import { USUAL } from '../policy/policy.js';
import type { Match } from '../policy/policy.js';
import { documentOf } from './document.js';
import { seriesOf } from './series.js';
import type { Series } from './series.js';
import type { State } from './state.js';

/** What people authorise: exactly this call. */
export type Proposal = {
  readonly alias: string;
  readonly tool: string;
  /** Of what the server says of the tool. */
  readonly definition_digest?: string;
  readonly arguments: JsonObject;
  /** Where an agent runs it. */
  readonly folder?: string;
};

export interface Surroundings {
  readonly client: Client;
  readonly journal: Journal;
  readonly state: State;
}

/** A call that a rule asks about. */
export interface Guarding<T> {
  readonly occurrence: string;
  readonly series: Series;
  /** Whether the policy names what may happen at most once. */
  readonly isNamed: boolean;
  readonly action: Guarded<Proposal, T>;
}

interface Given<T> {
  /** Of the guard, which is signed. */
  readonly name: string;
  readonly match: Match;
  readonly proposal: Proposal;
  readonly description: string;
  readonly options?: Partial<GuardOptions<Proposal>>;
  readonly act: Action<Proposal, T>;
}

/**
 * The guard of one call. Calls that are the same to the letter are one occurrence until the end of it was told, unless the
 * policy names the occurrence.
 *
 * @throws TypeError for an occurrence or a summary that names an argument which is not there
 */
export function guardingOf<T>(surroundings: Surroundings, given: Given<T>): Guarding<T> {
  const { client, journal, state } = surroundings;
  const { name, match, proposal, description, options, act } = given;
  const { alias, tool, arguments: args, folder } = proposal;
  const { rule, route, approvals } = match;
  const named = rule?.occurrence ? filled(rule.occurrence, args) : null;
  const key = createHash('sha256')
    .update(named === null ? digestOf(proposal) : `named ${named}`)
    .digest('hex');
  const series = seriesOf(state, key);
  const occurrence = named ?? `${alias}/${state.name}/${key.slice(0, 32)}/${series.number}`;
  const summary = rule?.summary ? filled(rule.summary, args) : `${alias}: ${tool}`;
  const { before } = series;
  const document = documentOf({
    ...{ alias, tool, args, description, before },
    ...(folder !== undefined && { folder }),
  });
  const action = guard(
    client,
    {
      ...{ name, route: route as string, journal, hashOccurrence: true },
      occurrence: () => occurrence,
      summary: () => summary,
      document: () => document,
      ...(approvals && { profiles: APPROVAL_PROFILES }),
      executionSeconds: rule?.windowSeconds ?? USUAL.windowSeconds,
      ...options,
    },
    act,
  );
  return { occurrence, series, isNamed: named !== null, action };
}
