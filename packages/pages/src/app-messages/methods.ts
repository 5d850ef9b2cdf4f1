/** The messages between a View and the host (protocol §12.3). */
export const PUBLIC = {
  initialize: 'proto/ui.initialize',
  initialized: 'proto/ui.initialized',
  input: 'proto/ui.input',
  result: 'proto/ui.result',
  propose: 'proto/ui.propose',
  teardown: 'proto/ui.teardown',
} as const;

/** The messages between proxy and host, or proxy and inner frame; a View neither sends nor sees them. */
export const PRIVATE = {
  proxyReady: 'proto/ui.proxyReady',
  proxyAlive: 'proto/ui.proxyAlive',
  viewFailed: 'proto/ui.viewFailed',
  resourceReady: 'proto/ui.resourceReady',
  proxyProbe: 'proto/ui.proxyProbe',
  proxyProof: 'proto/ui.proxyProof',
} as const;

/** How often the proxy shows that it lives, and asks the inner frame whether it does. */
export const BEAT_MS = 1000;
/** Beats without a proof of the inner frame after which the proxy gives it up. */
export const PROOF_BEATS = 3;
/** Beats without a sign of the proxy after which the host gives it up. */
export const ALIVE_BEATS = 5;

const privateMethods: ReadonlySet<unknown> = new Set(Object.values(PRIVATE));

export function isPrivate(method: unknown): boolean {
  return privateMethods.has(method);
}
