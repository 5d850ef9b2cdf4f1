const stylesheet = (text) => document.head.append(make('style', { textContent: text }));
const link = (rel, href, more = {}) => {
  document.head.append(make('link', { rel, href, ...more }));
};
const later = () => undefined;

run(() => [
  attempt('network', 'fetch', ({ url }) => fetch(url).then(() => true)),
  attempt('network', 'fetch no-cors', ({ url }) =>
    fetch(url, { mode: 'no-cors', keepalive: true }).then(() => true),
  ),
  attempt('network', 'fetch own origin', () => fetch(location.ancestorOrigins[0]).then(() => true)),
  attempt(
    'network',
    'XMLHttpRequest',
    ({ url }) =>
      new Promise((resolve, reject) => {
        const request = new XMLHttpRequest();
        request.onload = () => resolve(true);
        request.onerror = reject;
        request.open('GET', url);
        request.send();
      }),
  ),
  attempt(
    'network',
    'WebSocket',
    ({ url }) =>
      new Promise((resolve, reject) => {
        const socket = new WebSocket(url.replace('http', 'ws'));
        socket.onopen = () => resolve(true);
        socket.onerror = reject;
      }),
  ),
  attempt(
    'network',
    'EventSource',
    ({ url }) =>
      new Promise((resolve) => {
        new EventSource(url).onopen = () => resolve(true);
      }),
  ),
  attempt('network', 'sendBeacon', ({ url }) => {
    navigator.sendBeacon(url, 'x');
  }),
  attempt('network', 'WebTransport', ({ url }) =>
    new WebTransport(url.replace('http', 'https')).ready.then(() => true),
  ),
  attempt('network', 'image', ({ url }) => loads(new Image(), 'src', url)),
  attempt('network', 'image by name', ({ host }) => loads(new Image(), 'src', `http://${host}/`)),
  attempt('network', 'image set', ({ url }) => loads(new Image(), 'srcset', `${url} 1x`)),
  attempt('network', 'picture in markup', ({ url }) => {
    document.body.insertAdjacentHTML(
      'beforeend',
      `<picture><source srcset="${url}"><img alt=""></picture>`,
    );
  }),
  attempt('network', 'SVG image', ({ url }) => {
    document.body.insertAdjacentHTML(
      'beforeend',
      `<svg><image href="${url}"/><use href="${url}#a"/></svg>`,
    );
  }),
  attempt('network', 'style sheet', ({ url }) =>
    loads(make('link', { rel: 'stylesheet' }), 'href', url),
  ),
  attempt('network', 'style import', ({ url }) => stylesheet(`@import url(${url});`)),
  attempt('network', 'style image', ({ url }) => stylesheet(`body { background: url(${url}); }`)),
  attempt('network', 'font', async ({ url }) => {
    stylesheet(`@font-face { font-family: f; src: url(${url}); } body { font-family: f; }`);
    return (await document.fonts.load('1em f')).length > 0;
  }),
  attempt('network', 'FontFace', ({ url }) =>
    new FontFace('g', `url(${url})`).load().then(() => true),
  ),
  attempt('network', 'script', ({ url }) => loads(make('script'), 'src', url)),
  attempt('network', 'module', ({ url }) => import(url).then(() => true)),
  attempt(
    'network',
    'worker',
    ({ url }) =>
      new Promise((resolve, reject) => {
        const source = new Blob([`fetch('${url}').then(() => postMessage(1))`]);
        const worker = new Worker(URL.createObjectURL(source));
        worker.onmessage = () => resolve(true);
        worker.onerror = reject;
      }),
  ),
  attempt('network', 'video', ({ url }) =>
    loads(make('video', { autoplay: true, muted: true }), 'src', url),
  ),
  attempt('network', 'audio', ({ url }) => {
    new Audio(url).play().catch(later);
  }),
  attempt('network', 'object', ({ url }) => loads(make('object'), 'data', url)),
  attempt('network', 'embed', ({ url }) => {
    document.body.append(make('embed', { src: url }));
  }),
  attempt('network', 'prefetch', ({ url }) => link('prefetch', url)),
  attempt('network', 'preload', ({ url }) => link('preload', url, { as: 'image' })),
  attempt('network', 'module preload', ({ url }) => link('modulepreload', url)),
  attempt('network', 'icon', ({ url }) => link('icon', url)),
  attempt('network', 'manifest', ({ url }) => link('manifest', url)),
  attempt('network', 'preconnect', ({ url }) => link('preconnect', url)),
  attempt('network', 'preconnect by name', ({ host }) => link('preconnect', `https://${host}`)),
  attempt('network', 'DNS prefetch', ({ host }) => link('dns-prefetch', `https://${host}`)),
  attempt('network', 'DNS prefetch by anchor', ({ host }) => {
    document.head.append(make('meta', { httpEquiv: 'x-dns-prefetch-control', content: 'on' }));
    document.body.append(make('a', { href: `https://${host}/`, textContent: 'a' }));
  }),
  attempt('network', 'speculation rules', ({ url }) => {
    const urls = [url];
    document.head.append(
      make('script', {
        type: 'speculationrules',
        textContent: JSON.stringify({
          prefetch: [{ source: 'list', urls }],
          prerender: [{ source: 'list', urls }],
        }),
      }),
    );
  }),
  attempt('network', 'anchor ping', ({ url }) => {
    make('a', { href: url, ping: url, target: '_blank' }).click();
  }),
  attempt('webrtc', 'own realm', () => call(window)),
  attempt('webrtc', 'prefixed', () => Boolean(new webkitRTCPeerConnection(ICE))),
  attempt('webrtc', 'empty frame', () => {
    const frame = make('iframe');
    document.body.append(frame);
    return call(frame.contentWindow);
  }),
]);

function call(realm) {
  const peer = new realm.RTCPeerConnection(ICE);
  peer.createDataChannel('x');
  return peer
    .createOffer()
    .then((offer) => peer.setLocalDescription(offer))
    .then(() => undefined);
}
