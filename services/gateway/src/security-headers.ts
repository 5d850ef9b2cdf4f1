import type { ServerResponse } from 'node:http';

const quiet =
  'camera=(), microphone=(), geolocation=(), payment=(), usb=(), clipboard-read=(), clipboard-write=()';

function policy(frames: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self'",
    `frame-src ${frames}`,
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}

const strictTransport = ['Strict-Transport-Security', 'max-age=31536000'] as const;

type Headers = readonly (readonly [name: string, value: string])[];

const trusted: Headers = [
  ['Cache-Control', 'no-store'],
  ['X-Content-Type-Options', 'nosniff'],
  ['Referrer-Policy', 'no-referrer'],
  ['X-Frame-Options', 'DENY'],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  ['Cross-Origin-Embedder-Policy', 'require-corp'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['Permissions-Policy', quiet],
  ['Content-Security-Policy', policy("'none'")],
];

/** The headers of every response of the trusted origin, errors included (protocol §8.5). */
export function trustedHeaders(production: boolean): Headers {
  return production ? [...trusted, strictTransport] : trusted;
}

/** Lets one page frame one sandbox origin: `/review/{id}` of a request with a bundle. */
export function allowFrame(response: ServerResponse, sandboxOrigin: string): void {
  response.setHeader('Content-Security-Policy', policy(sandboxOrigin));
}

/** The headers of every response of the sandbox listener, errors included (protocol §12.1). */
export function sandboxHeaders(trustedOrigin: string, production: boolean): Headers {
  const headers: Headers = [
    ['Cache-Control', 'no-store'],
    ['X-Content-Type-Options', 'nosniff'],
    ['Referrer-Policy', 'no-referrer'],
    ['Cross-Origin-Opener-Policy', 'same-origin'],
    ['Cross-Origin-Embedder-Policy', 'require-corp'],
    ['Cross-Origin-Resource-Policy', 'cross-origin'],
    ['Permissions-Policy', quiet.replace(' usb=(),', '')],
    [
      'Content-Security-Policy',
      "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'none'; " +
        "img-src data:; font-src data:; frame-src about:; form-action 'none'; base-uri 'none'; " +
        `object-src 'none'; frame-ancestors ${trustedOrigin}`,
    ],
    // Browsers with a window may look names up before a click, which reveals content of an app to a name server.
    ['X-DNS-Prefetch-Control', 'off'],
    ['Connection-Allowlist', '(); webrtc=block; redirects=block; report-to=proto-view-policy'],
  ];
  return production ? [...headers, strictTransport] : headers;
}

export function setHeaders(response: ServerResponse, headers: Headers): void {
  for (const [name, value] of headers) response.setHeader(name, value);
}

/** The same headers as lines of a raw HTTP response, for refusals before there is a request. */
export function headerLines(headers: Headers): string {
  return headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
}
