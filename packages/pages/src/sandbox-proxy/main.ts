import { BEAT_MS, PRIVATE } from '../app-messages/methods.js';
import { preludeHtml } from './prelude.js';
import type { Confinement } from './proof.js';
import { isConfined, newInnerFrame } from './proof.js';
import type { ProxyEffect, ProxyEvent } from './proxy-machine.js';
import { INITIAL_PROXY, proxyStep } from './proxy-machine.js';

// The listener writes both into the page it serves.
const { trusted, confinement } = document.documentElement.dataset as {
  trusted: string;
  confinement: Confinement;
};

let state = INITIAL_PROXY;
let inner: HTMLIFrameElement | null = null;

function handle(event: ProxyEvent): void {
  const [next, effects] = proxyStep(state, event);
  state = next;
  effects.forEach(perform);
}

function perform(effect: ProxyEffect): void {
  switch (effect.type) {
    case 'to_host':
      window.parent.postMessage(effect.message, trusted);
      break;
    case 'to_view':
      // The inner frame has no origin that could be named.
      inner?.contentWindow?.postMessage(effect.message, '*');
      break;
    case 'create_inner':
      inner = newInnerFrame();
      inner.title = 'App';
      inner.srcdoc =
        preludeHtml(location.origin, PRIVATE.proxyProbe, PRIVATE.proxyProof) + effect.html;
      inner.addEventListener('load', () => handle({ type: 'inner_loaded' }));
      document.body.append(inner);
      break;
    case 'remove_inner':
      inner?.remove();
      inner = null;
      break;
  }
}

window.addEventListener('message', ({ source, origin, data, ports }) => {
  if (source === null) return;
  if (source === window.parent && origin === trusted) handle({ type: 'from_host', data });
  // The window alone counts: every frame without an origin of its own is called null.
  else if (source === inner?.contentWindow) {
    handle({ type: 'from_view', data, carriesPorts: ports.length > 0 });
  }
});
setInterval(() => handle({ type: 'beat', challenge: crypto.randomUUID() }), BEAT_MS);

void isConfined(confinement).then((proven) => handle({ type: proven ? 'proven' : 'unproven' }));
