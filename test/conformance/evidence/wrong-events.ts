import type { Scenario } from './scenario.js';
import { eventSaying, saying } from './saying.js';
import type { Wrong } from './wrong-records.js';

const other = `sha256:${'7'.repeat(64)}` as const;
const decided: Scenario = { until: 'anchored' };

/** Contents that events may never have, and records about another request. */
export const WRONG_EVENTS: readonly Wrong[] = [
  [
    'event_revisions',
    'an event id twice',
    saying('RequestChangedEvent', { event_id: '00000000-0000-4000-8000-000000000001' }, decided),
  ],
  [
    'event_states',
    'a first event for another reason',
    eventSaying(1, { reason: 'reminder' }, decided),
  ],
  [
    'event_states',
    'a request that began decided',
    eventSaying(1, { state: { decision: 'confirmed' } }, decided),
  ],
  [
    'event_states',
    'a request that began with an audit',
    eventSaying(1, { state: { audit: 'pending' } }, decided),
  ],
  [
    'event_states',
    'a request that began with a grant',
    eventSaying(1, { state: { grant: 'pending_anchor' } }, decided),
  ],
  [
    'event_states',
    'a request that began claimed',
    eventSaying(1, { state: { execution: 'claimed' } }, {}),
  ],
  [
    'event_states',
    'a decision that decides nothing',
    eventSaying(2, { state: { decision: 'cancelled' } }, decided),
  ],
  [
    'event_states',
    'an anchor that changes nothing',
    eventSaying(3, { state: { audit: 'pending' } }, decided),
  ],
  [
    'event_states',
    'a revocation that leaves the grant',
    eventSaying(3, { reason: 'revoked' }, decided),
  ],
  [
    'event_states',
    'a claim that leaves the grant',
    eventSaying(4, { state: { grant: 'available' } }),
  ],
  [
    'event_states',
    'an execution that goes back',
    eventSaying(5, { state: { execution: 'unclaimed' } }),
  ],
  [
    'event_states',
    'a grant that was never opened',
    eventSaying(2, { state: { grant: 'none' } }, {}),
  ],
  [
    'event_content',
    'an event of another purpose',
    saying(
      'RequestChangedEvent',
      {
        state: {
          decision: 'pending',
          audit: 'unanchored',
          grant: 'not_applicable',
          execution: 'not_applicable',
        },
      },
      { until: 'asked' },
    ),
  ],
  [
    'event_content',
    'an event that tells another outcome',
    eventSaying(5, { state: { execution: 'failed' } }),
  ],
  [
    'record_header',
    'an event that refers to another place',
    saying('RequestChangedEvent', { status_ref: 'https://other.example/' }, decided),
  ],
  [
    'record_request',
    'an outcome of another request',
    saying('ExecutionOutcome', { request_id: 'another' }),
  ],
  [
    'request_bound',
    'a claim on another request',
    saying('ExecutionClaim', { request_digest: other }),
  ],
  [
    'request_bound',
    'a deletion of another request',
    saying('MaterialDiscarded', { request_digest: other }, { discarded: true }),
  ],
];
