// Waits of a check that runs by itself; each rejects when its signal is aborted.

/** Until the page has loaded and has nothing else to do. */
export async function settled(signal: AbortSignal): Promise<void> {
  if (document.readyState !== 'complete') {
    await happened(signal, (go) => window.addEventListener('load', go, { once: true, signal }));
  }
  await happened(signal, (go) => {
    // Safari has no idle callback.
    if ('requestIdleCallback' in window) requestIdleCallback(go, { timeout: 2_000 });
    else setTimeout(go, 200);
  });
}

/** Until the page can be seen. */
export async function visible(signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (document.visibilityState === 'visible') return;
  await happened(signal, (go) => {
    const look = () => document.visibilityState === 'visible' && go();
    document.addEventListener('visibilitychange', look, { signal });
  });
}

export function rested(milliseconds: number, signal: AbortSignal): Promise<void> {
  return happened(signal, (go) => {
    const timer = setTimeout(go, milliseconds);
    signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  });
}

function happened(signal: AbortSignal, begin: (go: () => void) => void): Promise<void> {
  return new Promise((go, stop) => {
    signal.throwIfAborted();
    signal.addEventListener('abort', () => stop(signal.reason as Error), { once: true });
    begin(go);
  });
}
