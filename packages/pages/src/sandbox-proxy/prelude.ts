/**
 * Runs in the inner frame before anything of the View: takes the constructors of WebRTC away, which no policy of the
 * standard platform forbids (R25), and answers the proxy's probes. It is written into the frame as text, so it uses
 * nothing from outside itself.
 */
function prelude(proxyOrigin: string, probe: string, proof: string): void {
  for (const name of Object.getOwnPropertyNames(window)) {
    if (/^(webkit|moz)?RTC/.test(name)) {
      Object.defineProperty(window, name, {
        value: undefined,
        writable: false,
        configurable: false,
      });
    }
  }
  const proxy = window.parent;
  const answer = proxy.postMessage.bind(proxy);
  window.addEventListener('message', (event: MessageEvent) => {
    if (event.source !== proxy || event.origin !== proxyOrigin) return;
    const said = event.data as { method?: unknown; params?: { challenge?: unknown } } | null;
    if (said?.method !== probe) return;
    event.stopImmediatePropagation();
    const params = { challenge: said.params?.challenge };
    answer({ jsonrpc: '2.0', method: proof, params }, proxyOrigin);
  });
  document.currentScript?.remove();
}

/**
 * The text before the View's HTML. A page that switched prefetching of names off cannot switch it on again. Its doctype
 * keeps the page out of quirks mode, for any beginning of the View.
 */
export function preludeHtml(proxyOrigin: string, probe: string, proof: string): string {
  const args = [proxyOrigin, probe, proof].map((each) => JSON.stringify(each)).join(',');
  return `<!doctype html><meta http-equiv="x-dns-prefetch-control" content="off"><script>(${prelude.toString()})(${args})</script>`;
}
