const inFrame = (members) => {
  document.body.append(make('iframe', members));
};
const tell = (method, params = {}) => ({ jsonrpc: '2.0', method, params });
const forged = JSON.stringify([
  tell('proto/ui.proxyReady'),
  tell('proto/ui.viewFailed', { reason: 'navigated' }),
  { ...tell('proto/ui.propose', { decision: 'approve', response: 'forged' }), id: 'forged' },
  { ...tell('proto/ui.initialize'), id: 'forged-2' },
  'noise',
]);
/** Runs in a frame of the app's own: speaks to the app's parents as if it were the app, or the proxy. */
const forge = `<script>for (const message of ${forged}) {
  for (const target of [parent.parent, top]) target.postMessage(message, '*');
}<\/script>`;

run(() => [
  attempt('nesting', 'frame of an address', ({ url }) => inFrame({ src: url })),
  attempt('nesting', 'frame of data', ({ url }) =>
    inFrame({ src: `data:text/html,<script>fetch('${url}')<\/script>` }),
  ),
  attempt('nesting', 'frame of a blob', ({ url }) => {
    const page = new Blob([`<script>fetch('${url}')<\/script>`], { type: 'text/html' });
    inFrame({ src: URL.createObjectURL(page) });
  }),
  attempt('nesting', 'frame of script', ({ url }) =>
    inFrame({ src: `javascript:fetch('${url}')` }),
  ),
  attempt('nesting', 'frame with more rights', ({ url }) => {
    const frame = make('iframe', {
      srcdoc: `<script>open('${url}'); top.location = '${url}'; fetch('${url}')<\/script>`,
    });
    frame.setAttribute(
      'sandbox',
      'allow-scripts allow-same-origin allow-popups allow-top-navigation allow-forms',
    );
    document.body.append(frame);
  }),
  attempt('nesting', 'frame with permissions', ({ url }) => {
    const frame = make('iframe', {
      srcdoc: `<script>navigator.geolocation.getCurrentPosition(() => fetch('${url}'))<\/script>`,
    });
    frame.setAttribute('allow', 'geolocation; camera; microphone; clipboard-read');
    document.body.append(frame);
  }),
  attempt('nesting', 'frame that sends images', ({ url }) =>
    inFrame({
      srcdoc: `<img src="${url}"><form action="${url}"></form><script>document.forms[0].submit()<\/script>`,
    }),
  ),
  attempt('nesting', 'frame with another policy', ({ url }) => {
    const frame = make('iframe', { srcdoc: `<script>fetch('${url}')<\/script>` });
    frame.setAttribute('csp', 'connect-src *; default-src *');
    document.body.append(frame);
  }),
  attempt('nesting', 'portal', ({ url }) => {
    document.body.append(make('portal', { src: url }));
  }),
  attempt('nesting', 'fenced frame', ({ url }) => {
    document.body.append(
      Object.assign(make('fencedframe'), { config: new FencedFrameConfig(url) }),
    );
  }),
  attempt('nesting', 'forged messages of a nested frame', () => inFrame({ srcdoc: forge })),
  attempt('nesting', 'forged messages to the page', () => {
    for (const message of JSON.parse(forged)) top.postMessage(message, '*');
  }),
]);
