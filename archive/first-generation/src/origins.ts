/**
 * Whether a request's Origin may connect. Browsers always send one with a WebSocket and across origins, and the token
 * alone does not say which page holds it; whoever sends none is no browser.
 */
export function isAllowedOrigin(origin: string | undefined, allowed: readonly string[]): boolean {
  return origin === undefined || allowed.includes(origin);
}

/** Headers that let an allowed page read the answer. */
export function corsHeaders(
  origin: string | undefined,
  enabled: boolean,
  allowed: readonly string[],
): Record<string, string> {
  if (!enabled || origin === undefined) return {};
  if (!allowed.includes(origin)) return { Vary: 'Origin' };
  return {
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Allow-Headers': 'Authorization, Content-Type',
    'Access-Control-Allow-Methods': 'GET, POST',
    Vary: 'Origin',
  };
}
