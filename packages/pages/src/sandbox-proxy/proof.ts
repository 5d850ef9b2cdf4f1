import { preludeHtml } from './prelude.js';

/** The browser's report comes at once, or never (protocol §12.2). */
const REPORT_MS = 1000;
/** A busy machine takes its time to make a frame; the host waits a second longer for a sign of life. */
const TRIAL_MS = 4000;

export type Confinement = 'standard' | 'strict';

/** Whether this browser confines scripts in the inner frame as far as the mode asks (R25, protocol §12.2). */
export async function isConfined(mode: Confinement): Promise<boolean> {
  const tried = await Promise.all([policyHolds(), trialFrameIsConfined()]);
  return tried.every(Boolean) && (mode === 'standard' || (await webRtcIsBlocked()));
}

/** The policy of this page, which the inner frame inherits, refuses connections and says so. */
function policyHolds(): Promise<boolean> {
  return within(TRIAL_MS, (settle) => {
    document.addEventListener('securitypolicyviolation', ({ effectiveDirective, disposition }) => {
      if (effectiveDirective === 'connect-src') settle(disposition === 'enforce');
    });
    fetch(location.href).then(
      () => settle(false),
      () => undefined,
    );
  });
}

/** The result of a trial in a frame like the View's: no origin, no storage, no WebRTC. */
function trialFrameIsConfined(): Promise<boolean> {
  const frame = newInnerFrame();
  frame.hidden = true;
  const seen = within(TRIAL_MS, (settle) => {
    addEventListener('message', (event) => {
      if (event.source === frame.contentWindow) settle(event.data === 'confined');
    });
  });
  frame.srcdoc = `${preludeHtml(location.origin, '', '')}<script>(${trial.toString()})()</script>`;
  document.documentElement.append(frame);
  return seen.finally(() => frame.remove());
}

/** Runs in the trial frame, written into it as text: it uses nothing from outside itself. */
export function trial(): void {
  const throws = (act: () => unknown): boolean => {
    try {
      act();
      return false;
    } catch {
      return true;
    }
  };
  // A document without an address of the network has no cookies: WebKit says so instead of throwing.
  const keepsCookies = (): void => {
    document.cookie = 'trial=1';
    if (document.cookie === '') throw new Error();
  };
  const confined =
    window.origin === 'null' &&
    (window as { RTCPeerConnection?: unknown }).RTCPeerConnection === undefined &&
    throws(() => window.localStorage) &&
    throws(keepsCookies) &&
    throws(() => window.parent.document) &&
    throws(() => window.top?.document);
  window.parent.postMessage(confined ? 'confined' : 'open', '*');
}

/** As the browser itself reports it for a peer object that knows no servers. Nothing of the View runs yet. */
function webRtcIsBlocked(): Promise<boolean> {
  return within(REPORT_MS, (settle) => {
    if (typeof ReportingObserver !== 'function' || typeof RTCPeerConnection !== 'function') {
      settle(false);
      return;
    }
    const observer = new ReportingObserver(
      (reports) => {
        if (reports.some(isProof)) settle(true);
      },
      { types: ['connection-allowlist'] },
    );
    observer.observe();
    try {
      new RTCPeerConnection().close();
    } catch {
      // Refused without a report is no proof.
    }
  });
}

function isProof(report: Report): boolean {
  const { type, url } = report;
  const body = report.body as
    | { connection?: unknown; disposition?: unknown; allowlist?: unknown }
    | null
    | undefined;
  return (
    type === 'connection-allowlist' &&
    url === location.href &&
    body?.connection === 'webrtc' &&
    body.disposition === 'enforce' &&
    Array.isArray(body.allowlist) &&
    body.allowlist.length === 0
  );
}

/** An inner frame without content; its attributes are all that lets a View do anything (protocol §12.1). */
export function newInnerFrame(): HTMLIFrameElement {
  const frame = document.createElement('iframe');
  frame.setAttribute('sandbox', 'allow-scripts');
  frame.setAttribute('referrerpolicy', 'no-referrer');
  return frame;
}

function within(ms: number, wait: (settle: (holds: boolean) => void) => void): Promise<boolean> {
  return new Promise((settle) => {
    setTimeout(() => settle(false), ms);
    wait(settle);
  });
}
