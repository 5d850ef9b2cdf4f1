import { AGENT_UI_LIMITS } from '@countersign/protocol/constants';

import type { AppFailure } from '../app-host/failures.js';
import { faultOf } from '../app-messages/measure.js';
import type { Message } from '../app-messages/messages.js';
import { messageOf, notification } from '../app-messages/messages.js';
import { PRIVATE, PROOF_BEATS, PUBLIC, isPrivate } from '../app-messages/methods.js';
import { aString, exactly, oneOf } from '../app-messages/shapes.js';

/** Proving that it confines → waiting for the View's HTML → passing messages on → over. */
export type ProxyPhase = 'proving' | 'waiting' | 'running' | 'ended';

export interface ProxyState {
  readonly phase: ProxyPhase;
  /** Challenges that the inner frame has not answered yet, oldest first. */
  readonly open: readonly string[];
  readonly loads: number;
}

export type ProxyEvent =
  | { readonly type: 'proven' }
  | { readonly type: 'unproven' }
  /** From the parent window with the trusted origin. */
  | { readonly type: 'from_host'; readonly data: unknown }
  /** From the inner window itself. Ports and other things that a message can carry beside data are no JSON. */
  | { readonly type: 'from_view'; readonly data: unknown; readonly carriesPorts: boolean }
  | { readonly type: 'inner_loaded' }
  | { readonly type: 'beat'; readonly challenge: string };

export type ProxyEffect =
  | { readonly type: 'to_host'; readonly message: unknown }
  | { readonly type: 'to_view'; readonly message: unknown }
  | { readonly type: 'create_inner'; readonly html: string }
  | { readonly type: 'remove_inner' };

export const INITIAL_PROXY: ProxyState = { phase: 'proving', open: [], loads: 0 };

type Step = readonly [ProxyState, readonly ProxyEffect[]];

const isResource = exactly({ html: aString, sandbox: oneOf('allow-scripts') });
const isChallenge = exactly({ challenge: aString });
const toViews: ReadonlySet<string> = new Set([PUBLIC.input, PUBLIC.result]);

/** The next state and the effects to run (protocol §12.2 to §12.4). Pure: windows and timers are elsewhere. */
export function proxyStep(state: ProxyState, event: ProxyEvent): Step {
  if (state.phase === 'ended') return [state, []];
  switch (event.type) {
    case 'proven':
      return [{ ...state, phase: 'waiting' }, [tell(PRIVATE.proxyReady, {})]];
    case 'unproven':
      return end(state, 'unconfined');
    case 'from_host':
      return fromHost(state, event.data);
    case 'from_view':
      return event.carriesPorts ? end(state, 'not_json') : fromView(state, event.data);
    case 'inner_loaded':
      // The HTML loads once; any later load is another document, or the same again.
      return state.loads > 0 ? end(state, 'navigated') : [{ ...state, loads: 1 }, []];
    case 'beat':
      return beat(state, event.challenge);
  }
}

function fromHost(state: ProxyState, data: unknown): Step {
  const bounds = { bytes: AGENT_UI_LIMITS.host_message_bytes, depth: AGENT_UI_LIMITS.json_depth };
  const fault = faultOf(data, bounds);
  if (fault !== null) return end(state, fault);
  const message = messageOf(data);
  if (message.kind === 'notification' && message.method === PRIVATE.resourceReady) {
    if (state.phase !== 'waiting' || !isResource(message.params)) return end(state, 'out_of_order');
    const html = message.params['html'] as string;
    return [{ ...state, phase: 'running' }, [{ type: 'create_inner', html }]];
  }
  if (state.phase !== 'running' || !isForView(message)) return end(state, 'out_of_order');
  return [state, [{ type: 'to_view', message: data }]];
}

function isForView(message: Message): boolean {
  if (message.kind === 'notification') return toViews.has(message.method);
  if (message.kind === 'request') return message.method === PUBLIC.teardown;
  return message.kind !== 'malformed';
}

function fromView(state: ProxyState, data: unknown): Step {
  const bounds = { bytes: AGENT_UI_LIMITS.view_message_bytes, depth: AGENT_UI_LIMITS.json_depth };
  const fault = faultOf(data, bounds);
  if (fault !== null) return end(state, fault);
  const message = messageOf(data);
  const method = (data as { method?: unknown } | null)?.method;
  if (!isPrivate(method)) return [state, [{ type: 'to_host', message: data }]];
  const proof =
    message.kind === 'notification' && method === PRIVATE.proxyProof && isChallenge(message.params);
  const at = proof ? state.open.indexOf(message.params['challenge'] as string) : -1;
  // A View that speaks as the proxy would be believed by the host.
  if (at < 0) return end(state, 'out_of_order');
  return [{ ...state, open: state.open.slice(at + 1) }, []];
}

function beat(state: ProxyState, challenge: string): Step {
  const alive = tell(PRIVATE.proxyAlive, {});
  if (state.phase !== 'running') return [state, [alive]];
  if (state.open.length >= PROOF_BEATS) return end(state, 'silent');
  const message = notification(PRIVATE.proxyProbe, { challenge });
  return [{ ...state, open: [...state.open, challenge] }, [alive, { type: 'to_view', message }]];
}

function end(state: ProxyState, reason: AppFailure): Step {
  return [
    { ...state, phase: 'ended' },
    [{ type: 'remove_inner' }, tell(PRIVATE.viewFailed, { reason })],
  ];
}

function tell(method: string, params: Readonly<Record<string, unknown>>): ProxyEffect {
  return { type: 'to_host', message: notification(method, params) };
}
