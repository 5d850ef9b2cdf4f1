import { AGENT_UI_LIMITS } from '@countersign/protocol/constants';
import type { DecisionProposal, StoredApp } from '@countersign/protocol';

import { BEAT_MS } from '../app-messages/methods.js';
import type { Accepted, Refused } from '../review/proposal-slot.js';
import type { AppFailure } from './failures.js';
import type { HostEffect, HostEvent, HostState, ProposalOutcome } from './host-machine.js';
import { INITIAL, hostStep } from './host-machine.js';
import type { PageFacts } from './stored-app.js';
import { checkedApp } from './stored-app.js';

export interface AppOptions {
  /** The answer of `request.app` as it was fetched; it is checked here against `material`. */
  readonly snapshot: unknown;
  readonly material: PageFacts;
  /** For those who cannot see the frame. */
  readonly title: string;
  /** Takes the slot and freezes the proposal, or says why not. A throw is a refusal without a reason. */
  readonly onProposal: (proposal: DecisionProposal) => Promise<Accepted | Refused>;
  /**
   * The app is gone, or never came: withdraw its proposals, show the native form alone. Called at most once, and not for
   * `close`.
   */
  readonly onFailure: (failure: AppFailure) => void;
  /** The app has its data; from now on it may propose. */
  readonly onReady: () => void;
}

export interface MountedApp {
  /** Lets the app end by itself for a moment, then removes it. */
  close(): Promise<void>;
  /** After a dismissal: one more proposal. Call it only for a trusted event with user activation. */
  allowAnother(): void;
}

const HOST_INFO = { name: 'Countersign', version: '0.1.0' };
const REFUSED = 'the proposal was refused';

/** The words that an app gets for a refusal: enough to change its proposal, nothing about the page. */
function wordsOf({ reason, code }: Refused): string {
  if (reason === 'busy') return 'another proposal is being reviewed';
  return code === null ? REFUSED : `${REFUSED}: ${code}`;
}

/**
 * Shows an app inside `container`, in two frames on the sandbox origin (protocol §12.1), once it is certain that it is the
 * app this request is bound to. The app reaches the page by `options` alone.
 */
export function mountApp(container: HTMLElement, options: AppOptions): MountedApp {
  const life = new AbortController();
  let machine: ReturnType<typeof run> | null = null;

  const opened = checkedApp(options.snapshot, options.material).then((app) => {
    if (life.signal.aborted) return;
    if (app === null) options.onFailure('snapshot_mismatch');
    else machine = run(container, app, options);
  });

  return {
    async close() {
      life.abort();
      await opened;
      if (machine === null) return;
      machine.handle({ type: 'close' });
      await machine.removed;
    },
    allowAnother() {
      machine?.handle({ type: 'allow' });
    },
  };
}

function run(container: HTMLElement, app: StoredApp, options: AppOptions) {
  const { title, onProposal, onFailure, onReady } = options;
  const life = new AbortController();
  const { signal } = life;
  const frame = newOuterFrame(app, title);
  let state: HostState = INITIAL;
  let loads = 0;
  let settleRemoved: () => void;
  const removed = new Promise<void>((settle) => (settleRemoved = settle));

  function handle(event: HostEvent): void {
    const [next, effects] = hostStep({ app, hostInfo: HOST_INFO }, state, event);
    state = next;
    effects.forEach(perform);
  }

  function perform(effect: HostEffect): void {
    switch (effect.type) {
      case 'send':
        frame.contentWindow?.postMessage(effect.message, app.origin);
        break;
      case 'await_initialise':
        after(AGENT_UI_LIMITS.initialise_timeout_ms, { type: 'initialise_timeout' });
        break;
      case 'await_grace':
        after(AGENT_UI_LIMITS.teardown_grace_ms, { type: 'grace_over' });
        break;
      case 'propose': {
        const settle = (outcome: ProposalOutcome) =>
          handle({ type: 'settled', id: effect.id, outcome });
        onProposal(effect.proposal).then(
          (answer) =>
            settle(answer.accepted ? answer : { accepted: false, message: wordsOf(answer) }),
          () => settle({ accepted: false, message: REFUSED }),
        );
        break;
      }
      case 'ready':
        onReady();
        break;
      case 'remove':
        life.abort();
        frame.remove();
        settleRemoved();
        if (effect.failure !== null) onFailure(effect.failure);
        break;
    }
  }

  function after(ms: number, event: HostEvent): void {
    const timer = setTimeout(() => handle(event), ms);
    signal.addEventListener('abort', () => clearTimeout(timer));
  }

  const beats = setInterval(() => handle({ type: 'beat' }), BEAT_MS);
  signal.addEventListener('abort', () => clearInterval(beats));
  window.addEventListener(
    'message',
    ({ source, origin, data, ports }) => {
      if (source === null || source !== frame.contentWindow || origin !== app.origin) return;
      if (ports.length > 0) handle({ type: 'frame_lost', failure: 'not_json' });
      else handle({ type: 'message', data });
    },
    { signal },
  );
  window.addEventListener(
    'pagehide',
    () => {
      handle({ type: 'close' });
      // Only a page that is come back to, out of the browser's memory, is there to say so.
      window.addEventListener('pageshow', () => onFailure('page_left'), { once: true });
    },
    { signal },
  );
  frame.addEventListener('load', () => {
    loads += 1;
    if (loads > 1) handle({ type: 'frame_lost', failure: 'navigated' });
  });
  container.append(frame);
  return { handle, removed };
}

/** Runs only the service's own proxy; the app is in a frame inside it (protocol §12.1). */
function newOuterFrame({ origin, scope }: StoredApp, title: string): HTMLIFrameElement {
  const frame = document.createElement('iframe');
  frame.className = 'app-frame';
  frame.title = title;
  frame.setAttribute('sandbox', 'allow-scripts allow-same-origin');
  frame.setAttribute('referrerpolicy', 'no-referrer');
  frame.src = `${origin}/sandbox/${scope}?instance=${crypto.randomUUID()}`;
  return frame;
}
