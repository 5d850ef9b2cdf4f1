import {
  AGENT_UI_LIFECYCLE,
  AGENT_UI_LIMITS,
  AGENT_UI_PROFILE,
} from '@countersign/protocol/constants';
import type { AgentUiEnvelope, DecisionProposal, StoredApp } from '@countersign/protocol';

import { faultOf } from '../app-messages/measure.js';
import type { ErrorCode, Message, MessageId } from '../app-messages/messages.js';
import { failure, messageOf, notification, request, success } from '../app-messages/messages.js';
import { ALIVE_BEATS, PRIVATE, PUBLIC } from '../app-messages/methods.js';
import { anything, cut, exactly, oneOf, text } from '../app-messages/shapes.js';
import type { AppFailure } from './failures.js';
import { isFailure } from './failures.js';

/**
 * One View's life as its host sees it (protocol §12.3, §12.4): the proxy loads → the View's HTML went out → it was
 * answered → it has its snapshots and may propose → it is asked to close → it is gone.
 */
export type Phase = 'loading' | 'started' | 'initialising' | 'active' | 'closing' | 'closed';

export interface HostState {
  readonly phase: Phase;
  /** Ids of requests so far; text and number are distinct. */
  readonly ids: ReadonlySet<MessageId>;
  /** Messages that were refused or ignored; as many as ids are too many. */
  readonly refused: number;
  readonly proposals: number;
  /** Proposals that are being checked by the service. */
  readonly pending: ReadonlySet<MessageId>;
  /** Whether a further proposal may go to the service (protocol §12.6). */
  readonly permission: 'free' | 'once' | 'none';
  /** Beats since the proxy last showed that it lives. */
  readonly silence: number;
}

export type HostEvent =
  /** From the exact window and origin of the proxy. */
  | { readonly type: 'message'; readonly data: unknown }
  | { readonly type: 'settled'; readonly id: MessageId; readonly outcome: ProposalOutcome }
  | { readonly type: 'beat' }
  | { readonly type: 'initialise_timeout' }
  | { readonly type: 'grace_over' }
  /** The outer frame loaded another time, or did not load. */
  | { readonly type: 'frame_lost'; readonly failure: AppFailure }
  /** The page wants to be rid of the View: it goes away, or the review is over. */
  | { readonly type: 'close' }
  /** A person allows one more proposal after a dismissal. */
  | { readonly type: 'allow' };

export type HostEffect =
  | { readonly type: 'send'; readonly message: unknown }
  | { readonly type: 'await_initialise' }
  | { readonly type: 'await_grace' }
  | { readonly type: 'propose'; readonly id: MessageId; readonly proposal: DecisionProposal }
  | { readonly type: 'ready' }
  | { readonly type: 'remove'; readonly failure: AppFailure | null };

/** The outcome of a proposal: frozen and on the trusted page, or refused by slot, service or reviewer. */
export type ProposalOutcome =
  | { readonly accepted: true; readonly candidateId: string }
  | { readonly accepted: false; readonly message: string };

export interface HostFacts {
  readonly app: StoredApp;
  readonly hostInfo: { readonly name: string; readonly version: string };
}

export const INITIAL: HostState = {
  phase: 'loading',
  ids: new Set(),
  refused: 0,
  proposals: 0,
  pending: new Set(),
  permission: 'free',
  silence: 0,
};

const TEARDOWN_ID = 'host-teardown';
const CAPABILITIES = { localProposal: true };

type Step = readonly [HostState, readonly HostEffect[]];

/** The next state and the effects to run. Pure: frames, timers and the service are elsewhere. */
export function hostStep(facts: HostFacts, state: HostState, event: HostEvent): Step {
  if (state.phase === 'closed') return [state, []];
  switch (event.type) {
    case 'message':
      return receive(facts, state, event.data);
    case 'settled':
      return settle(state, event.id, event.outcome);
    case 'beat': {
      const silence = state.silence + 1;
      return silence >= ALIVE_BEATS ? destroy(state, 'silent') : [{ ...state, silence }, []];
    }
    case 'initialise_timeout':
      return inPhase(state, 'started', 'initialising')
        ? destroy(state, 'not_initialised')
        : [state, []];
    case 'grace_over':
      return state.phase === 'closing' ? remove(state) : [state, []];
    case 'frame_lost':
      return destroy(state, event.failure);
    case 'close':
      return close(state);
    case 'allow':
      return [state.permission === 'none' ? { ...state, permission: 'once' } : state, []];
  }
}

function receive(facts: HostFacts, state: HostState, data: unknown): Step {
  const fault = faultOf(data, {
    bytes: AGENT_UI_LIMITS.view_message_bytes,
    depth: AGENT_UI_LIMITS.json_depth,
  });
  if (fault !== null) return destroy(state, fault);
  const message = messageOf(data);
  if (message.kind === 'notification') {
    switch (message.method) {
      case PRIVATE.proxyAlive:
        return [{ ...state, silence: 0 }, []];
      case PRIVATE.proxyReady:
        return start(facts, state);
      case PRIVATE.viewFailed:
        return destroy(
          state,
          isFailure(message.params['reason']) ? message.params['reason'] : 'not_loaded',
        );
    }
  }
  // Nothing but the proxy speaks before it has the View's HTML.
  if (state.phase === 'loading') return destroy(state, 'out_of_order');
  if (state.phase === 'closing') return answerToTeardown(state, message);
  switch (message.kind) {
    case 'request':
      return receiveRequest(facts, state, message);
    case 'notification':
      return message.method === PUBLIC.initialized
        ? initialized(facts, state, message.params)
        : refuse(state);
    case 'malformed':
      return message.id === null ? refuse(state) : refuse(state, message.id, -32600, 'malformed');
    default:
      // There is nothing of the host's that it could answer to.
      return refuse(state);
  }
}

function start({ app }: HostFacts, state: HostState): Step {
  if (state.phase !== 'loading') return destroy(state, 'out_of_order');
  const message = notification(PRIVATE.resourceReady, { html: app.html, sandbox: 'allow-scripts' });
  return send({ ...state, phase: 'started', silence: 0 }, message, { type: 'await_initialise' });
}

function receiveRequest(
  facts: HostFacts,
  state: HostState,
  { id, method, params }: Extract<Message, { kind: 'request' }>,
): Step {
  if (state.ids.has(id)) return refuse(state, id, -32600, 'the id was used before');
  if (state.ids.size >= AGENT_UI_LIMITS.tracked_view_request_ids) {
    return destroy(state, 'too_many_messages');
  }
  const known = { ...state, ids: new Set(state.ids).add(id) };
  if (method === PUBLIC.initialize) return initialise(facts, known, id, params);
  if (method === PUBLIC.propose) return propose(known, id, params);
  return refuse(known, id, -32601, 'unknown method');
}

const isInitialise = exactly(
  {
    protocolVersion: oneOf(AGENT_UI_PROFILE),
    capabilities: exactly({ localProposal: oneOf(true) }),
  },
  {
    viewInfo: exactly({
      name: text(1, AGENT_UI_LIMITS.view_name_codepoints),
      version: text(1, AGENT_UI_LIMITS.view_version_codepoints),
    }),
  },
);

function initialise(
  { app, hostInfo }: HostFacts,
  state: HostState,
  id: MessageId,
  params: Readonly<Record<string, unknown>>,
): Step {
  if (state.phase !== 'started') return outOfOrder(state, id);
  if (!isInitialise(params)) {
    return destroy(state, 'wrong_profile', failure(id, -32602, 'wrong profile or parameters'));
  }
  const result = {
    protocolVersion: AGENT_UI_PROFILE,
    capabilities: CAPABILITIES,
    hostInfo,
    envelope: envelopeOf(app),
    limits: AGENT_UI_LIMITS,
    lifecycle: AGENT_UI_LIFECYCLE,
  };
  return send({ ...state, phase: 'initialising' }, success(id, result));
}

function initialized({ app }: HostFacts, state: HostState, params: object): Step {
  if (state.phase !== 'initialising' || Object.keys(params).length > 0) {
    return destroy(state, 'out_of_order');
  }
  const { input, result } = app;
  const sent = send({ ...state, phase: 'active' }, notification(PUBLIC.input, input));
  return then(
    then(sent, (next) => send(next, notification(PUBLIC.result, result))),
    (next) => [next, [{ type: 'ready' }]],
  );
}

const isProposal = exactly({
  response: anything,
  decision: oneOf('answer', 'approve', 'reject', 'authorise', 'refuse'),
});

function propose(state: HostState, id: MessageId, params: Readonly<Record<string, unknown>>): Step {
  if (state.phase !== 'active') return outOfOrder(state, id);
  const proposals = state.proposals + 1;
  if (proposals > AGENT_UI_LIMITS.proposals_per_view) return destroy(state, 'too_many_proposals');
  const counted = { ...state, proposals };
  if (!isProposal(params)) return send(counted, failure(id, -32602, 'no proposal'));
  // One at a time: the second would find the slot taken.
  if (state.pending.size > 0)
    return send(counted, failure(id, -32000, 'another proposal is under way'));
  if (state.permission === 'none') {
    return send(counted, failure(id, -32000, 'the reviewer has not allowed another proposal'));
  }
  const permission = state.permission === 'once' ? 'none' : 'free';
  const pending = new Set(state.pending).add(id);
  const proposal = params as unknown as DecisionProposal;
  return [{ ...counted, permission, pending }, [{ type: 'propose', id, proposal }]];
}

function settle(state: HostState, id: MessageId, outcome: ProposalOutcome): Step {
  const pending = new Set(state.pending);
  if (!pending.delete(id)) return [state, []];
  const settled = { ...state, pending };
  // From here on a further proposal is the reviewer's to allow, after this one was dismissed.
  if (outcome.accepted) settled.permission = 'none';
  if (state.phase !== 'active') return [settled, []];
  const message = outcome.accepted
    ? success(id, { candidate_id: outcome.candidateId, status: 'awaiting_human_confirmation' })
    : failure(id, -32000, cut(outcome.message, AGENT_UI_LIMITS.error_message_codepoints));
  return send(settled, message);
}

function close(state: HostState): Step {
  if (state.phase === 'closing') return [state, []];
  if (state.phase !== 'active') return remove(state);
  const message = request(TEARDOWN_ID, PUBLIC.teardown, {});
  return send({ ...state, phase: 'closing' }, message, { type: 'await_grace' });
}

/** With any answer, and in any form, the frames go. Anything else is not listened to any more. */
function answerToTeardown(state: HostState, message: Message): Step {
  const answers = message.kind === 'success' || message.kind === 'error';
  return answers && message.id === TEARDOWN_ID ? remove(state) : [state, []];
}

function outOfOrder(state: HostState, id: MessageId): Step {
  return destroy(state, 'out_of_order', failure(id, -32600, 'out of order'));
}

/** Answers with an error where there is an id, and counts: refusing must not be free of charge for ever. */
function refuse(state: HostState, id?: MessageId, code?: ErrorCode, why?: string): Step {
  const refused = state.refused + 1;
  if (refused > AGENT_UI_LIMITS.tracked_view_request_ids)
    return destroy(state, 'too_many_messages');
  const next = { ...state, refused };
  if (id === undefined || code === undefined || why === undefined) return [next, []];
  return send(next, failure(id, code, why));
}

/** Sends an allowed message of the host; a message over its bounds ends the View instead. */
function send(state: HostState, message: unknown, ...more: readonly HostEffect[]): Step {
  const bounds = { bytes: AGENT_UI_LIMITS.host_message_bytes, depth: AGENT_UI_LIMITS.json_depth };
  const fault = faultOf(message, bounds);
  if (fault !== null) return destroy(state, fault);
  return [state, [{ type: 'send', message }, ...more]];
}

function then([state, effects]: Step, next: (state: HostState) => Step): Step {
  if (state.phase === 'closed') return [state, effects];
  const [after, more] = next(state);
  return [after, [...effects, ...more]];
}

function destroy(state: HostState, why: AppFailure, lastWord?: unknown): Step {
  // A View on its way out cannot fail any more.
  const [closed, effects] = remove(state, state.phase === 'closing' ? null : why);
  return [
    closed,
    lastWord === undefined ? effects : [{ type: 'send', message: lastWord }, ...effects],
  ];
}

function remove(state: HostState, why: AppFailure | null = null): Step {
  return [
    { ...INITIAL, permission: state.permission, phase: 'closed' },
    [{ type: 'remove', failure: why }],
  ];
}

function inPhase(state: HostState, ...phases: readonly Phase[]): boolean {
  return phases.includes(state.phase);
}

function envelopeOf(app: StoredApp): AgentUiEnvelope {
  const { profile, protocol_revision, request, bundle, source, snapshots, binding_digest } = app;
  return { profile, protocol_revision, request, bundle, source, snapshots, binding_digest };
}
